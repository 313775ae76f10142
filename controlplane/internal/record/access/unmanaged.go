package access

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Review states of a grant that is in the target and that no reason here asks for.
const (
	// it was there when the connector was first synced: nobody has to look at it
	FoundAtFirstImport = "found_at_first_import"
	Unmanaged          = "unmanaged" // it appeared later
	Returned           = "returned"  // it was revoked here and came back in the target
	Accepted           = "accepted"  // somebody takes it as it was found
)

// reviewState is the state of a grant g of accounts a with what the ledger says as s; null where a reason asks for it.
const reviewState = `
	(case when not ` + native + ` then null
	      when exists (select from grant_review rv where rv.tenant_id = g.tenant_id and rv.grant_id = g.id and rv.state = 'accepted') then '` + Accepted + `'
	      when g.reappeared then '` + Returned + `'
	      when exists (select from grant_review rv where rv.tenant_id = g.tenant_id and rv.grant_id = g.id) then '` +
	Unmanaged + `'
	      else '` + FoundAtFirstImport + `' end)`

// GrantAcceptance takes grants as they were found in their targets.
type GrantAcceptance struct {
	IDs           []string `json:"ids,omitempty" maxItems:"500" format:"uuid" doc:"These grants. Without ids, all that connector_id and entitlement_id select."`
	ConnectorID   string   `json:"connector_id,omitempty" format:"uuid"`
	EntitlementID string   `json:"entitlement_id,omitempty" format:"uuid"`
	ReviewState   []string `json:"review_state,omitempty" maxItems:"2" enum:"found_at_first_import,unmanaged" doc:"Only grants in these states. The default is both."`
	Comment       string   `json:"comment" minLength:"1" maxLength:"2000" doc:"Why the access is right. It is shown with the grants."`
}

// GrantsAccepted is what an acceptance did, or with dry_run would do.
type GrantsAccepted struct {
	DryRun     bool `json:"dry_run"`
	Accepted   int  `json:"accepted"`
	SkippedOwn int  `json:"skipped_own" doc:"Your own grants. Another person has to accept these."`
}

// AcceptAsFound takes unmanaged grants as they were found, all in one transaction. Nobody accepts their own access.
func (s *Service) AcceptAsFound(
	ctx context.Context,
	v viewer.Viewer,
	o GrantAcceptance,
	dryRun bool,
) (out GrantsAccepted, err error) {
	if len(o.IDs) == 0 && o.ConnectorID == "" {
		return out, fault.New(fault.Invalid, "Name the grants by ids, or their system by connector_id.").
			With(fault.Field{Pointer: "#/connector_id", Code: "required", Detail: "ids or connector_id is required"})
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		out, err = AcceptGrants(ctx, tx, o, dryRun)
		return err
	})
	return out, err
}

// AcceptGrants is AcceptAsFound within a transaction.
func AcceptGrants(ctx context.Context, tx *pg.Tx, o GrantAcceptance, dryRun bool) (out GrantsAccepted, err error) {
	out.DryRun = dryRun
	const chosen = `
		with chosen as materialized (
		    select g.id, a.identity_id::text is not distinct from nullif(@self, '') as own
		      from access_grant g
		      join account a on a.tenant_id = g.tenant_id and a.id = g.account_id` + standing + `
		     where g.status = 'active'
		       and g.directness = 'direct'
		       and (cardinality(@ids::text[]) = 0 or g.id = any(@ids::text[]::uuid[]))
		       and (@connector = '' or g.connector_id::text = @connector)
		       and (@entitlement = '' or g.entitlement_id::text = @entitlement)
		       and ` + reviewState + ` = any(@states)
		)`
	const count = chosen + ` select count(*) filter (where not own), count(*) filter (where own) from chosen`
	const write = chosen + `, written as (
		    insert into grant_review as r (tenant_id, grant_id, state, accepted_at, accepted_by, comment)
		    select current_tenant(), c.id, 'accepted', now(), @by::jsonb, @comment
		      from chosen c
		     where not c.own
		        on conflict (tenant_id, grant_id) do update
		       set state = 'accepted', accepted_at = now(), accepted_by = excluded.accepted_by,
		           comment = excluded.comment
		    returning 1
		), turn as (
		    insert into work_item (tenant_id, kind, subject)
		    select distinct current_tenant(), 'inbox_native_grant', g.connector_id
		      from chosen c
		      join access_grant g on g.id = c.id
		    returning 1
		)
		select (select count(*) from written), (select count(*) from chosen where own), (select count(*) from turn)`
	v, states := tx.Viewer, o.ReviewState
	if len(states) == 0 {
		states = []string{FoundAtFirstImport, Unmanaged}
	}
	args := pgx.NamedArgs{
		"ids":         append([]string{}, o.IDs...),
		"connector":   strings.ToLower(o.ConnectorID),
		"entitlement": strings.ToLower(o.EntitlementID),
		"states":      states,
		"self":        v.Identity,
		"comment":     strings.TrimSpace(o.Comment),
		"by": map[string]string{
			"type":        string(v.Kind),
			"id":          v.ID,
			"identity_id": v.Identity,
			"display":     v.Display,
		},
	}
	if dryRun {
		err = tx.QueryRow(ctx, count, args).Scan(&out.Accepted, &out.SkippedOwn)
	} else {
		err = tx.QueryRow(ctx, write, args).Scan(&out.Accepted, &out.SkippedOwn, nil)
	}
	if err != nil {
		return out, fmt.Errorf("accept grants: %w", err)
	}
	if dryRun || out.Accepted == 0 {
		return out, nil
	}
	return out, audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "grant.accepted_as_found",
			Subject: o.subject(),
			Reason:  o.Comment,
			Context: map[string]any{
				"accepted":       out.Accepted,
				"grant_ids":      o.IDs,
				"entitlement_id": o.EntitlementID,
				"review_state":   states,
			},
		},
	)
}

// subject is the connector of an acceptance, or the grant where it names one.
func (o GrantAcceptance) subject() audit.Subject {
	if o.ConnectorID == "" && len(o.IDs) > 0 {
		return audit.Subject{Type: "grant", ID: o.IDs[0]}
	}
	return audit.Subject{Type: "connector", ID: o.ConnectorID}
}

// RevokeGrants revokes grants wholly within a transaction. Those that cannot be revoked are refused one by one.
func RevokeGrants(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	reason string,
	now time.Time,
) (out BulkGrantsRevoked, err error) {
	o := GrantRevocation{Reason: reason}.withScope()
	grants, entitlements, err := findMany(ctx, tx, ids)
	if err != nil {
		return out, err
	}
	out, all := o.planAll(ids, grants, entitlements, now)
	if len(all) == 0 {
		return out, nil
	}
	return out, carryOut(ctx, tx, o, all)
}

// fillAcceptance adds who accepted a grant, and when.
func fillAcceptance(ctx context.Context, tx *pg.Tx, g *Grant) error {
	if g.ReviewState == nil || *g.ReviewState != Accepted {
		return nil
	}
	const sql = `
		select r.accepted_at, coalesce(r.accepted_by ->> 'display', ''), r.comment
		  from grant_review r
		 where r.tenant_id = current_tenant()
		   and r.grant_id = $1`
	g.AcceptedAsFound = &GrantAcceptedAsFound{}
	if err := tx.QueryRow(ctx, sql, g.ID).
		Scan(&g.AcceptedAsFound.At, &g.AcceptedAsFound.By, &g.AcceptedAsFound.Comment); err != nil {
		return fmt.Errorf("read who accepted a grant: %w", err)
	}
	return nil
}

// GrantAcceptedAsFound is who took a grant as it was found.
type GrantAcceptedAsFound struct {
	At      time.Time `json:"at"`
	By      string    `json:"by"`
	Comment string    `json:"comment"`
}

// untouched says of a native grant why it is there and what is done about it.
func (g Grant) untouched() string {
	state := ""
	if g.ReviewState != nil {
		state = *g.ReviewState
	}
	switch state {
	case Accepted:
		said := "It was given in the target, and accepted as found"
		if a := g.AcceptedAsFound; a != nil {
			said += " by " + a.By + " on " + day(a.At)
			if a.Comment != "" {
				return said + ": " + a.Comment
			}
		}
		return said + "."
	case FoundAtFirstImport:
		return "This grant existed at the first sync of the system. It needs no decision, but can be accepted or " +
			"revoked."
	}
	return "This grant was made in the target system after the first sync. The native_grant_policy of the connector " +
		"determines what happens next."
}
