package binding

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/desired"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Bind binds what the installation with this id waits for: selectors that find something by now, policies that have
// something to give by now, and roles that nobody holds any more. The caller holds installation.Lock. It records the
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
	for _, kind := range []string{format.KindRole, format.KindBirthright, format.KindAccessGrantPolicy,
		format.KindApprovalRule} {
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
	binder  *desired.Resolver
	roles   map[string]string     // ids of the pack's roles by their keys
	objects []installation.Object // those that have changed
	gone    []installation.ObjectKey
	bound   []string // what has found something
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
	more := merge.Fields{"entitlement_ids": []any{}, "role_ids": []any{}, "connector_ids": []any{}}
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
		for _, id := range ids {
			more[name] = append(more[name].([]any), id)
		}
	}
	if !changed {
		return nil
	}
	added := len(more.IDs("entitlement_ids")) + len(more.IDs("role_ids")) + len(more.IDs("connector_ids"))
	o.Pending = still
	if added > 0 {
		if err := w.grow(ctx, &o, more); err != nil {
			return err
		}
	}
	if o.Reason != nil {
		w.objects = append(w.objects, o)
		return nil
	}
	if o.State = installation.StateInstalled; len(still) > 0 {
		o.State = installation.StatePending
	}
	w.objects = append(w.objects, o)
	return nil
}

// find looks for one thing that waits.
func (w *waiting) find(p installation.PendingBinding) (name string, ids []string, waits *installation.PendingBinding) {
	switch {
	case p.Role != "":
		if id, ok := w.roles[p.Role]; ok {
			return "role_ids", []string{id}, nil
		}
		return "", nil, &p
	case p.Select != nil:
		ids, waits = w.binder.Entitlements(desired.SelectorFrom(*p.Select))
		return "entitlement_ids", ids, waits
	case p.Account != nil:
		ids, waits = w.binder.Accounts(format.Connectors(*p.Account))
		return "connector_ids", ids, waits
	}
	return "", nil, &p
}

// grow gives an object what was found, or makes it.
func (w *waiting) grow(ctx context.Context, o *installation.Object, more merge.Fields) error {
	applied := merge.Fields{}
	for name, v := range o.Applied {
		applied[name] = v
	}
	for _, name := range merge.SetFields {
		if _, has := applied[name]; has {
			applied[name] = merge.Sets(nil, o.Applied.IDs(name), more.IDs(name))
		}
	}
	applied.Sort()
	w.bound = append(w.bound, o.Kind+" "+o.Key)
	if o.ID == nil {
		id, err := w.Create(ctx, o.Kind, o.Key, applied)
		if err != nil {
			return err
		}
		o.ID, o.Applied = &id, applied
		return w.ReadBack(ctx, o.Kind, id, applied)
	}
	now, err := object.Current(ctx, w.Tx, o.Kind, []string{*o.ID})
	if err != nil {
		return err
	}
	mine, there := now[*o.ID]
	if !there {
		reason := installation.RemovedByHand
		o.State, o.Reason, o.ID, o.Pending = installation.StateSkipped, &reason, nil, nil
		return nil
	}
	merged, _ := merge.ThreeWay(o.Applied, mine, applied)
	if len(merge.Differing(mine, merged)) > 0 {
		err = w.Update(ctx, o.Kind, *o.ID, merged)
	}
	o.Applied = applied
	return err
}

// leave takes away what was out of use and nobody holds any more.
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
