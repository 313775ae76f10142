package exception

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Items returns those of the items that an exception was approved with.
func Items(ctx context.Context, tx *pg.Tx, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	const sql = `
		select distinct e.item_id::text from separation_exception e where e.item_id = any($1::text[]::uuid[])`
	return pg.All[string](ctx, tx, "find items with exceptions", sql, ids)
}

// Record stores that an exception was approved with an item. An item that is approved again replaces it.
func Record(
	ctx context.Context,
	tx *pg.Tx,
	item *accessrequest.AccessRequestItem,
	n Needed,
	allowed state.Exception,
) error {
	const sql = `
		insert into separation_exception (tenant_id, id, item_id, identity_id, policy_id, policy_version, sides,
		                                  severity, entitlement_ids, rule_id, rule_name, approved_by)
		values (current_tenant(), @id, @item, @identity, @policy, @version, @sides, @severity,
		        @entitlements::text[]::uuid[], @rule, @rule_name, @by)
		    on conflict (tenant_id, item_id, policy_id, sides) do update
		   set policy_version = excluded.policy_version, severity = excluded.severity,
		       entitlement_ids = excluded.entitlement_ids, rule_id = excluded.rule_id,
		       rule_name = excluded.rule_name, approved_by = excluded.approved_by, approved_at = now()`
	return pg.Exec(ctx, tx, "record exception", sql, pgx.NamedArgs{
		"id":           uuid.Must(uuid.NewV7()).String(),
		"item":         item.ID,
		"identity":     item.BeneficiaryID,
		"policy":       n.PolicyID,
		"version":      n.Found.Policy.Version,
		"sides":        n.Found.SidesKey(),
		"severity":     n.Found.Policy.Severity,
		"entitlements": n.Found.EntitlementIDs(),
		"rule":         n.RuleID,
		"rule_name":    n.Rule,
		"by":           allowed.By,
	})
}
