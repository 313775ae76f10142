package order

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
)

// BulkGrantRevocation is GrantRevocation of many.
type BulkGrantRevocation struct {
	// IDs of the grants to revoke. Repeated IDs count once.
	IDs []string `json:"ids" minItems:"1" maxItems:"500" format:"uuid" nullable:"false"`
	// Why the grants are revoked. It is part of the access history.
	Reason string `json:"reason" minLength:"1" maxLength:"2000"`
	// Needed for those that a rule would give again.
	ExcludeUntil *time.Time `json:"exclude_until,omitempty"`
}

// BulkGrantResult is what became of one grant.
type BulkGrantResult struct {
	// ID of the grant.
	ID string `json:"id"`
	// Result for the grant. revoked: its revocation was ordered, or would be with dry_run. refused: see code and
	// detail.
	Outcome string `json:"outcome" enum:"revoked,refused"`
	// Why it was refused.
	Code string `json:"code,omitempty"`
	// Why the revocation was refused, in words. Absent unless refused.
	Detail string `json:"detail,omitempty"`
	// Effect of the revocation. Absent if refused.
	RevocationImpact *RevocationImpact `json:"impact,omitempty"`
}

// BulkGrantsRevoked are the results, in the order of the ids.
type BulkGrantsRevoked struct {
	// True if the request was a dry run: nothing was written.
	DryRun bool `json:"dry_run"`
	// Number of grants whose revocation was ordered, or would be with dry_run.
	Revoked int `json:"revoked"`
	// Number of grants whose revocation was refused.
	Refused int `json:"refused"`
	// Result for each grant, in the order of the IDs.
	Results []BulkGrantResult `json:"results" nullable:"false"`
}

// BulkRevoke revokes those grants that can be, wholly, in one transaction, and says why the others cannot.
func (s *Service) BulkRevoke(
	ctx context.Context,
	v viewer.Viewer,
	b BulkGrantRevocation,
	dryRun bool,
) (out BulkGrantsRevoked, err error) {
	o := GrantRevocation{Reason: b.Reason, ExcludeUntil: b.ExcludeUntil}.withScope()
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		grants, entitlements, err := findMany(ctx, tx, b.IDs)
		if err != nil {
			return err
		}
		var all []revoked
		if out, all = o.planAll(b.IDs, grants, entitlements, s.Now()); dryRun || len(all) == 0 {
			out.DryRun = dryRun
			return nil
		}
		return carryOut(ctx, tx, o, all)
	})
	return out, err
}

// planAll plans the revocation of many grants. Each has a result of its own: what cannot be revoked
// is refused, and the others are revoked all the same. A repeated ID counts once.
func (o GrantRevocation) planAll(
	ids []string,
	grants map[string]grant.Grant,
	entitlements map[string]entitlement.Entitlement,
	now time.Time,
) (out BulkGrantsRevoked, all []revoked) {
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		g, there := grants[id]
		if !there {
			out.refuse(id, fault.New(fault.NotFound, "Grant %s was not found.", id))
			continue
		}
		im, err := o.plan(g, entitlements[g.EntitlementID], now)
		if err != nil {
			out.refuse(id, err)
			continue
		}
		out.Revoked++
		out.Results, all = append(
			out.Results,
			BulkGrantResult{ID: id, Outcome: "revoked", RevocationImpact: &im},
		), append(
			all,
			revoked{g, im},
		)
	}
	return out, all
}

// refuse adds a grant that is not revoked, with the code of the fault.
func (b *BulkGrantsRevoked) refuse(id string, err error) {
	b.Refused++
	r := BulkGrantResult{ID: id, Outcome: "refused", Detail: err.Error()}
	var f *fault.Fault
	if errors.As(err, &f) {
		r.Code = f.Code
	}
	b.Results = append(b.Results, r)
}

// findMany reads grants with what the ledger says of them, and their entitlements, as the viewer sees them.
func findMany(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
) (map[string]grant.Grant, map[string]entitlement.Entitlement, error) {
	list, err := grant.Read(ctx, tx, "g.id = any(@ids::text[]::uuid[])", pgx.NamedArgs{"ids": ids})
	if err != nil {
		return nil, nil, err
	}
	if err := grant.FillStanding(ctx, tx, list, false); err != nil {
		return nil, nil, err
	}
	if err := grant.FillPaths(ctx, tx, list); err != nil {
		return nil, nil, err
	}
	grants, wanted := map[string]grant.Grant{}, []string{}
	for _, g := range list {
		grants[g.ID], wanted = g, append(wanted, g.EntitlementID)
	}
	entitlements, err := entitlement.ByIDs(ctx, tx, wanted)
	return grants, entitlements, err
}
