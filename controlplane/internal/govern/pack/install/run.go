package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/desired"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// aims reports whether the fields of an approval rule describe its purpose.
func aims(f merge.Fields) bool { return f["default"] == true || len(f.IDs("role_ids")) > 0 }

// whole reports whether fields say enough for an object to be created, or to stay.
func whole(row *installation.Object, f merge.Fields) (bool, error) {
	if row.Kind == format.KindApprovalRule {
		return aims(f), nil
	}
	if !isPolicy(row.Kind) {
		return true, nil
	}
	var p format.Policy
	if err := json.Unmarshal(row.Content, &p); err != nil {
		return false, fmt.Errorf("read policy: %w", err)
	}
	return desired.Complete(p, f), nil
}

// keepAccess leaves a policy what it assigns and requires, since the new version has found nothing in place of it. It
// is removed when something is found, or by a later version.
func keepAccess(merged, mine merge.Fields, row *installation.Object, had installation.Object) {
	for _, name := range []string{"role_ids", "entitlement_ids", "connector_ids", "companion_role_ids",
		"companion_entitlement_ids", "tags", merge.TableField} {
		if _, has := row.Applied[name]; has {
			merged[name], row.Applied[name] = mine[name], had.Applied[name]
		}
	}
}

// run carries a pack out, object by object.
type run struct {
	object.Writer
	pack   format.Pack
	binder *desired.Resolver
	// before are the objects of the installed version, objects those of the new one.
	before map[installation.ObjectKey]installation.Object
	roles  map[string]string // ids by key
	// named are what separation-of-duties policies name; those of the tenant that are in the place of the pack's too.
	// anyRole are roles likewise.
	named   desired.Named
	anyRole map[string]string
	plan    PackPlan
	objects []installation.Object // as they are afterwards
	// conflicts are written with the installation, and gone are the objects that it no longer has.
	conflicts []installation.Conflict
	gone      []installation.ObjectKey
}

// carryOut brings the tenant from what it has of the pack to what the pack wants, and keeps that.
func carryOut(ctx context.Context, tx *pg.Tx, i *installation.Installation, p format.Pack) (PackPlan, error) {
	before, err := installation.Objects(ctx, tx, i.ID)
	if err != nil {
		return PackPlan{}, err
	}
	b, err := desired.NewResolver(ctx, tx, selectorsOf(p))
	if err != nil {
		return PackPlan{}, err
	}
	r := &run{
		Writer: object.Writer{Tx: tx, Key: i.Key, Version: i.PackVersion},
		pack:   p,
		binder: b,
		before: before,
		roles:  map[string]string{},
		plan:   newPlan(),
		named: desired.Named{
			Tags: map[string]string{}, Roles: map[string]string{}, Controls: map[string]string{},
		},
		anyRole: map[string]string{},
	}
	all, err := p.Objects()
	if err != nil {
		return PackPlan{}, err
	}
	wants := map[installation.ObjectKey]bool{}
	for _, o := range all {
		wants[installation.ObjectKey{Kind: o.Kind, Key: o.Key}] = true
		if err := r.object(ctx, o); err != nil {
			return PackPlan{}, fmt.Errorf("%s %s: %w", o.Kind, o.Key, err)
		}
	}
	if err := r.dropped(ctx, wants); err != nil {
		return PackPlan{}, err
	}
	if err := installation.RecordConflicts(ctx, tx, i.ID, r.conflicts); err != nil {
		return PackPlan{}, err
	}
	if err := installation.RemoveObjects(ctx, tx, i.ID, r.gone); err != nil {
		return PackPlan{}, err
	}
	return r.plan, installation.SaveObjects(ctx, tx, i.ID, r.objects)
}

// object brings one object.
func (r *run) object(ctx context.Context, o format.Object) error {
	row := installation.Object{Kind: o.Kind, Key: o.Key, Content: o.Content, State: installation.StateInstalled}
	had, ok := r.before[installation.ObjectKey{Kind: o.Kind, Key: o.Key}]
	item := PackPlanItem{
		Kind:      o.Kind,
		ObjectKey: o.Key,
		Name:      nameOf(o),
		Fields:    []string{},
		Waiting:   []installation.PendingBinding{},
	}
	if o.Kept != "" {
		item.Reason = o.Kept
		row.State, row.Reason = installation.StateSkipped, &item.Reason
		r.plan.Skip = append(r.plan.Skip, item)
		r.objects = append(r.objects, row)
		return nil
	}
	if o.Kind == format.KindFieldMapping {
		r.data(item, ok, had, row)
		return nil
	}
	w, err := r.want(o)
	if errors.Is(err, errNoDuty) {
		item.Reason = installation.RemovedByHand
		row.State, row.Reason = installation.StateSkipped, &item.Reason
		r.plan.Skip, r.objects = append(r.plan.Skip, item), append(r.objects, row)
		return nil
	}
	if err != nil {
		return err
	}
	row.Applied, row.Pending, item.Waiting = w.Fields, w.Pending, append(item.Waiting, w.Pending...)
	switch {
	case ok && had.Reason != nil && *had.Reason == installation.RemovedByHand:
		row = had
		row.Content, item.Reason, item.Waiting = o.Content, installation.RemovedByHand, []installation.PendingBinding{}
		r.plan.Skip = append(r.plan.Skip, item)
	case ok && had.ID != nil:
		row.Adopted = had.Adopted
		err = r.change(ctx, item, had, &row)
	default:
		err = r.add(ctx, item, &row)
	}
	if err != nil {
		return err
	}
	if len(row.Pending) > 0 && row.State != installation.StateConflict {
		row.State = installation.StatePending
		r.plan.PendingBinding = append(r.plan.PendingBinding, item)
	}
	r.note(row)
	r.objects = append(r.objects, row)
	return nil
}

// note keeps the ID of an object that later ones name.
func (r *run) note(row installation.Object) {
	if row.ID == nil {
		return
	}
	switch row.Kind {
	case format.KindRole:
		r.anyRole[row.Key] = *row.ID
		if row.Given() {
			r.roles[row.Key] = *row.ID
		}
	case format.KindDutyTag:
		r.named.Tags[row.Key] = *row.ID
	case format.KindRoleDuty:
		r.named.Roles[row.Key] = *row.ID
	case format.KindMitigationPolicy:
		r.named.Controls[row.Key] = *row.ID
	}
}

// errNoDuty says that the tenant has removed what a side or duty is about.
var errNoDuty = errors.New("nothing is there for a side or duty")

// separation is what the pack wants of duties, of policies that separate them, and of mitigating controls.
func (r *run) separation(o format.Object) (desired.State, error) {
	switch o.Kind {
	case format.KindDutyTag:
		for _, x := range r.pack.DutyTags {
			if x.Key == o.Key {
				return desired.DutyOfTag(x)
			}
		}
	case format.KindRoleDuty:
		id := r.anyRole[o.Key]
		if id == "" {
			return desired.State{}, errNoDuty
		}
		for _, x := range r.pack.Roles {
			if x.Key == o.Key {
				return desired.DutyOfRole(x, id)
			}
		}
	}
	for _, x := range r.pack.MitigationPolicies {
		if x.Key == o.Key && o.Kind == format.KindMitigationPolicy {
			return desired.Control(x)
		}
	}
	for _, x := range r.pack.SodPolicies {
		if x.Key == o.Key && o.Kind == format.KindSodPolicy {
			w, complete, err := desired.SodPolicy(x, r.named)
			if err == nil && !complete {
				err = errNoDuty
			}
			return w, err
		}
	}
	return desired.State{}, fmt.Errorf("the pack has no such object")
}

// data brings what is kept as the pack has it, and nowhere else.
func (r *run) data(item PackPlanItem, ok bool, had, row installation.Object) {
	switch {
	case !ok:
		r.plan.Add = append(r.plan.Add, item)
	case same(had.Content, row.Content):
		item.Reason = "unchanged"
		r.plan.Skip = append(r.plan.Skip, item)
	default:
		item.Fields = []string{"content"}
		r.plan.Change = append(r.plan.Change, item)
	}
	r.objects = append(r.objects, row)
}

// same reports whether two contents say the same.
func same(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && merge.Equal(x, y)
}

// want is what the pack wants of an object.
func (r *run) want(o format.Object) (desired.State, error) {
	switch o.Kind {
	case format.KindRole:
		for _, x := range r.pack.Roles {
			if x.Key == o.Key {
				return r.binder.Role(x)
			}
		}
	case format.KindBirthright, format.KindAccessGrantPolicy:
		of := r.pack.Birthrights
		if o.Kind == format.KindAccessGrantPolicy {
			of = r.pack.AccessGrantPolicies
		}
		for _, x := range of {
			if x.Key == o.Key {
				return r.binder.Policy(x, o.Kind == format.KindBirthright, r.roles)
			}
		}
	case format.KindDutyTag, format.KindRoleDuty, format.KindSodPolicy, format.KindMitigationPolicy:
		return r.separation(o)
	case format.KindLifecyclePolicy:
		for _, x := range r.pack.LifecyclePolicies {
			if x.Key == o.Key {
				return desired.Lifecycle(x), nil
			}
		}
	case format.KindApprovalRule:
		for _, x := range r.pack.ApprovalRules {
			if x.Key == o.Key {
				return desired.ApprovalRule(x, r.roles)
			}
		}
	}
	return desired.State{}, fmt.Errorf("the pack has no such object")
}

// add brings an object that the pack has not brought before.
func (r *run) add(ctx context.Context, item PackPlanItem, row *installation.Object) error {
	existing, mine, err := r.Existing(ctx, row.Kind, row.Key, row.Applied)
	if err != nil {
		return err
	}
	if existing != "" && !mine {
		return r.meet(ctx, item, row, existing)
	}
	ready, err := whole(row, row.Applied)
	if err != nil {
		return err
	}
	id := existing
	switch {
	case mine:
		if err = r.Update(ctx, row.Kind, id, row.Applied); err == nil {
			err = r.SetOrigin(ctx, row.Kind, id, row.Key)
		}
	case !ready:
		return nil // what gives nothing, or is for nothing, cannot be: it is made when something is bound
	default:
		id, err = r.Create(ctx, row.Kind, row.Key, row.Applied)
	}
	if err != nil {
		return err
	}
	row.ID = &id
	r.plan.Add = append(r.plan.Add, item)
	return r.ReadBack(ctx, row.Kind, id, row.Applied)
}

// meet is about an object that the tenant had before the pack came.
func (r *run) meet(ctx context.Context, item PackPlanItem, row *installation.Object, id string) error {
	now, err := object.Current(ctx, r.Tx, row.Kind, []string{id})
	if err != nil {
		return err
	}
	row.ID, row.Adopted = &id, true
	item.Fields = merge.Differing(now[id], row.Applied)
	if len(item.Fields) == 0 {
		item.Reason = "already_there"
		r.plan.Skip = append(r.plan.Skip, item)
		return nil
	}
	item.Reason, row.State = installation.ExistsAlready, installation.StateConflict
	row.Reason = &item.Reason
	r.plan.Conflict = append(r.plan.Conflict, item)
	r.conflicts = append(
		r.conflicts,
		installation.Conflict{
			ObjectKey: installation.ObjectKey{Kind: row.Kind, Key: row.Key},
			Names:     item.Fields,
			Mine:      now[id],
			Theirs:    row.Applied,
		},
	)
	return nil
}

// change merges an object that the pack has brought before.
func (r *run) change(ctx context.Context, item PackPlanItem, had installation.Object, row *installation.Object) error {
	row.ID = had.ID
	now, err := object.Current(ctx, r.Tx, row.Kind, []string{*had.ID})
	if err != nil {
		return err
	}
	mine, there := now[*had.ID]
	if !there {
		item.Reason = installation.RemovedByHand
		row.State, row.Reason, row.ID, row.Pending = installation.StateSkipped, &item.Reason, nil, nil
		r.plan.Skip = append(r.plan.Skip, item)
		return nil
	}
	merged, conflicts := merge.ThreeWay(had.Applied, mine, row.Applied)
	if isPolicy(row.Kind) {
		ready, err := whole(row, merged)
		if err != nil {
			return err
		}
		if !ready {
			keepAccess(merged, mine, row, had)
		}
	}
	item.Fields = merge.Differing(mine, merged)
	if len(item.Fields) > 0 {
		if err := r.Update(ctx, row.Kind, *row.ID, merged); err != nil {
			return err
		}
		r.plan.Change = append(r.plan.Change, item)
	}
	if err := r.SetOrigin(ctx, row.Kind, *row.ID, row.Key); err != nil {
		return err
	}
	switch {
	case len(conflicts) > 0:
		item.Fields, item.Reason = conflicts, "changed_by_both"
		row.State = installation.StateConflict
		if had.State == installation.StateConflict {
			row.Reason = had.Reason // it is not decided yet whether it is the pack's
		}
		r.plan.Conflict = append(r.plan.Conflict, item)
		r.conflicts = append(
			r.conflicts,
			installation.Conflict{
				ObjectKey: installation.ObjectKey{Kind: row.Kind, Key: row.Key},
				Names:     conflicts,
				Base:      had.Applied,
				Mine:      mine,
				Theirs:    row.Applied,
			},
		)
	case len(item.Fields) == 0:
		item.Reason = "unchanged"
		r.plan.Skip = append(r.plan.Skip, item)
	}
	return nil
}

// isPolicy says whether objects of a kind are access policies.
func isPolicy(kind string) bool {
	return kind == format.KindBirthright || kind == format.KindAccessGrantPolicy
}

// selectorsOf are all selectors of a pack.
func selectorsOf(p format.Pack) (all []format.Selector) {
	for _, r := range p.Roles {
		for _, g := range r.Entitlements {
			all = append(all, g.Select)
		}
	}
	for _, policy := range slices.Concat(p.Birthrights, p.AccessGrantPolicies) {
		for _, g := range policy.Grants() {
			if g.Select != nil {
				all = append(all, *g.Select)
			}
		}
	}
	return all
}
