package pack

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// InstalledObject is an object that a pack has brought.
type InstalledObject struct {
	Kind      string           `json:"kind"`
	ObjectKey string           `json:"object_key"`
	ID        *string          `json:"object_id" doc:"Of the role or policy; null where there is none: data of the pack, or not made yet."`
	State     string           `json:"state" enum:"installed,pending_binding,conflict,skipped,leaving"`
	Reason    *string          `json:"reason" doc:"Of one that is skipped."`
	Pristine  bool             `json:"pristine" doc:"It is as the pack wanted it."`
	Changed   []string         `json:"changed" nullable:"false" doc:"The fields that the tenant has changed."`
	Adopted   bool             `json:"adopted" doc:"The tenant had it before the pack came."`
	Pending   []PendingBinding `json:"pending" nullable:"false" doc:"What waits for something to bind to."`
	Content   any              `json:"content" doc:"As the pack has it, with the parameters in their places."`
}

// listed is a page of the objects of an installation.
func listed(
	ctx context.Context,
	tx *pg.Tx,
	installation string,
	f ObjectFilters,
	p pg.Page,
) (items []InstalledObject, total int64, err error) {
	const from = ` from sector_pack_object where tenant_id = current_tenant() and installation_id = @installation
		and (@kind = '' or kind = @kind) and (@state = '' or state = @state)`
	args := pgx.NamedArgs{
		"installation": installation,
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
	rows, err := tx.Query(ctx, `select `+objectColumns+from+order, args)
	if err != nil {
		return nil, 0, fmt.Errorf("list objects of installation: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[object])
	if err != nil {
		return nil, 0, fmt.Errorf("list objects of installation: %w", err)
	}
	ids := map[string][]string{}
	for _, o := range all {
		if o.ID != nil {
			ids[o.Kind] = append(ids[o.Kind], *o.ID)
		}
	}
	now := map[string]map[string]fields{}
	for kind, of := range ids {
		if now[kind], err = current(ctx, tx, kind, of); err != nil {
			return nil, 0, err
		}
	}
	for _, o := range all {
		items = append(items, o.shown(now[o.Kind]))
	}
	return items, total, nil
}

func (o object) shown(now map[string]fields) InstalledObject {
	out := InstalledObject{
		Kind:      o.Kind,
		ObjectKey: o.Key,
		ID:        o.ID,
		State:     o.State,
		Reason:    o.Reason,
		Pristine:  o.Reason == nil || *o.Reason != removedByHand,
		Changed:   []string{},
		Adopted:   o.Adopted,
		Pending:   filled(o.Pending),
		Content:   o.Content,
	}
	if o.ID == nil {
		return out
	}
	if is, there := now[*o.ID]; there {
		out.Changed = append(out.Changed, differing(is, o.Applied)...)
	} else {
		out.Changed = append(out.Changed, "removed")
	}
	out.Pristine = len(out.Changed) == 0
	return out
}

// conflicts are a page of those of an installation, the oldest first.
func conflicts(
	ctx context.Context,
	tx *pg.Tx,
	installation, state string,
	p pg.Page,
) (items []PackConflict, total int64, err error) {
	const from = `
		  from sector_pack_conflict c
		  join sector_pack_installation i
		    on i.tenant_id = c.tenant_id
		   and i.id = c.installation_id
		 where c.tenant_id = current_tenant()
		   and c.installation_id = @installation
		   and (@state = '' or c.state = @state)`
	args := pgx.NamedArgs{
		"installation": installation,
		"state":        state,
		"rows":         p.Limit + 1,
		"skipped":      p.Offset,
		"after":        nil,
	}
	if err := tx.QueryRow(ctx, `select count(*)`+from, args).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count conflicts: %w", err)
	}
	if len(p.After) > 0 {
		args["after"] = p.After[0]
	}
	rows, err := tx.Query(
		ctx,
		`select `+conflictColumns+from+` and (@after::uuid is null or c.id > @after::uuid) order by c.id
			limit @rows offset @skipped`,
		args,
	)
	if err != nil {
		return nil, 0, fmt.Errorf("list conflicts: %w", err)
	}
	items, err = pgx.CollectRows(rows, pgx.RowToStructByName[PackConflict])
	if err != nil {
		return nil, 0, fmt.Errorf("list conflicts: %w", err)
	}
	return items, total, nil
}
