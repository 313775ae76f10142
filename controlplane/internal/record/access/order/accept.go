package order

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// GrantAcceptance takes grants as they were found in their targets.
type GrantAcceptance struct {
	// These grants. Without ids, all that connector_id and entitlement_id select.
	IDs []string `json:"ids,omitempty" maxItems:"500" format:"uuid"`
	// Only grants of this connector. Required without ids.
	ConnectorID string `json:"connector_id,omitempty" format:"uuid"`
	// Only grants of this entitlement.
	EntitlementID string `json:"entitlement_id,omitempty" format:"uuid"`
	// Only grants in these states. The default is both.
	ReviewState []string `json:"review_state,omitempty" maxItems:"2" enum:"found_at_first_import,unmanaged"`
	// Why the access is right. It is shown with the grants.
	Comment string `json:"comment" minLength:"1" maxLength:"2000"`
}

// GrantsAccepted is what an acceptance did, or with dry_run would do.
type GrantsAccepted struct {
	// True if the request was a dry run: nothing was written.
	DryRun bool `json:"dry_run"`
	// Number of grants that were accepted, or would be with dry_run.
	Accepted int `json:"accepted"`
	// Your own grants. Another person has to accept these.
	SkippedOwn int `json:"skipped_own"`
}

// AcceptAsFound takes unmanaged grants as they were found, all in one transaction. No one accepts their own access.
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
		if err := o.checkNamed(ctx, tx); err != nil {
			return err
		}
		out, err = Accept(ctx, tx, o, dryRun)
		return err
	})
	return out, err
}

// checkNamed refuses an acceptance that names a connector, an entitlement or grants that do not exist: an answer of no
// accepted grants would look like nothing to do. All unknown grants are named at once.
func (o GrantAcceptance) checkNamed(ctx context.Context, tx *pg.Tx) error {
	if o.ConnectorID != "" {
		const known = `select exists (select from connector c where c.id::text = lower($1) and c.deleted_at is null)`
		there := false
		if err := tx.QueryRow(ctx, known, o.ConnectorID).Scan(&there); err != nil {
			return fmt.Errorf("find connector: %w", err)
		}
		if !there {
			missing := fault.New(fault.NotFound, "Connector %s was not found.", o.ConnectorID)
			return asField(missing, "connector_id", "unknown_connector")
		}
	}
	if o.EntitlementID != "" {
		if _, err := entitlement.Lookup(ctx, tx, o.EntitlementID, ""); err != nil {
			return asField(err, "entitlement_id", "unknown_entitlement")
		}
	}
	return o.checkGrants(ctx, tx)
}

// checkGrants refuses ids that are no grants.
func (o GrantAcceptance) checkGrants(ctx context.Context, tx *pg.Tx) error {
	const sql = `select id::text from access_grant where id = any($1::text[]::uuid[])`
	asked := make([]string, 0, len(o.IDs))
	for _, id := range o.IDs {
		if listing.IsID(id) {
			asked = append(asked, id)
		}
	}
	known, err := pg.All[string](ctx, tx, "find grants", sql, asked)
	if err != nil {
		return err
	}
	var fields []fault.Field
	for n, id := range o.IDs {
		if !slices.Contains(known, strings.ToLower(id)) {
			fields = append(fields, fault.Field{
				Pointer: fmt.Sprintf("#/ids/%d", n),
				Code:    "unknown_grant",
				Detail:  fmt.Sprintf("Grant %s was not found.", id),
			})
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return fault.New(fault.Invalid, "%d of %d grants were not found.", len(fields), len(o.IDs)).With(fields...)
}

// Accept is AcceptAsFound within a transaction.
func Accept(ctx context.Context, tx *pg.Tx, o GrantAcceptance, dryRun bool) (out GrantsAccepted, err error) {
	out.DryRun = dryRun
	const chosen = `
		with chosen as materialized (
		    select g.id, a.identity_id::text is not distinct from nullif(@self, '') as own
		      from access_grant g
		      join account a on a.tenant_id = g.tenant_id and a.id = g.account_id` + grant.StandingSQL + `
		     where g.status = 'active'
		       and g.directness = 'direct'
		       and (cardinality(@ids::text[]) = 0 or g.id = any(@ids::text[]::uuid[]))
		       and (@connector = '' or g.connector_id::text = @connector)
		       and (@entitlement = '' or g.entitlement_id::text = @entitlement)
		       and ` + grant.ReviewStateSQL + ` = any(@states)
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
		states = []string{grant.FoundAtFirstImport, grant.Unmanaged}
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

// RevokeAll revokes grants wholly within a transaction. Those that cannot be revoked are refused one by one.
func RevokeAll(
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
