package entitlement

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement/fields"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// EntitlementRetirement takes an entitlement out of use.
type EntitlementRetirement struct {
	// What to ask for instead.
	ReplacementID *string `json:"replacement_id,omitempty" format:"uuid"`
	// As the query parameter.
	DryRun bool `json:"dry_run,omitempty"`
}

// RetirementImpact is what retiring an entitlement means.
type RetirementImpact struct {
	// True if the request was a dry run: nothing was written.
	DryRun bool `json:"dry_run"`
	// Accounts that hold it. They go on holding it until their reasons end, or it is revoked.
	Holders int64 `json:"holders"`
	// Reasons that ask for it now.
	Reasons int64 `json:"reasons"`
	// Roles that hold it: they give it no more.
	Roles []NamedParty `json:"roles" nullable:"false"`
	// Requests for it that are not decided yet.
	OpenRequests int64 `json:"open_requests"`
	// ID of the entitlement to request instead. Null: none.
	ReplacementID *string `json:"replacement_id"`
	// As it is now, or would be left by a dry run.
	Entitlement EntitlementDetail `json:"entitlement"`
}

type retireIn struct {
	ID string `path:"id"`
	// Say what it would do, and write nothing.
	DryRun bool `query:"dry_run"`
	Body   EntitlementRetirement
}

func (s *Service) retire(ctx context.Context, v viewer.Viewer, in *retireIn) (*answer[RetirementImpact], error) {
	dry := in.DryRun || in.Body.DryRun
	im := RetirementImpact{DryRun: dry, ReplacementID: in.Body.ReplacementID}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := writable(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if before.Lifecycle == "retired" {
			return fault.Coded(fault.Conflict, "invalid_transition", "%s is retired already", before.Label()).
				Also("allowed", []string{})
		}
		after := before.EntitlementFields
		after.Lifecycle, after.Requestable, after.ReplacementID = "retired", false, in.Body.ReplacementID
		if err := after.Check(
			ctx,
			tx,
			in.ID,
			fields.EntitlementFields{
				OwnerIDs:       before.OwnerIDs,
				BackupOwnerIDs: before.BackupOwnerIDs,
				ApprovalRuleID: before.ApprovalRuleID,
			},
		); err != nil {
			return err
		}
		if err := im.look(ctx, tx, in.ID); err != nil {
			return err
		}
		if !dry {
			changes, err := audit.Diff(before.EntitlementFields, after)
			if err != nil {
				return err
			}
			if err := store(ctx, tx, []written{{ID: in.ID, EntitlementFields: after}}, s.Now()); err != nil {
				return err
			}
			if err := audit.Record(
				ctx,
				tx,
				audit.Entry{Action: "entitlement.updated", Changes: changes, Subject: before.subject()},
			); err != nil {
				return err
			}
		}
		im.Entitlement, err = detail(ctx, tx, in.ID)
		return err
	})
	return &answer[RetirementImpact]{Body: im}, err
}

func (im *RetirementImpact) look(ctx context.Context, tx *pg.Tx, id string) error {
	const sql = `
		select (select count(*) from access_grant g where g.entitlement_id = @id and ` + nesting.HeldSQL + `),
		       (select count(*) from access_reason r where r.entitlement_id = @id and r.effect = 'allow'
		       and r.state = 'active'), (select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'display', r.name)
		           order by r.name, r.id), '[]')
		          from role_entitlement x join role r on r.id = x.role_id and r.lifecycle <> 'retired'
		       where x.entitlement_id = @id), (select count(*) from access_request_item t where t.entitlement_id = @id
		           and t.status in ('submitted', 'pending_approval', 'blocked'))`
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"id": id}).
		Scan(&im.Holders, &im.Reasons, &im.Roles, &im.OpenRequests); err != nil {
		return fmt.Errorf("look what retiring means: %w", err)
	}
	return nil
}
