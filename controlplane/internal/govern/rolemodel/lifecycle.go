package rolemodel

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/rolemodel/draft"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// Deprecate closes a role: its members keep it, and no one else gets it.
func (s *Service) Deprecate(
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
		switch r.Lifecycle {
		case role.Draft, role.Proposed:
			return illegal(r, "deprecated", "publish", "retire")
		case role.Deprecated:
			return illegal(r, "deprecated again", "publish", "retire")
		case role.Retired:
			return illegal(r, "deprecated")
		}
		after := r.RoleFields
		after.Lifecycle = role.Deprecated
		if out, err = role.Update(ctx, tx, r.ID, after); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{Action: "role.deprecated", Subject: draft.Subject(r)})
	})
	return out, err
}

// Retire takes a role out of use for good, with the reasons and assignments that hang on it. What takes much is
// confirmed by the impact's hash.
func (s *Service) Retire(
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
		if r.Lifecycle == role.Retired {
			return illegal(r, "retired again")
		}
		p := publication{role: r, after: r.RoleFields}
		p.after.Lifecycle = role.Retired
		if p.changes, err = draft.Differences(r.RoleFields, p.after); err != nil {
			return err
		}
		if p.weight, err = s.weigh(ctx, tx, r, p.after); err != nil {
			return err
		}
		if out = p.out("planned"); dry {
			out.ApprovalNeeded = false
			return audit.Record(ctx, tx, audit.Entry{Action: "role.publication_planned", Subject: draft.Subject(r),
				Context: map[string]any{"retire": true, "identities_affected": p.IdentitiesAffected}})
		}
		if err := p.Confirmed(confirm); err != nil {
			return err
		}
		if err := role.Retire(ctx, tx, r.ID, true); err != nil {
			return err
		}
		if _, err := draft.Remove(ctx, tx, r.ID); err != nil {
			return err
		}
		if _, err := decision.Close(
			ctx,
			tx,
			draft.ProposalKind,
			[]string{r.ID},
			decision.Cancelled,
			"the role was retired",
		); err != nil {
			return err
		}
		out.State, out.ApprovalNeeded = "retired", false
		out.Role, err = role.Find(ctx, tx, r.ID)
		return err
	})
	return out, err
}
