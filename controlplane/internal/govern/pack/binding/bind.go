package binding

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/desired"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/object"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// Bind binds what the installation with this id waits for: selectors that find something by now, policies that have
// something to give by now, and roles that no one holds any more. The caller holds installation.Lock. It records the
// audit event sector_pack.bound if anything was bound.
func Bind(ctx context.Context, tx *pg.Tx, id string) error {
	i, err := installation.FindByID(ctx, tx, id)
	if err != nil {
		return err
	}
	all, err := installation.Objects(ctx, tx, id)
	if err != nil {
		return err
	}
	b, err := desired.NewResolver(ctx, tx, selectorsWaiting(all))
	if err != nil {
		return err
	}
	w := &waiting{
		Writer: object.Writer{Tx: tx, Key: i.Key, Version: i.PackVersion},
		binder: b,
		roles:  map[string]string{},
	}
	if w.controls, err = w.controlsWanted(ctx, all); err != nil {
		return err
	}
	for _, kind := range []string{format.KindRole, format.KindBirthright, format.KindAccessGrantPolicy,
		format.KindSodPolicy, format.KindApprovalRule} {
		for k, o := range all {
			if k.Kind != kind {
				continue
			}
			if kind == format.KindRole && o.Given() {
				w.roles[k.Key] = *o.ID
			}
			if err := w.look(ctx, o); err != nil {
				return fmt.Errorf("%s %s: %w", o.Kind, o.Key, err)
			}
		}
	}
	if err := w.leave(ctx, all); err != nil {
		return err
	}
	if err := installation.RemoveObjects(ctx, tx, id, w.gone); err != nil {
		return err
	}
	if err := installation.SaveObjects(ctx, tx, id, w.objects); err != nil {
		return err
	}
	if len(w.bound) == 0 {
		return nil
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "sector_pack.bound", Subject: i.Subject(), Context: map[string]any{"objects": w.bound}},
	)
}

// waiting is a look at what waits.
type waiting struct {
	object.Writer
	binder *desired.Resolver
	roles  map[string]string // ids of the pack's roles by their keys
	// controls are the IDs of mitigating controls that policies wait for, by the keys of the pack.
	controls map[string]string
	objects  []installation.Object // those that have changed
	gone     []installation.ObjectKey
	bound    []string // what has found something
}

// selectorsWaiting are the selectors of an installation that have found nothing so far.
func selectorsWaiting(all map[installation.ObjectKey]installation.Object) (out []format.Selector) {
	for _, o := range all {
		for _, p := range o.Pending {
			if p.Select != nil {
				out = append(out, desired.SelectorFrom(*p.Select))
			}
		}
	}
	return out
}

// look binds what of an object can be bound.
func (w *waiting) look(ctx context.Context, o installation.Object) error {
	if len(o.Pending) == 0 || o.State == installation.StateLeaving || o.State == installation.StateConflict {
		return nil
	}
	more, rows := merge.Fields{}, map[int]desired.Row{}
	still := []installation.PendingBinding{}
	changed := false
	for _, p := range o.Pending {
		name, ids, waits := w.find(p)
		if waits != nil {
			changed = changed || waits.Reason != p.Reason
			still = append(still, *waits)
			continue
		}
		changed = true
		if p.Row > 0 {
			rows[p.Row] = extended(rows[p.Row], name, ids)
			continue
		}
		if p.Required {
			name = "companion_" + name
		}
		list, _ := more[name].([]any)
		for _, id := range ids {
			list = append(list, id)
		}
		more[name] = list
	}
	if !changed {
		return nil
	}
	waited := o.Pending
	o.Pending = still
	if len(more)+len(rows) > 0 {
		held, err := w.grow(ctx, &o, more, rows)
		if err != nil {
			return err
		}
		if held {
			o.Pending = heldOf(waited, still)
			w.objects = append(w.objects, o)
			return nil
		}
	}
	if o.Reason != nil {
		w.objects = append(w.objects, o)
		return nil
	}
	if o.State = installation.StateInstalled; len(o.Pending) > 0 {
		o.State = installation.StatePending
	}
	w.objects = append(w.objects, o)
	return nil
}

// extended is a row of a decision table with more roles or entitlements.
func extended(r desired.Row, name string, ids []string) desired.Row {
	if name == "role_ids" {
		r.Roles = append(r.Roles, ids...)
	} else {
		r.Entitlements = append(r.Entitlements, ids...)
	}
	return r
}

// find looks for one thing that waits.
func (w *waiting) find(p installation.PendingBinding) (name string, ids []string, waits *installation.PendingBinding) {
	switch {
	case p.Role != "":
		if id, ok := w.roles[p.Role]; ok {
			return "role_ids", []string{id}, nil
		}
		return "", nil, &p
	case p.Mitigation != "":
		if id, ok := w.controls[p.Mitigation]; ok {
			return "mitigation_policy_ids", []string{id}, nil
		}
		return "", nil, &p
	case p.Select != nil:
		ids, waits = w.binder.Entitlements(desired.SelectorFrom(*p.Select))
		return "entitlement_ids", ids, as(waits, p)
	case p.Account != nil:
		ids, waits = w.binder.Accounts(format.Connectors(*p.Account))
		return "connector_ids", ids, as(waits, p)
	}
	return "", nil, &p
}

// as is what still waits, at the place where it waited before.
func as(waits *installation.PendingBinding, before installation.PendingBinding) *installation.PendingBinding {
	if waits != nil {
		waits.Required, waits.Row = before.Required, before.Row
	}
	return waits
}

// controlsWanted finds the mitigating controls that policies wait for, by the names that the pack gives them.
func (w *waiting) controlsWanted(
	ctx context.Context,
	all map[installation.ObjectKey]installation.Object,
) (map[string]string, error) {
	found := map[string]string{}
	for _, o := range all {
		for _, p := range o.Pending {
			if p.Mitigation == "" || found[p.Mitigation] != "" {
				continue
			}
			var m format.Mitigation
			of, there := all[installation.ObjectKey{Kind: format.KindMitigationPolicy, Key: p.Mitigation}]
			if !there {
				continue
			}
			if err := json.Unmarshal(of.Content, &m); err != nil {
				return nil, fmt.Errorf("read mitigating control %s: %w", p.Mitigation, err)
			}
			id, _, err := w.Existing(ctx, format.KindMitigationPolicy, p.Mitigation, merge.Fields{"name": m.Name})
			if err != nil {
				return nil, err
			}
			if id != "" {
				found[p.Mitigation] = id
			}
		}
	}
	return found, nil
}

// heldOf is what waits of an object that must not get what was found.
func heldOf(waited, still []installation.PendingBinding) []installation.PendingBinding {
	held := slices.Clone(still)
	for _, p := range waited {
		same := func(s installation.PendingBinding) bool {
			return s.Select != nil && p.Select != nil && *s.Select == *p.Select
		}
		if !slices.ContainsFunc(still, same) {
			p.Reason = "separation_of_duties"
			held = append(held, p)
		}
	}
	return held
}

// conflicts reports whether a role would violate an enforced separation-of-duties policy with what it is about to get,
// alone or in a role that contains it.
func (w *waiting) conflicts(ctx context.Context, id string, mine, merged merge.Fields) (bool, error) {
	r, err := role.Find(ctx, w.Tx, id)
	if err != nil || r.Lifecycle != role.Active && r.Lifecycle != role.Deprecated {
		return false, err
	}
	had, has := mine.IDs("entitlement_ids"), merged.IDs("entitlement_ids")
	added := slices.DeleteFunc(slices.Clone(has), func(e string) bool { return slices.Contains(had, e) })
	if err = check.Role(ctx, w.Tx, r.Name, has, r.ChildRoleIDs, time.Now()); err == nil {
		err = check.RolesAround(ctx, w.Tx, id, r.Name, added, nil, nil, time.Now())
	}
	if fault.IsCode(err, "separation_of_duties") {
		return true, nil
	}
	return false, err
}

// grow gives an object what was found, or makes it. held: it is a role, and must not get it.
func (w *waiting) grow(
	ctx context.Context,
	o *installation.Object,
	more merge.Fields,
	rows map[int]desired.Row,
) (held bool, err error) {
	applied := merge.Fields{}
	for name, v := range o.Applied {
		applied[name] = v
	}
	for _, name := range merge.SetFields {
		if _, has := applied[name]; has {
			applied[name] = merge.Sets(nil, o.Applied.IDs(name), more.IDs(name))
		}
	}
	ready := true
	if o.Kind == format.KindBirthright || o.Kind == format.KindAccessGrantPolicy {
		var p format.Policy
		if err := json.Unmarshal(o.Content, &p); err != nil {
			return false, fmt.Errorf("read policy: %w", err)
		}
		if len(rows) > 0 {
			applied[merge.TableField], o.Pending = desired.TableAgain(p, o.Applied[merge.TableField], rows, o.Pending)
			if applied, err = applied.Normal(); err != nil {
				return false, err
			}
		}
		ready = desired.Complete(p, applied)
	}
	applied.Sort()
	name := o.Kind + " " + o.Key
	if o.ID == nil && !ready {
		o.Applied = applied
		return false, nil
	}
	if o.ID == nil {
		w.bound = append(w.bound, name)
		id, err := w.Create(ctx, o.Kind, o.Key, applied)
		if err != nil {
			return false, err
		}
		o.ID, o.Applied = &id, applied
		return false, w.ReadBack(ctx, o.Kind, id, applied)
	}
	now, err := object.Current(ctx, w.Tx, o.Kind, []string{*o.ID})
	if err != nil {
		return false, err
	}
	mine, there := now[*o.ID]
	if !there {
		reason := installation.RemovedByHand
		o.State, o.Reason, o.ID, o.Pending = installation.StateSkipped, &reason, nil, nil
		return false, nil
	}
	merged, _ := merge.ThreeWay(o.Applied, mine, applied)
	if o.Kind == format.KindRole {
		if held, err = w.conflicts(ctx, *o.ID, mine, merged); err != nil || held {
			return held, err
		}
	}
	w.bound = append(w.bound, name)
	if len(merge.Differing(mine, merged)) > 0 {
		err = w.Update(ctx, o.Kind, *o.ID, merged)
	}
	o.Applied = applied
	return false, err
}

// leave takes away what was out of use and no one holds any more.
func (w *waiting) leave(ctx context.Context, all map[installation.ObjectKey]installation.Object) error {
	for _, kind := range []string{format.KindBirthright, format.KindAccessGrantPolicy, format.KindRole} {
		for k, o := range all {
			if k.Kind != kind || o.State != installation.StateLeaving {
				continue
			}
			left, err := object.Retire(ctx, w.Tx, o)
			if fault.Is(err, fault.NotFound) {
				left, err = true, nil
			}
			if err != nil {
				return err
			}
			if left {
				w.gone = append(w.gone, k)
			}
		}
	}
	return nil
}
