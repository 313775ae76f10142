package object

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// Writer creates and changes the objects of one installed version of a pack, in one transaction. Key is the pack's:
// every object names it, with Version, as its origin.
type Writer struct {
	Tx           *pg.Tx
	Key, Version string
}

// Create creates an object and gives its id. key is the object's own within the pack.
func (w Writer) Create(ctx context.Context, kind, key string, f merge.Fields) (string, error) {
	switch kind {
	case format.KindRole:
		var of role.RoleFields
		if err := f.Into(&of); err != nil {
			return "", err
		}
		made, err := role.Create(ctx, w.Tx, role.New{Key: key, Origin: w.originOf(key), RoleFields: of})
		return made.ID, err
	case format.KindLifecyclePolicy:
		return w.Tx.Viewer.Tenant, w.Update(ctx, kind, "", f)
	case format.KindApprovalRule:
		return createApprovalRule(ctx, w.Tx, f, w.originOf(key))
	case format.KindDutyTag, format.KindRoleDuty:
		return createDuty(ctx, w.Tx, f, w.originOf(key))
	case format.KindSodPolicy:
		return createSodPolicy(ctx, w.Tx, f, w.originOf(key))
	case format.KindMitigationPolicy:
		return createControl(ctx, w.Tx, f, w.originOf(key))
	}
	of := accesspolicy.Fields{Enabled: true}
	if err := intoPolicy(f, &of); err != nil {
		return "", err
	}
	made, err := accesspolicy.Create(ctx, w.Tx, accesspolicy.New{Fields: of, Origin: w.originOf(key)})
	return made.ID, err
}

// Update gives an object the values of f. Fields that f does not have stay.
func (w Writer) Update(ctx context.Context, kind, id string, f merge.Fields) error {
	if kind == format.KindLifecyclePolicy {
		l, err := rules.Find(ctx, w.Tx)
		if err != nil {
			return err
		}
		if err := intoLifecycle(f, &l); err != nil {
			return err
		}
		l.Origin = w.originOf("default")
		_, err = lifecycle.Put(ctx, w.Tx, l)
		return err
	}
	return write(ctx, w.Tx, kind, id, f)
}

// write makes an object of any kind but the lifecycle what its fields say.
func write(ctx context.Context, tx *pg.Tx, kind, id string, f merge.Fields) error {
	switch kind {
	case format.KindApprovalRule:
		return updateApprovalRule(ctx, tx, id, f)
	case format.KindDutyTag, format.KindRoleDuty:
		return updateDuty(ctx, tx, id, f)
	case format.KindSodPolicy:
		return updateSodPolicy(ctx, tx, id, f)
	case format.KindMitigationPolicy:
		return updateControl(ctx, tx, id, f)
	}
	if kind == format.KindRole {
		now, err := role.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := f.Into(&now.RoleFields); err != nil {
			return err
		}
		_, err = role.Update(ctx, tx, id, now.RoleFields)
		return err
	}
	now, err := accesspolicy.Find(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := intoPolicy(f, &now.Fields); err != nil {
		return err
	}
	_, err = accesspolicy.Update(ctx, tx, id, now.Fields)
	return err
}

// intoPolicy writes the fields over those of a policy, which has some of them deeper within.
func intoPolicy(f merge.Fields, to *accesspolicy.Fields) error {
	if _, ok := f["subject"]; ok {
		to.Subject = nil // a map is read into what it holds already
	}
	if _, ok := f["schedule"]; ok {
		to.Schedule = nil
	}
	if _, ok := f[merge.TableField]; ok {
		to.Table = nil
	}
	for _, part := range []any{to, &to.Resources, &to.Lifecycle, &to.Constraints} {
		if err := f.Into(part); err != nil {
			return err
		}
	}
	_, roles := f["companion_role_ids"]
	if _, entitlements := f["companion_entitlement_ids"]; roles || entitlements {
		to.Companion = &accesspolicy.Companion{
			RoleIDs: f.IDs("companion_role_ids"), EntitlementIDs: f.IDs("companion_entitlement_ids"),
		}
	}
	return nil
}

// intoLifecycle reads the fields into settings. Null is never.
func intoLifecycle(f merge.Fields, l *rules.Lifecycle) error {
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

// unless is nil for never, otherwise the duration.
func unless(never bool, d time.Duration) *time.Duration {
	if never {
		return nil
	}
	return &d
}

// SetOrigin notes of an object which version of the pack it comes from.
func (w Writer) SetOrigin(ctx context.Context, kind, id, key string) error {
	return SetOrigin(ctx, w.Tx, kind, id, w.originOf(key))
}
