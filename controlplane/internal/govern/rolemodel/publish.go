package rolemodel

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/rolemodel/draft"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// RolePublication is what came of publishing, or would.
type RolePublication struct {
	// Result of the operation. It is planned in a dry run, and proposed if another person must approve.
	State string `json:"state" enum:"planned,proposed,published,retired"`
	// The role after the operation. In a dry run it is unchanged.
	Role role.Role `json:"role"`
	// Fields of the role that the operation changes.
	Changes []draft.RoleChange `json:"changes" nullable:"false"`
	// Access that the operation adds and ends.
	Impact Impact `json:"impact"`
	// Empty while it gave nothing.
	RiskBefore string `json:"risk_before"`
	// Effective risk level of the role after the operation: low, medium, high or critical. Retiring a role does not
	// change it.
	RiskAfter string `json:"risk_after"`
	// Its risk is high or critical, before or after: publishing asks its owners and the administrators.
	ApprovalNeeded bool `json:"approval_needed"`
	// The decision task, if an approval was requested.
	TaskID *string `json:"task_id"`
}

// publication is a role about to be published.
type publication struct {
	role role.Role
	// after are the fields that are published, changes the differences from the active version.
	after role.RoleFields
	draft *draft.RoleDraft // of a role in use
	weight
	changes []draft.RoleChange
}

// out is the publication as the API shows it. A role that gave nothing so far has no risk before.
func (p publication) out(state string) RolePublication {
	o := RolePublication{
		State:          state,
		Role:           p.role,
		Changes:        p.changes,
		Impact:         p.Impact,
		RiskBefore:     p.riskBefore,
		RiskAfter:      p.riskAfter,
		ApprovalNeeded: p.agreement(),
	}
	if !draft.Gives(p.role.RoleFields) {
		o.RiskBefore = ""
	}
	return o
}

// prepare finds what a role becomes when it is published, and what comes of that.
func (s *Service) prepare(ctx context.Context, tx *pg.Tx, r role.Role) (p publication, err error) {
	p.role, p.after = r, r.RoleFields
	switch r.Lifecycle {
	case role.Retired:
		return p, illegal(r, "published")
	case role.Active, role.Deprecated:
		if p.draft, err = draft.Find(ctx, tx, r); err != nil {
			return p, err
		}
		if p.draft == nil && r.Lifecycle == role.Active {
			return p, fault.Coded(fault.Conflict, "nothing_to_publish", "the role is in use, and has no draft: PATCH "+
				"…/draft makes one").
				Also("allowed", []string{"deprecate", "retire"})
		}
		if p.draft != nil {
			if p.after, err = draft.Merge(ctx, tx, s.Roles, r, *p.draft); err != nil {
				return p, err
			}
		}
	}
	p.after.Lifecycle = role.Active
	if err = s.checkSeparation(ctx, tx, r.ID, r.RoleFields, p.after); err != nil {
		return p, err
	}
	if p.changes, err = draft.Differences(r.RoleFields, p.after); err != nil {
		return p, err
	}
	p.weight, err = s.weigh(ctx, tx, r, p.after)
	return p, err
}

// Publish makes a role, or its draft, count. What gives or takes much is confirmed by the impact's hash; of what is
// risky another person is asked, and the answer publishes it or not.
func (s *Service) Publish(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	confirm string,
	dry bool,
) (out RolePublication, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := draft.Lock(ctx, tx, id, match)
		if err != nil {
			return err
		}
		p, err := s.prepare(ctx, tx, r)
		if err != nil {
			return err
		}
		if dry {
			out = p.out("planned")
			return audit.Record(ctx, tx, audit.Entry{Action: "role.publication_planned", Subject: draft.Subject(r),
				Context: map[string]any{"identities_affected": p.IdentitiesAffected}})
		}
		if p.agreement() {
			out, err = s.ask(ctx, tx, p)
			return err
		}
		if err := p.Confirmed(confirm); err != nil {
			return err
		}
		out, err = s.publish(ctx, tx, p)
		return err
	})
	return out, err
}

// publish makes it so.
func (s *Service) publish(ctx context.Context, tx *pg.Tx, p publication) (RolePublication, error) {
	out := p.out("published")
	after, err := role.Update(ctx, tx, p.role.ID, p.after)
	if err != nil {
		return out, err
	}
	out.Role = after
	if _, err := draft.Remove(ctx, tx, p.role.ID); err != nil {
		return out, err
	}
	out.Role.HasDraft = false
	if _, err := decision.Close(
		ctx,
		tx,
		draft.ProposalKind,
		[]string{p.role.ID},
		decision.Superseded,
		"the role was published",
	); err != nil {
		return out, err
	}
	return out, audit.Record(ctx, tx, audit.Entry{
		Action:  "role.published",
		Subject: draft.Subject(after),
		Context: map[string]any{
			"version":             after.Version,
			"identities_affected": p.IdentitiesAffected,
			"grants_added":        p.GrantsAdded,
			"grants_ended":        p.GrantsEnded,
			"plan_hash":           p.PlanHash,
		},
	})
}

// Propose asks the owners of a role and the administrators to agree that it, or its draft, is published.
func (s *Service) Propose(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (out RolePublication, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := draft.Lock(ctx, tx, id, match)
		if err != nil {
			return err
		}
		if r.Lifecycle == role.Proposed {
			return illegal(r, "proposed again", "publish", "withdraw", "retire")
		}
		p, err := s.prepare(ctx, tx, r)
		if err != nil {
			return err
		}
		out, err = s.ask(ctx, tx, p)
		return err
	})
	return out, err
}

// Withdraw takes a proposal back: the role, or its draft, can be changed again.
func (s *Service) Withdraw(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (out role.Role, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := draft.Lock(ctx, tx, id, match)
		if err != nil {
			return err
		}
		if out, err = unpropose(ctx, tx, r); err != nil {
			return err
		}
		if _, err := decision.Close(
			ctx,
			tx,
			draft.ProposalKind,
			[]string{r.ID},
			decision.Cancelled,
			"the proposal was withdrawn",
		); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "role.proposal_withdrawn", Subject: draft.Subject(r)})
	})
	return out, err
}

// unpropose makes a proposed role a draft again, or the draft of one in use one that is not proposed.
func unpropose(ctx context.Context, tx *pg.Tx, r role.Role) (role.Role, error) {
	if r.Lifecycle == role.Proposed {
		after := r.RoleFields
		after.Lifecycle = role.Draft
		return role.Update(ctx, tx, r.ID, after)
	}
	done, err := tx.Exec(
		ctx,
		`update role_draft set proposed = false, updated_at = now(),
			version = version + 1 where role_id = $1 and proposed`,
		r.ID,
	)
	if err != nil {
		return r, fmt.Errorf("withdraw proposal of role: %w", err)
	}
	if done.RowsAffected() == 0 {
		return r, fault.Coded(fault.Conflict, "invalid_transition", "The role has no open proposal.").
			Also("allowed", []string{})
	}
	return role.Find(ctx, tx, r.ID)
}
