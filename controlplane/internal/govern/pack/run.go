package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// PackPlanItem is what becomes of one object.
type PackPlanItem struct {
	Kind      string           `json:"kind"`
	ObjectKey string           `json:"object_key"`
	Name      string           `json:"name"`
	Fields    []string         `json:"fields" nullable:"false" doc:"What is changed, or in conflict."`
	Reason    string           `json:"reason,omitempty" enum:"kind_not_supported_yet,unchanged,already_there,removed_by_tenant,exists_already,changed_by_both,changed_by_tenant,in_use" doc:"Of what is skipped or in conflict: why."`
	Waiting   []PendingBinding `json:"waiting" nullable:"false" doc:"What selectors have not found yet."`
}

// PackPlan is what an installation, an upgrade or an uninstallation does.
type PackPlan struct {
	Add            []PackPlanItem `json:"add" nullable:"false"`
	Change         []PackPlanItem `json:"change" nullable:"false"`
	Remove         []PackPlanItem `json:"remove" nullable:"false"`
	Conflict       []PackPlanItem `json:"conflict" nullable:"false" doc:"The tenant's version stays until the conflict is decided."`
	Skip           []PackPlanItem `json:"skip" nullable:"false"`
	PendingBinding []PackPlanItem `json:"pending_binding" nullable:"false" doc:"Objects that wait for entitlements and are bound by the next sync that finds them. An object that is added can be listed here too."`
}

func newPlan() PackPlan {
	return PackPlan{
		Add:            []PackPlanItem{},
		Change:         []PackPlanItem{},
		Remove:         []PackPlanItem{},
		Conflict:       []PackPlanItem{},
		Skip:           []PackPlanItem{},
		PendingBinding: []PackPlanItem{},
	}
}

// run carries a pack out, object by object.
type run struct {
	tx        *pg.Tx
	install   *installation
	pack      format.Pack
	binder    *binder
	before    map[objectKey]object
	roles     map[string]string // ids by key
	plan      PackPlan
	objects   []object // as they are afterwards
	conflicts []dispute
	gone      []objectKey
}

// carryOut brings the tenant from what it has of the pack to what the pack wants, and keeps that.
func carryOut(ctx context.Context, tx *pg.Tx, i *installation, p format.Pack) (PackPlan, error) {
	before, err := objects(ctx, tx, i.ID)
	if err != nil {
		return PackPlan{}, err
	}
	b, err := newBinder(ctx, tx, selectorsOf(p))
	if err != nil {
		return PackPlan{}, err
	}
	r := &run{tx: tx, install: i, pack: p, binder: b, before: before, roles: map[string]string{}, plan: newPlan()}
	all, err := p.Objects()
	if err != nil {
		return PackPlan{}, err
	}
	wants := map[objectKey]bool{}
	for _, o := range all {
		wants[objectKey{o.Kind, o.Key}] = true
		if err := r.object(ctx, o); err != nil {
			return PackPlan{}, fmt.Errorf("%s %s: %w", o.Kind, o.Key, err)
		}
	}
	if err := r.dropped(ctx, wants); err != nil {
		return PackPlan{}, err
	}
	if err := open(ctx, tx, i.ID, r.conflicts); err != nil {
		return PackPlan{}, err
	}
	if err := removeObjects(ctx, tx, i.ID, r.gone); err != nil {
		return PackPlan{}, err
	}
	return r.plan, saveObjects(ctx, tx, i.ID, r.objects)
}

// object brings one object.
func (r *run) object(ctx context.Context, o format.Object) error {
	row := object{Kind: o.Kind, Key: o.Key, Content: o.Content, State: stateInstalled}
	had, ok := r.before[objectKey{o.Kind, o.Key}]
	item := PackPlanItem{
		Kind:      o.Kind,
		ObjectKey: o.Key,
		Name:      nameOf(o),
		Fields:    []string{},
		Waiting:   []PendingBinding{},
	}
	if !o.Supported {
		item.Reason = notSupported
		row.State, row.Reason = stateSkipped, &item.Reason
		r.plan.Skip = append(r.plan.Skip, item)
		r.objects = append(r.objects, row)
		return nil
	}
	if o.Kind == format.KindDutyTag || o.Kind == format.KindFieldMapping {
		r.data(item, ok, had, row)
		return nil
	}
	w, err := r.want(o)
	if err != nil {
		return err
	}
	row.Applied, row.Pending, item.Waiting = w.fields, w.pending, append(item.Waiting, w.pending...)
	switch {
	case ok && had.Reason != nil && *had.Reason == removedByHand:
		row = had
		row.Content, item.Reason, item.Waiting = o.Content, removedByHand, []PendingBinding{}
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
	if len(row.Pending) > 0 && row.State != stateConflict {
		row.State = statePending
		r.plan.PendingBinding = append(r.plan.PendingBinding, item)
	}
	if o.Kind == format.KindRole && row.given() {
		r.roles[o.Key] = *row.ID
	}
	r.objects = append(r.objects, row)
	return nil
}

// nameOf is what an object is called.
func nameOf(o format.Object) string {
	var named struct {
		Name string `json:"name"`
	}
	_ = json.Unmarshal(o.Content, &named)
	return or(named.Name, o.Key)
}

// data brings what is kept as the pack has it, and nowhere else.
func (r *run) data(item PackPlanItem, ok bool, had, row object) {
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
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && equal(x, y)
}

// want is what the pack wants of an object.
func (r *run) want(o format.Object) (wanted, error) {
	switch o.Kind {
	case format.KindRole:
		for _, x := range r.pack.Roles {
			if x.Key == o.Key {
				return r.binder.wantRole(x)
			}
		}
	case format.KindBirthright, format.KindAccessGrantPolicy:
		of := r.pack.Birthrights
		if o.Kind == format.KindAccessGrantPolicy {
			of = r.pack.AccessGrantPolicies
		}
		for _, x := range of {
			if x.Key == o.Key {
				return r.binder.wantPolicy(x, o.Kind == format.KindBirthright, r.roles)
			}
		}
	case format.KindLifecyclePolicy:
		for _, x := range r.pack.LifecyclePolicies {
			if x.Key == o.Key {
				return wantLifecycle(x), nil
			}
		}
	case format.KindApprovalRule:
		for _, x := range r.pack.ApprovalRules {
			if x.Key == o.Key {
				return wantApproval(x, r.roles)
			}
		}
	}
	return wanted{}, fmt.Errorf("the pack has no such object")
}

// add brings an object that the pack has not brought before.
func (r *run) add(ctx context.Context, item PackPlanItem, row *object) error {
	existing, mine, err := r.existing(ctx, row)
	if err != nil {
		return err
	}
	if existing != "" && !mine {
		return r.meet(ctx, item, row, existing)
	}
	id := existing
	switch {
	case mine:
		if err = r.update(ctx, row.Kind, id, row.Applied); err == nil {
			err = r.origin(ctx, row.Kind, id, row.Key)
		}
	case isPolicy(row.Kind) && !row.Applied.gives(), row.Kind == format.KindApprovalRule && !row.Applied.aims():
		return nil // what gives nothing, or is for nothing, cannot be: it is made when something is bound
	default:
		id, err = r.create(ctx, row.Kind, row.Key, row.Applied)
	}
	if err != nil {
		return err
	}
	row.ID = &id
	r.plan.Add = append(r.plan.Add, item)
	return r.settleApplied(ctx, row)
}

// settleApplied keeps what was written in the form in which it is read.
func (r *run) settleApplied(ctx context.Context, row *object) error {
	now, err := current(ctx, r.tx, row.Kind, []string{*row.ID})
	if err != nil {
		return err
	}
	for name := range row.Applied {
		row.Applied[name] = now[*row.ID][name]
	}
	return nil
}

// meet is about an object that the tenant had before the pack came.
func (r *run) meet(ctx context.Context, item PackPlanItem, row *object, id string) error {
	now, err := current(ctx, r.tx, row.Kind, []string{id})
	if err != nil {
		return err
	}
	row.ID, row.Adopted = &id, true
	item.Fields = differing(now[id], row.Applied)
	if len(item.Fields) == 0 {
		item.Reason = "already_there"
		r.plan.Skip = append(r.plan.Skip, item)
		return nil
	}
	item.Reason, row.State = existsAlready, stateConflict
	row.Reason = &item.Reason
	r.plan.Conflict = append(r.plan.Conflict, item)
	r.conflicts = append(r.conflicts, dispute{objectKey{row.Kind, row.Key}, item.Fields, nil, now[id], row.Applied})
	return nil
}

// change merges an object that the pack has brought before.
func (r *run) change(ctx context.Context, item PackPlanItem, had object, row *object) error {
	row.ID = had.ID
	now, err := current(ctx, r.tx, row.Kind, []string{*had.ID})
	if err != nil {
		return err
	}
	mine, there := now[*had.ID]
	if !there {
		item.Reason = removedByHand
		row.State, row.Reason, row.ID, row.Pending = stateSkipped, &item.Reason, nil, nil
		r.plan.Skip = append(r.plan.Skip, item)
		return nil
	}
	merged, conflicts := merge(had.Applied, mine, row.Applied)
	item.Fields = differing(mine, merged)
	if len(item.Fields) > 0 {
		if err := r.update(ctx, row.Kind, *row.ID, merged); err != nil {
			return err
		}
		r.plan.Change = append(r.plan.Change, item)
	}
	if err := r.origin(ctx, row.Kind, *row.ID, row.Key); err != nil {
		return err
	}
	switch {
	case len(conflicts) > 0:
		item.Fields, item.Reason = conflicts, "changed_by_both"
		row.State = stateConflict
		if had.State == stateConflict {
			row.Reason = had.Reason // nobody has decided yet whether it is the pack's
		}
		r.plan.Conflict = append(r.plan.Conflict, item)
		r.conflicts = append(
			r.conflicts,
			dispute{objectKey{row.Kind, row.Key}, conflicts, had.Applied, mine, row.Applied},
		)
	case len(item.Fields) == 0:
		item.Reason = "unchanged"
		r.plan.Skip = append(r.plan.Skip, item)
	}
	return nil
}

// dropped is about what an earlier version brought and this one has no more.
func (r *run) dropped(ctx context.Context, wants map[objectKey]bool) error {
	var rows []object
	for k, had := range r.before {
		if !wants[k] && had.State != stateLeaving {
			rows = append(rows, had)
		}
	}
	// Policies and approval rules before the roles that they name.
	order := []string{format.KindApprovalRule, format.KindBirthright, format.KindAccessGrantPolicy, format.KindRole}
	slices.SortFunc(rows, func(a, b object) int {
		x, y := slices.Index(order, a.Kind), slices.Index(order, b.Kind)
		if x != y {
			return x - y
		}
		return compareKeys(a, b)
	})
	for _, had := range rows {
		if err := r.drop(ctx, had); err != nil {
			return fmt.Errorf("%s %s: %w", had.Kind, had.Key, err)
		}
	}
	return nil
}

func (r *run) drop(ctx context.Context, had object) error {
	k := objectKey{had.Kind, had.Key}
	item := PackPlanItem{
		Kind:      had.Kind,
		ObjectKey: had.Key,
		Name:      nameOf(format.Object{Key: had.Key, Content: had.Content}),
		Fields:    []string{},
		Waiting:   []PendingBinding{},
	}
	if had.ID == nil || had.Adopted {
		r.gone = append(r.gone, k)
		if had.State != stateSkipped {
			r.plan.Remove = append(r.plan.Remove, item)
		}
		return nil
	}
	now, err := current(ctx, r.tx, had.Kind, []string{*had.ID})
	if err != nil {
		return err
	}
	mine, there := now[*had.ID]
	if there && len(differing(mine, had.Applied)) > 0 {
		item.Reason, item.Fields = "changed_by_tenant", differing(mine, had.Applied)
		r.plan.Conflict = append(r.plan.Conflict, item)
		r.conflicts = append(r.conflicts, dispute{k, item.Fields, had.Applied, mine, nil})
		had.State = stateConflict
		r.objects = append(r.objects, had)
		return nil
	}
	if there && had.Kind == format.KindApprovalRule {
		if used, err := ruleset.InUse(ctx, r.tx, *had.ID); err != nil || used {
			item.Reason = inUse
			r.plan.Skip, r.gone = append(r.plan.Skip, item), append(r.gone, k)
			return errors.Join(err, retireApproval(ctx, r.tx, *had.ID))
		}
	}
	r.plan.Remove = append(r.plan.Remove, item)
	if !there {
		r.gone = append(r.gone, k)
		return nil
	}
	left, err := retire(ctx, r.tx, had)
	if err != nil {
		return err
	}
	if left {
		r.gone = append(r.gone, k)
		return nil
	}
	had.State, had.Pending = stateLeaving, nil
	r.objects = append(r.objects, had)
	return nil
}

func isPolicy(kind string) bool {
	return kind == format.KindBirthright || kind == format.KindAccessGrantPolicy
}

// existing finds an object of the tenant that is what the pack would make. mine: this pack has made it, in an earlier
// installation.
func (r *run) existing(ctx context.Context, row *object) (id string, mine bool, err error) {
	var origin map[string]any
	switch row.Kind {
	case format.KindRole:
		var lifecycle string
		const sql = `select id::text, origin, lifecycle from role where tenant_id = current_tenant() and key = $1
			for update`
		err = r.tx.QueryRow(ctx, sql, row.Key).Scan(&id, &origin, &lifecycle)
		if err == nil && lifecycle == "retired" {
			return id, true, r.revive(ctx, id)
		}
		mine = err == nil && lifecycle == "deprecated" && origin["pack_id"] == r.install.Key
		if mine {
			err = r.revive(ctx, id)
		}
	case format.KindLifecyclePolicy:
		const sql = `select origin from lifecycle_policy where tenant_id = current_tenant() for update`
		err = r.tx.QueryRow(ctx, sql).Scan(&origin)
		if err == nil {
			id, mine = r.tx.Viewer.Tenant, origin["pack_id"] == r.install.Key
		}
	case format.KindApprovalRule:
		id, origin, err = r.existingApproval(ctx, row)
		mine = err == nil && origin["pack_id"] == r.install.Key && origin["object_key"] == row.Key
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("look for what is there: %w", err)
	}
	return id, mine, nil
}

// revive takes up a role again that is out of use: its key is its own for ever, and it gives nobody anything by itself.
func (r *run) revive(ctx context.Context, id string) error {
	const sql = `
		update role
		   set lifecycle = 'active', origin = $2, updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = $1`
	if _, err := r.tx.Exec(ctx, sql, id, r.originOf("")); err != nil {
		return fmt.Errorf("take up role: %w", err)
	}
	return nil
}

// originOf is what an object says of where it is from.
func (r *run) originOf(key string) map[string]any {
	return map[string]any{
		"kind":         "sector_pack",
		"pack_id":      r.install.Key,
		"pack_version": r.install.PackVersion,
		"object_key":   key,
	}
}

func compareKeys(a, b object) int {
	switch {
	case a.Key < b.Key:
		return -1
	case a.Key > b.Key:
		return 1
	}
	return 0
}
