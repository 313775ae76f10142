package grant

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// ReasonsOfPair are the reasons of a person for an entitlement: the live ones, the denials of its whole system, and the
// last ones that ended.
func ReasonsOfPair(ctx context.Context, tx *pg.Tx, identity string, e entitlement.Entitlement) ([]GrantReason, error) {
	const sql = `
		select x.reason
		  from (select ` + reasonObject + ` as reason, r.state = 'ended' as ended, r.starts_at as at, r.id,
		               row_number() over (partition by r.state = 'ended' order by r.created_at desc, r.id desc) as nth
		          from access_reason r` + reasonSources + `
		         where r.identity_id = @identity
		           and r.connector_id = @connector
		           and (r.entitlement_id = @entitlement or r.entitlement_id is null and r.effect = 'deny')) x
		 where not x.ended or x.nth <= @most
		 order by x.ended, x.at, x.id`
	return collectReasons(
		ctx,
		tx,
		sql,
		pgx.NamedArgs{"identity": identity, "connector": e.ConnectorID, "entitlement": e.ID, "most": maxHistory},
	)
}

// ReasonOf reads the live reason that was entered with this one's key.
func ReasonOf(ctx context.Context, tx *pg.Tx, of ledger.Reason) (GrantReason, error) {
	const sql = `
		select ` + reasonObject + `
		  from access_reason r` + reasonSources + `
		 where r.identity_id = @identity
		   and r.entitlement_id = @entitlement
		   and r.account_id is not distinct from @account::uuid
		   and r.effect = @effect
		   and r.kind = @kind
		   and r.source_id = @source
		   and r.state <> 'ended'`
	effect := of.Effect
	if effect == "" {
		effect = ledger.Allow
	}
	found, err := collectReasons(
		ctx,
		tx,
		sql,
		pgx.NamedArgs{"identity": of.IdentityID, "entitlement": of.EntitlementID, "account": of.AccountID,
			"effect": effect, "kind": of.Kind, "source": of.SourceID},
	)
	if err != nil || len(found) == 0 {
		return GrantReason{}, err
	}
	return found[0], nil
}

// collectReasons reads reasons, each as one JSON value.
func collectReasons(ctx context.Context, tx *pg.Tx, sql string, args pgx.NamedArgs) ([]GrantReason, error) {
	return pg.AllBy(ctx, tx, "read reasons", pgx.RowTo[GrantReason], sql, args)
}

// LinksOfPair lead to what became of an order.
func LinksOfPair(identity, entitlement string) map[string]string {
	return map[string]string{
		"explain": httpapi.Prefix + "/identities/" + identity + "/access-explain?entitlement_id=" + entitlement,
		"grants":  httpapi.Prefix + "/entitlements/grants?identity_id=" + identity + "&entitlement_id=" + entitlement,
	}
}
