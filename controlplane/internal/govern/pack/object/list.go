package object

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// InstalledObject is an object that a pack has brought.
type InstalledObject struct {
	// Kind of the object, such as role, birthright, access_grant_policy, approval_rule or field_mapping.
	Kind string `json:"kind"`
	// Key of the object, unique within its kind in the sector pack.
	ObjectKey string `json:"object_key"`
	// Of the role or policy; null where there is none: data of the pack, or not made yet.
	ID *string `json:"object_id"`
	// State of the object. pending_binding: it waits for entitlements or connectors; leaving: it is removed when its
	// access has ended.
	State string `json:"state" enum:"installed,pending_binding,conflict,skipped,leaving"`
	// Of one that is skipped.
	Reason *string `json:"reason"`
	// It is as the pack wanted it.
	Pristine bool `json:"pristine"`
	// The fields that the tenant has changed.
	Changed []string `json:"changed" nullable:"false"`
	// The tenant had it before the pack came.
	Adopted bool `json:"adopted"`
	// What waits for something to bind to.
	Pending []installation.PendingBinding `json:"pending" nullable:"false"`
	// As the pack has it, with the parameters in their places.
	Content any `json:"content"`
}

// listed is a page of the objects of an installation.
func listed(
	ctx context.Context,
	tx *pg.Tx,
	installationID string,
	f ObjectFilters,
	p pg.Page,
) (items []InstalledObject, total int64, err error) {
	const from = ` from sector_pack_object where tenant_id = current_tenant() and installation_id = @installation
		and (@kind = '' or kind = @kind) and (@state = '' or state = @state)`
	args := pgx.NamedArgs{
		"installation": installationID,
		"kind":         f.Kind,
		"state":        f.State,
		"rows":         p.Limit + 1,
		"skipped":      p.Offset,
		"after_kind":   "",
		"after_key":    "",
	}
	if err := tx.QueryRow(ctx, `select count(*)`+from, args).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count objects of installation: %w", err)
	}
	if len(p.After) == 2 {
		args["after_kind"], args["after_key"] = p.After[0], p.After[1]
	}
	const order = ` and (kind collate "C", object_key collate "C") > (@after_kind, @after_key)
		order by kind collate "C", object_key collate "C" limit @rows offset @skipped`
	all, err := pg.All[installation.Object](
		ctx,
		tx,
		"list objects of installation",
		`select `+installation.ObjectColumns+from+order,
		args,
	)
	if err != nil {
		return nil, 0, err
	}
	ids := map[string][]string{}
	for _, o := range all {
		if o.ID != nil {
			ids[o.Kind] = append(ids[o.Kind], *o.ID)
		}
	}
	now := map[string]map[string]merge.Fields{}
	for kind, of := range ids {
		if now[kind], err = Current(ctx, tx, kind, of); err != nil {
			return nil, 0, err
		}
	}
	for _, o := range all {
		items = append(items, shownObject(o, now[o.Kind]))
	}
	return items, total, nil
}

// shownObject is an object as the API shows it. now are the present fields of objects, by ID: an
// object that is not among them was removed by the tenant.
func shownObject(o installation.Object, now map[string]merge.Fields) InstalledObject {
	out := InstalledObject{
		Kind:      o.Kind,
		ObjectKey: o.Key,
		ID:        o.ID,
		State:     o.State,
		Reason:    o.Reason,
		Pristine:  o.Reason == nil || *o.Reason != installation.RemovedByHand,
		Changed:   []string{},
		Adopted:   o.Adopted,
		Pending:   installation.NotNull(o.Pending),
		Content:   o.Content,
	}
	if o.ID == nil {
		return out
	}
	if is, there := now[*o.ID]; there {
		out.Changed = append(out.Changed, merge.Differing(is, o.Applied)...)
	} else {
		out.Changed = append(out.Changed, "removed")
	}
	out.Pristine = len(out.Changed) == 0
	return out
}
