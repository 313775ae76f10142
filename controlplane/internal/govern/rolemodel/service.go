package rolemodel

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/simulation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/rolemodel/draft"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// Service is what people do with roles. All fields are needed.
type Service struct {
	DB       *pg.DB
	Cursors  *httpapi.Cursors
	Policies *simulation.Service
	Roles    *role.Service
	Now      func() time.Time
}

// Impact is what would come of a change of a role.
type Impact = impact.PolicyImpact

// weight is how much a change of a role is.
type weight struct {
	Impact
	// riskBefore and riskAfter are the risk levels of the role; empty: it did not exist.
	riskBefore, riskAfter string
}

// agreement reports whether another person has to approve.
func (w weight) agreement() bool { return role.Risky(w.riskBefore) || role.Risky(w.riskAfter) }

// weigh makes a change within a savepoint and says what would come of it. before has no id where the role is to be
// made.
func (s *Service) weigh(ctx context.Context, tx *pg.Tx, before role.Role, after role.RoleFields) (w weight, err error) {
	var ids []string
	if before.ID != "" {
		ids = []string{before.ID}
		w.riskBefore = before.EffectiveRiskLevel
	}
	w.Impact, err = s.Policies.PlanRoles(ctx, tx, ids, func(tx *pg.Tx) ([]string, error) {
		planned, err := s.write(ctx, tx, before, after)
		w.riskAfter = planned.EffectiveRiskLevel
		return []string{planned.ID}, err
	}, nil)
	return w, err
}

// write makes the change inside a simulation: create, update or retire. A retired role keeps its
// reasons and assignments there, so that it shows who would lose access.
func (s *Service) write(ctx context.Context, tx *pg.Tx, before role.Role, after role.RoleFields) (role.Role, error) {
	switch {
	case before.ID == "":
		return role.Create(ctx, tx, role.New{Key: "plan-" + uuid.NewString(), RoleFields: after})
	case after.Lifecycle == role.Retired:
		// Reasons and assignments stay, so that it can be seen who would lose them.
		if err := pg.Exec(
			ctx,
			tx,
			"plan the end of a role",
			`update role set lifecycle = 'retired' where id = $1`,
			before.ID,
		); err != nil {
			return before, err
		}
		return before, nil
	}
	return role.Update(ctx, tx, before.ID, after)
}

// Guard is a fault of kind Conflict for a change of a role that is not made at once: what gives or takes much is
// published by a person who has seen that, what is risky by the approval of another person, and what is proposed stays
// as it is until it is decided.
func (s *Service) Guard(ctx context.Context, tx *pg.Tx, before role.Role, after role.RoleFields) error {
	if before.Lifecycle == role.Proposed && after.Lifecycle == role.Proposed {
		return fault.Coded(
			fault.Conflict,
			"role_proposed",
			"The role has an open proposal. Withdraw it first.",
		)
	}
	if after.Lifecycle == role.Retired {
		return nil // who is still in use cannot be
	}
	touched, err := draft.Touches(before.RoleFields, after)
	if err != nil || !touched {
		return err
	}
	if err := s.checkSeparation(ctx, tx, before.ID, before.RoleFields, after); err != nil {
		return err
	}
	w, err := s.weigh(ctx, tx, before, after)
	if err != nil {
		return err
	}
	how := "write it into the role's draft, and publish that"
	if !draft.Gives(before.RoleFields) {
		how = "keep the role as a draft, and publish it"
	}
	switch {
	case w.agreement():
		return fault.Coded(fault.Conflict, "publish_required", "the risk of the role is %s, so another person must "+
			"approve: %s", riskier(w), how).
			Also("impact", w.Impact)
	case len(w.LimitsHit) > 0:
		return fault.Coded(fault.Conflict, "publish_required", "%s: %s", w.LimitsHit[0].Detail, how).
			Also("impact", w.Impact)
	}
	return nil
}

// checkSeparation refuses contents of a role in use that violate an enforced separation-of-duties policy, alone or in a
// role that contains it, when they change or begin to count.
func (s *Service) checkSeparation(ctx context.Context, tx *pg.Tx, id string, before, after role.RoleFields) error {
	same := slices.Equal(before.EntitlementIDs, after.EntitlementIDs) &&
		slices.Equal(before.ChildRoleIDs, after.ChildRoleIDs)
	if !draft.Gives(after) || draft.Gives(before) && same {
		return nil
	}
	if err := check.Role(ctx, tx, after.Name, after.EntitlementIDs, after.ChildRoleIDs, s.Now()); err != nil {
		return err
	}
	if !draft.Gives(before) {
		before.EntitlementIDs, before.ChildRoleIDs = nil, nil
	}
	return check.RolesAround(ctx, tx, id, after.Name, without(after.EntitlementIDs, before.EntitlementIDs),
		without(after.ChildRoleIDs, before.ChildRoleIDs), without(before.EntitlementIDs, after.EntitlementIDs), s.Now())
}

// without returns the IDs that are not among the others.
func without(ids, others []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return slices.Contains(others, id) })
}

// riskier is the risk that decides whether publication needs approval.
func riskier(w weight) string {
	if role.Risky(w.riskAfter) {
		return w.riskAfter
	}
	return w.riskBefore
}

// illegal is a fault of kind Conflict for what a role cannot become.
func illegal(r role.Role, doing string, allowed ...string) error {
	if allowed == nil {
		allowed = []string{}
	}
	return fault.Coded(fault.Conflict, "invalid_transition", "a role that is %s cannot be %s", r.Lifecycle, doing).
		Also("allowed", allowed)
}
