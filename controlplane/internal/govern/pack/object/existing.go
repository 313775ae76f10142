package object

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
)

// existingApprovalRule finds the rule in the place of the pack's: another default, or one of the same name.
func (w Writer) existingApprovalRule(
	ctx context.Context,
	wanted merge.Fields,
) (id string, origin map[string]any, err error) {
	const sql = `
		select r.id::text, r.origin
		  from approval_rule r
		 where r.tenant_id = current_tenant()
		   and (r.name = $1 or $2 and r.enabled and r.applies_to @> '{"default": true}'
		     and coalesce(r.applies_to -> 'request_kinds', '[]') = '[]')
		 order by r.name = $1, r.priority, r.id
		 limit 1
		   for update`
	err = w.Tx.QueryRow(ctx, sql, wanted["name"], wanted["default"] == true).Scan(&id, &origin)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("look for approval rules: %w", err)
	}
	return id, origin, err
}

// ReadBack replaces what was just written by the form in which it is read, so that a later comparison finds no
// difference.
func (w Writer) ReadBack(ctx context.Context, kind, id string, applied merge.Fields) error {
	now, err := Current(ctx, w.Tx, kind, []string{id})
	if err != nil {
		return err
	}
	for name := range applied {
		applied[name] = now[id][name]
	}
	return nil
}

// Existing finds an object of the tenant that is what the pack would create; id is empty if there is none. mine: this
// pack has created it, in an earlier installation.
func (w Writer) Existing(ctx context.Context, kind, key string, wanted merge.Fields) (id string, mine bool, err error) {
	var origin map[string]any
	switch kind {
	case format.KindRole:
		var lifecycle string
		const sql = `select id::text, origin, lifecycle from role where tenant_id = current_tenant() and key = $1
			for update`
		err = w.Tx.QueryRow(ctx, sql, key).Scan(&id, &origin, &lifecycle)
		if err == nil && lifecycle == "retired" {
			return id, true, w.revive(ctx, id)
		}
		mine = err == nil && lifecycle == "deprecated" && origin["pack_id"] == w.Key
		if mine {
			err = w.revive(ctx, id)
		}
	case format.KindLifecyclePolicy:
		const sql = `select origin from lifecycle_policy where tenant_id = current_tenant() for update`
		err = w.Tx.QueryRow(ctx, sql).Scan(&origin)
		if err == nil {
			id, mine = w.Tx.Viewer.Tenant, origin["pack_id"] == w.Key
		}
	case format.KindApprovalRule:
		id, origin, err = w.existingApprovalRule(ctx, wanted)
		mine = err == nil && origin["pack_id"] == w.Key && origin["object_key"] == key
	case format.KindDutyTag, format.KindRoleDuty, format.KindSodPolicy, format.KindMitigationPolicy:
		id, origin, err = w.named(ctx, kind, wanted["name"])
		mine = err == nil && origin["pack_id"] == w.Key && origin["object_key"] == key
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("look for what is there: %w", err)
	}
	return id, mine, nil
}

// named finds a duty, a separation-of-duties policy or a mitigating control by its name, in whatever case.
func (w Writer) named(ctx context.Context, kind string, name any) (id string, origin map[string]any, err error) {
	table := "duty"
	switch kind {
	case format.KindSodPolicy:
		table = "separation_policy"
	case format.KindMitigationPolicy:
		table = "mitigating_control"
	}
	err = w.Tx.QueryRow(ctx, `select o.id::text, o.origin from `+table+` o
		where o.tenant_id = current_tenant() and lower(o.name) = lower($1) and o.deleted_at is null for update`,
		name).Scan(&id, &origin)
	return id, origin, err
}

// revive takes up a role again that is out of use: its key is its own for ever, and it gives no one anything by itself.
func (w Writer) revive(ctx context.Context, id string) error {
	const sql = `
		update role
		   set lifecycle = 'active', origin = $2, updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = $1`
	if _, err := w.Tx.Exec(ctx, sql, id, w.originOf("")); err != nil {
		return fmt.Errorf("take up role: %w", err)
	}
	return nil
}

// originOf is what an object says of where it is from.
func (w Writer) originOf(key string) map[string]any {
	return map[string]any{
		"kind":         "sector_pack",
		"pack_id":      w.Key,
		"pack_version": w.Version,
		"object_key":   key,
	}
}
