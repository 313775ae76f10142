package pack

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// create makes an object, and gives its id.
func (r *run) create(ctx context.Context, kind, key string, f fields) (string, error) {
	switch kind {
	case format.KindRole:
		var of role.RoleFields
		if err := f.into(&of); err != nil {
			return "", err
		}
		made, err := role.Create(ctx, r.tx, role.New{Key: key, Origin: r.originOf(key), RoleFields: of})
		return made.ID, err
	case format.KindLifecyclePolicy:
		return r.tx.Viewer.Tenant, r.update(ctx, kind, "", f)
	case format.KindApprovalRule:
		return createApproval(ctx, r.tx, f, r.originOf(key))
	}
	of := policy.Fields{Enabled: true}
	if err := f.intoPolicy(&of); err != nil {
		return "", err
	}
	made, err := policy.Create(ctx, r.tx, policy.New{Fields: of, Origin: r.originOf(key)})
	return made.ID, err
}

// update makes an object what its fields say; what they do not name stays.
func (r *run) update(ctx context.Context, kind, id string, f fields) error {
	if kind == format.KindLifecyclePolicy {
		l, err := lifecycle.Find(ctx, r.tx)
		if err != nil {
			return err
		}
		if err := f.intoLifecycle(&l); err != nil {
			return err
		}
		l.Origin = r.originOf("default")
		_, err = lifecycle.Put(ctx, r.tx, l)
		return err
	}
	return write(ctx, r.tx, kind, id, f)
}

// write makes a role, a policy or an approval rule what its fields say.
func write(ctx context.Context, tx *pg.Tx, kind, id string, f fields) error {
	if kind == format.KindApprovalRule {
		return updateApproval(ctx, tx, id, f)
	}
	if kind == format.KindRole {
		now, err := role.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := f.into(&now.RoleFields); err != nil {
			return err
		}
		_, err = role.Update(ctx, tx, id, now.RoleFields)
		return err
	}
	now, err := policy.Find(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := f.intoPolicy(&now.Fields); err != nil {
		return err
	}
	_, err = policy.Update(ctx, tx, id, now.Fields)
	return err
}

// into writes the fields over those of something that calls them the same in JSON.
func (f fields) into(to any) error {
	raw, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("write fields: %w", err)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return fmt.Errorf("read fields: %w", err)
	}
	return nil
}

// intoPolicy writes the fields over those of a policy, which has some of them deeper within.
func (f fields) intoPolicy(to *policy.Fields) error {
	if _, ok := f["subject"]; ok {
		to.Subject = nil // a map is read into what it holds already
	}
	for _, part := range []any{to, &to.Resources, &to.Lifecycle} {
		if err := f.into(part); err != nil {
			return err
		}
	}
	return nil
}

func (f fields) intoLifecycle(l *lifecycle.Lifecycle) error {
	for name, v := range f {
		text, _ := v.(string)
		if name == "leave_access" {
			l.LeaveAccess = text
			continue
		}
		d, err := span.Parse(text)
		if v != nil && err != nil {
			return fmt.Errorf("%s: %q is no duration", name, text)
		}
		switch name {
		case "pre_hire_lead":
			l.PreHireLead = d
		case "mover_grace":
			l.MoverGrace = d
		case "delete_after":
			l.DeleteAfter = unless(v == nil, d)
		case "archive_after":
			l.ArchiveAfter = unless(v == nil, d)
		}
	}
	return nil
}

func unless(never bool, d time.Duration) *time.Duration {
	if never {
		return nil
	}
	return &d
}

// origin says of an object which version of the pack it is from.
func (r *run) origin(ctx context.Context, kind, id, key string) error {
	return setOrigin(ctx, r.tx, kind, id, r.originOf(key))
}

func setOrigin(ctx context.Context, tx *pg.Tx, kind, id string, origin map[string]any) error {
	var err error
	switch kind {
	case format.KindRole:
		_, err = tx.Exec(ctx, `update role set origin = $2 where tenant_id = current_tenant() and id = $1`, id, origin)
	case format.KindLifecyclePolicy:
		_, err = tx.Exec(ctx, `update lifecycle_policy set origin = $1 where tenant_id = current_tenant()`, origin)
	case format.KindApprovalRule:
		return ruleset.SetOrigin(ctx, tx, id, origin)
	default:
		return policy.SetOrigin(ctx, tx, id, origin)
	}
	if err != nil {
		return fmt.Errorf("write origin: %w", err)
	}
	return nil
}

// retire takes an object out of use. A policy with a grace is switched off first, so that what it gave ends as it says;
// a role that somebody still holds through it goes when nobody does. left: it is gone already.
func retire(ctx context.Context, tx *pg.Tx, o object) (left bool, err error) {
	switch o.Kind {
	case format.KindRole:
		return retireRole(ctx, tx, *o.ID)
	case format.KindLifecyclePolicy:
		return true, usualLifecycle(ctx, tx, o.Applied)
	case format.KindApprovalRule:
		return true, retireApproval(ctx, tx, *o.ID)
	}
	p, err := policy.Find(ctx, tx, *o.ID)
	if err != nil {
		return false, err
	}
	if p.HolderCount == 0 || p.Lifecycle.OnNoMatch != policy.Grace {
		return true, policy.Retire(ctx, tx, *o.ID)
	}
	p.Enabled = false
	_, err = policy.Update(ctx, tx, *o.ID, p.Fields)
	return false, err
}

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
func usualLifecycle(ctx context.Context, tx *pg.Tx, applied fields) error {
	l, err := lifecycle.Find(ctx, tx)
	if err != nil {
		return err
	}
	usual := lifecycleFields(lifecycle.Lifecycle{LeaveAccess: lifecycle.DisableAccess})
	back := fields{}
	for name := range applied {
		back[name] = usual[name]
	}
	if err := back.intoLifecycle(&l); err != nil {
		return err
	}
	l.Origin = map[string]any{"kind": "manual"}
	if _, err := lifecycle.Put(ctx, tx, l); err != nil {
		return err
	}
	return setOrigin(ctx, tx, format.KindLifecyclePolicy, "", l.Origin)
}
