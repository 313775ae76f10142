package object

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// SetOrigin writes where an object comes from. Its version stays, because it does not change what the object does.
func SetOrigin(ctx context.Context, tx *pg.Tx, kind, id string, origin map[string]any) error {
	var err error
	switch kind {
	case format.KindRole:
		_, err = tx.Exec(ctx, `update role set origin = $2 where tenant_id = current_tenant() and id = $1`, id, origin)
	case format.KindLifecyclePolicy:
		_, err = tx.Exec(ctx, `update lifecycle_policy set origin = $1 where tenant_id = current_tenant()`, origin)
	case format.KindApprovalRule:
		return ruleset.SetOrigin(ctx, tx, id, origin)
	case format.KindDutyTag, format.KindRoleDuty:
		_, err = tx.Exec(ctx, `update duty set origin = $2 where tenant_id = current_tenant() and id = $1`, id, origin)
	case format.KindSodPolicy:
		_, err = tx.Exec(ctx, `update separation_policy set origin = $2 where tenant_id = current_tenant() and id = $1`,
			id, origin)
	case format.KindMitigationPolicy:
		_, err = tx.Exec(
			ctx,
			`update mitigating_control set origin = $2 where tenant_id = current_tenant() and id = $1`,
			id,
			origin,
		)
	default:
		return accesspolicy.SetOrigin(ctx, tx, id, origin)
	}
	if err != nil {
		return fmt.Errorf("write origin: %w", err)
	}
	return nil
}

// Retire takes an object out of use; left: it is gone already. A policy with a grace period is disabled first, so that
// access ends after it, and a role that people still hold is deprecated. Both are gone when no one holds them any
// more, and the caller keeps them as leaving.
func Retire(ctx context.Context, tx *pg.Tx, o installation.Object) (left bool, err error) {
	switch o.Kind {
	case format.KindRole:
		return retireRole(ctx, tx, *o.ID)
	case format.KindLifecyclePolicy:
		return true, usualLifecycle(ctx, tx, o.Applied)
	case format.KindApprovalRule:
		return true, RetireApprovalRule(ctx, tx, *o.ID)
	case format.KindDutyTag, format.KindRoleDuty:
		return true, retireDuty(ctx, tx, *o.ID)
	case format.KindSodPolicy:
		return true, retireSodPolicy(ctx, tx, *o.ID)
	case format.KindMitigationPolicy:
		return true, retireControl(ctx, tx, *o.ID)
	}
	p, err := accesspolicy.Find(ctx, tx, *o.ID)
	if err != nil {
		return false, err
	}
	if p.HolderCount == 0 || p.Lifecycle.OnNoMatch == accesspolicy.EndNow {
		return true, accesspolicy.Retire(ctx, tx, *o.ID)
	}
	p.Enabled = false
	_, err = accesspolicy.Update(ctx, tx, *o.ID, p.Fields)
	return false, err
}

// retireRole retires a role that no one holds. One that is held is deprecated, so that no one gets
// it any more, and left is false.
func retireRole(ctx context.Context, tx *pg.Tx, id string) (left bool, err error) {
	x, err := role.Find(ctx, tx, id)
	switch {
	case err != nil:
		return false, err
	case x.Lifecycle == role.Retired:
		return true, nil
	case x.HolderCount == 0:
		return true, role.Retire(ctx, tx, id, false)
	case x.Lifecycle == role.Active:
		x.Lifecycle = role.Deprecated
		_, err = role.Update(ctx, tx, id, x.RoleFields)
	}
	return false, err
}

// usualLifecycle takes back what a pack wanted of the lifecycle.
func usualLifecycle(ctx context.Context, tx *pg.Tx, applied merge.Fields) error {
	l, err := rules.Find(ctx, tx)
	if err != nil {
		return err
	}
	usual := lifecycleFields(rules.Lifecycle{LeaveAccess: rules.DisableAccess})
	back := merge.Fields{}
	for name := range applied {
		back[name] = usual[name]
	}
	if err := intoLifecycle(back, &l); err != nil {
		return err
	}
	l.Origin = map[string]any{"kind": "manual"}
	if _, err := lifecycle.Put(ctx, tx, l); err != nil {
		return err
	}
	return SetOrigin(ctx, tx, format.KindLifecyclePolicy, "", l.Origin)
}
