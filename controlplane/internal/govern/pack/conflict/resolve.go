package conflict

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/object"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// resolve decides a conflict.
func (s *Service) resolve(
	ctx context.Context,
	v viewer.Viewer,
	id, use string,
	merged map[string]any,
	match func(version int) error,
) (out installation.PackConflict, err error) {
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		out, err = s.Resolve(ctx, tx, id, use, merged, match)
		return err
	})
	return out, err
}

// Resolve decides a conflict within a transaction, whose plans should be those of pg.DB.AsBulk. use is mine, theirs or
// merged.
func (s *Service) Resolve(
	ctx context.Context,
	tx *pg.Tx,
	id, use string,
	merged map[string]any,
	match func(version int) error,
) (installation.PackConflict, error) {
	if err := installation.Lock(ctx, tx); err != nil {
		return installation.PackConflict{}, err
	}
	c, err := find(ctx, tx, id)
	if err != nil {
		return c, err
	}
	if err := match(c.Version); err != nil {
		return c, err
	}
	if c.State != "open" {
		return c, fault.Coded(
			fault.Conflict,
			"already_resolved",
			"The conflict is %s and cannot be resolved again.",
			c.State,
		)
	}
	if err := decide(ctx, tx, c, use, merged); err != nil {
		return c, err
	}
	const sql = `
		update sector_pack_conflict
		   set state = 'resolved', resolution = $2, resolved_by = $3, resolved_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = $1`
	if err := pg.Exec(ctx, tx, "resolve conflict", sql, id, use, installation.Actor(tx)); err != nil {
		return c, err
	}
	err = audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "sector_pack.conflict_resolved",
			Subject: audit.Subject{Type: "sector_pack", ID: c.Object, Display: c.PackKey},
			Context: map[string]any{
				"conflict":   id,
				"kind":       c.Kind,
				"object_key": c.ObjectKey,
				"use":        use,
				"fields":     c.Fields,
			},
		},
	)
	if err != nil {
		return c, err
	}
	if err := s.Bind(ctx, tx, c.Object); err != nil {
		return c, err
	}
	return find(ctx, tx, id)
}

// decide makes the object what was decided.
func decide(ctx context.Context, tx *pg.Tx, c installation.PackConflict, use string, merged map[string]any) error {
	i, err := installation.FindByID(ctx, tx, c.Object)
	if err != nil {
		return err
	}
	all, err := installation.Objects(ctx, tx, c.Object)
	if err != nil {
		return err
	}
	o, ok := all[installation.ObjectKey{Kind: c.Kind, Key: c.ObjectKey}]
	if !ok || o.ID == nil {
		return fault.Coded(
			fault.Conflict,
			"already_resolved",
			"The object of the conflict no longer exists.",
		)
	}
	if c.Theirs == nil {
		return decideDropped(ctx, tx, c, o, use)
	}
	take, err := takenFields(c, use, merged)
	if err != nil {
		return err
	}
	if len(take) > 0 {
		w := object.Writer{Tx: tx, Key: i.Key, Version: i.PackVersion}
		if err := update(ctx, w, c.Kind, *o.ID, take); err != nil {
			return err
		}
		if !o.Adopted || use == "theirs" {
			if err := w.SetOrigin(ctx, c.Kind, *o.ID, c.ObjectKey); err != nil {
				return err
			}
		}
	}
	o.State = installation.StateInstalled
	if len(o.Pending) > 0 {
		o.State = installation.StatePending
	}
	return installation.SaveObjects(ctx, tx, c.Object, []installation.Object{o})
}

// update writes the fields. It refuses contents of a role that violate an enforced separation-of-duties policy.
func update(ctx context.Context, w object.Writer, kind, id string, take merge.Fields) error {
	if kind != format.KindRole {
		return w.Update(ctx, kind, id, take)
	}
	before, err := check.RoleConflicts(ctx, w.Tx, []string{id}, time.Now())
	if err != nil {
		return err
	}
	if err := w.Update(ctx, kind, id, take); err != nil {
		return err
	}
	after, err := check.RoleConflicts(ctx, w.Tx, []string{id}, time.Now())
	if err != nil {
		return err
	}
	return check.RefuseRoles(check.Fresh(before, after))
}

// takenFields are the fields that are written.
func takenFields(c installation.PackConflict, use string, merged map[string]any) (merge.Fields, error) {
	take := merge.Fields{}
	switch use {
	case "theirs":
		for _, name := range c.Fields {
			take[name] = c.Theirs[name]
		}
	case "merged":
		if len(merged) == 0 {
			return nil, fault.New(fault.Invalid, "set the fields in conflict").
				With(fault.Field{Pointer: "#/merged", Code: "required", Detail: "name some of fields"})
		}
		for name, v := range merged {
			if _, known := c.Theirs[name]; !known {
				return nil, fault.New(fault.Invalid, "the object has no field %q", name).
					With(fault.Field{Pointer: "#/merged/" + name, Code: "unknown_field", Detail: "name some of fields"})
			}
			take[name] = v
		}
	}
	return take, nil
}

// decideDropped is about an object that the new version has no more, and the tenant has changed.
func decideDropped(
	ctx context.Context,
	tx *pg.Tx,
	c installation.PackConflict,
	o installation.Object,
	use string,
) error {
	switch use {
	case "merged":
		return fault.New(fault.Invalid, "The new version does not contain the object. Choose mine to keep it, or "+
			"theirs to remove it.").
			With(fault.Field{Pointer: "#/use", Code: "invalid", Detail: "mine or theirs"})
	case "mine":
		if err := object.SetOrigin(ctx, tx, o.Kind, *o.ID, map[string]any{"kind": "manual"}); err != nil {
			return err
		}
		return installation.RemoveObjects(ctx, tx, c.Object, []installation.ObjectKey{{Kind: o.Kind, Key: o.Key}})
	}
	left, err := object.Retire(ctx, tx, o)
	if err != nil {
		return err
	}
	if left {
		return installation.RemoveObjects(ctx, tx, c.Object, []installation.ObjectKey{{Kind: o.Kind, Key: o.Key}})
	}
	o.State, o.Pending = installation.StateLeaving, nil
	return installation.SaveObjects(ctx, tx, c.Object, []installation.Object{o})
}
