package simulation

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Service simulates changes of policies and roles. It needs all fields.
type Service struct {
	DB  *pg.DB
	Now func() time.Time
}

// Plan is what a policy with these fields would do if it were enforced, compared with today. id is that of the policy
// whose reasons are in force, or a new one. since is when it began to say so: what was revoked before that is given
// again.
func (s *Service) Plan(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	f accesspolicy.Fields,
	since time.Time,
	each func(impact.PersonImpact) error,
) (*simulation, error) {
	f.Enabled, f.Mode = true, accesspolicy.Enforce
	switch f.Effect {
	case accesspolicy.Eligible:
		return s.planEligibility(ctx, tx, id, f, each)
	case accesspolicy.Require:
		return s.planRequirement(ctx, tx, id, f, each)
	}
	b, err := evaluation.Make(ctx, tx, []accesspolicy.AccessPolicy{{ID: id, Fields: f, UpdatedAt: since}}, nil, s.Now())
	if err != nil {
		return nil, err
	}
	sim, err := simulate(ctx, tx, b, each)
	if err != nil {
		return nil, err
	}
	sim.limits(f)
	return sim, nil
}

// atAllTimes is a policy without its schedule: a plan is about what it does while it applies.
func atAllTimes(f accesspolicy.Fields) accesspolicy.Fields {
	f.Schedule = nil
	return f
}

// noteSchedule says that the figures are those of the times when the policy applies.
func (s *simulation) noteSchedule(f accesspolicy.Fields) {
	if f.Schedule != nil {
		s.Notes = append(s.Notes, "the policy applies "+f.Schedule.Sentence()+"; the figures are those of this time")
	}
}

// Confirmed plans a policy that is to be enforced. It is a fault of kind Conflict with the impact, unless the plan is
// within its limits or confirm is its hash. seen is how many changes were confirmed; 0 if none had to be.
func (s *Service) Confirmed(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	f accesspolicy.Fields,
	confirm string,
) (seen int, err error) {
	sim, err := s.Plan(ctx, tx, id, atAllTimes(f), s.Now(), nil)
	if err != nil {
		return 0, err
	}
	sim.noteSchedule(f)
	if err := sim.Confirmed(confirm); err != nil || len(sim.LimitsHit) == 0 {
		return 0, err
	}
	return sim.ReasonsAdded + sim.ReasonsEnded, nil
}

// Simulate says what would come of a policy that said this. Nothing is written but an audit event.
func (s *Service) Simulate(
	ctx context.Context,
	v viewer.Viewer,
	f accesspolicy.Fields,
	each func(impact.PersonImpact) error,
) (out impact.Impact, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := f.Check(ctx, tx, accesspolicy.Fields{}); err != nil {
			return err
		}
		sim, err := s.Plan(ctx, tx, uuid.Must(uuid.NewV7()).String(), atAllTimes(f), s.Now(), each)
		if err != nil {
			return err
		}
		sim.noteSchedule(f)
		out = sim.PolicyImpact
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: "policy.simulated", Subject: audit.Subject{Type: "policy", Display: f.Name},
				Context: map[string]any{"identities_affected": out.IdentitiesAffected}},
		)
	})
	return out, err
}

// SimulateStored says what would come of enforcing a policy that there is.
func (s *Service) SimulateStored(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	each func(impact.PersonImpact) error,
) (out impact.Impact, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		p, err := accesspolicy.Locked(ctx, tx, id, "")
		if err != nil {
			return err
		}
		since := p.UpdatedAt
		if !p.Applies() {
			since = s.Now() // switching it on makes a new version of it
		}
		sim, err := s.Plan(ctx, tx, id, atAllTimes(p.Fields), since, each)
		if err != nil {
			return err
		}
		sim.noteSchedule(p.Fields)
		out = sim.PolicyImpact
		if p.Applies() && p.TrippedAt == nil {
			out.Notes = append(out.Notes, "the policy is enforced already: this is what has still to be done")
		}
		if p.TrippedAt != nil {
			out.Notes = append(
				out.Notes,
				"its breaker has stopped the policy: this is what it would do were that accepted",
			)
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "policy.simulated", Subject: p.AuditSubject(),
			Context: map[string]any{"identities_affected": out.IdentitiesAffected}})
	})
	return out, err
}
