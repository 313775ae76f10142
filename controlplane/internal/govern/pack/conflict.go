package pack

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// PackConflict is where a pack and the tenant want different things of one object.
type PackConflict struct {
	ID         string         `json:"id" db:"id"`
	PackKey    string         `json:"pack_key" db:"pack_key"`
	Kind       string         `json:"kind" db:"kind"`
	ObjectKey  string         `json:"object_key" db:"object_key"`
	Fields     []string       `json:"fields" db:"fields" nullable:"false" doc:"In which they differ."`
	Base       map[string]any `json:"base" db:"base" doc:"What the pack wanted before; null: the tenant had the object before the pack."`
	Mine       map[string]any `json:"mine" db:"mine" doc:"What the tenant has made of it."`
	Theirs     map[string]any `json:"theirs" db:"theirs" doc:"What the pack wants now; null: it has the object no more."`
	State      string         `json:"state" db:"state" enum:"open,resolved,superseded" doc:"superseded: a later version, or the end of the installation, has overtaken it."`
	Resolution *string        `json:"resolution" db:"resolution" enum:"mine,theirs,merged"`
	ResolvedBy map[string]any `json:"resolved_by" db:"resolved_by"`
	ResolvedAt *time.Time     `json:"resolved_at" db:"resolved_at"`
	CreatedAt  time.Time      `json:"created_at" db:"created_at"`
	Version    int            `json:"version" db:"version"`
	Object     string         `json:"-" db:"installation_id"`
}

const conflictColumns = `c.id::text, i.pack_key, c.kind, c.object_key, c.fields, c.base, c.mine, c.theirs, c.state,
	c.resolution, c.resolved_by, c.resolved_at, c.created_at, c.version, c.installation_id::text`

func findConflict(ctx context.Context, tx *pg.Tx, id string) (PackConflict, error) {
	missing := fault.New(fault.NotFound, "there is no conflict %s", id)
	if !listing.IsID(id) {
		return PackConflict{}, missing
	}
	rows, err := tx.Query(ctx, `
		select `+conflictColumns+`
		  from sector_pack_conflict c
		  join sector_pack_installation i
		    on i.tenant_id = c.tenant_id
		   and i.id = c.installation_id
		 where c.tenant_id = current_tenant()
		   and c.id = $1`, id)
	if err != nil {
		return PackConflict{}, fmt.Errorf("find conflict: %w", err)
	}
	c, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[PackConflict])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return c, missing
	case err != nil:
		return c, fmt.Errorf("find conflict: %w", err)
	}
	return c, nil
}

// resolve decides a conflict.
func (s *Service) resolve(
	ctx context.Context,
	v viewer.Viewer,
	id, use string,
	merged map[string]any,
	match func(version int) error,
) (out PackConflict, err error) {
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
) (PackConflict, error) {
	if err := turn(ctx, tx); err != nil {
		return PackConflict{}, err
	}
	c, err := findConflict(ctx, tx, id)
	if err != nil {
		return c, err
	}
	if err := match(c.Version); err != nil {
		return c, err
	}
	if c.State != "open" {
		return c, fault.Coded(fault.Conflict, "already_resolved", "this conflict is %s", c.State)
	}
	if err := decide(ctx, tx, c, use, merged); err != nil {
		return c, err
	}
	const sql = `
		update sector_pack_conflict
		   set state = 'resolved', resolution = $2, resolved_by = $3, resolved_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = $1`
	if _, err := tx.Exec(ctx, sql, id, use, actor(tx)); err != nil {
		return c, fmt.Errorf("resolve conflict: %w", err)
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
	// A role that was in conflict may be what policies wait for.
	if err := s.bind(ctx, tx, c.Object); err != nil {
		return c, err
	}
	return findConflict(ctx, tx, id)
}

// OpenConflicts are those of these conflicts that wait for a decision.
func OpenConflicts(ctx context.Context, tx *pg.Tx, ids []string) ([]PackConflict, error) {
	rows, err := tx.Query(ctx, `
		select `+conflictColumns+`
		  from sector_pack_conflict c
		  join sector_pack_installation i
		    on i.tenant_id = c.tenant_id
		   and i.id = c.installation_id
		 where c.id = any($1::text[]::uuid[])
		   and c.state = 'open'`, ids)
	if err != nil {
		return nil, fmt.Errorf("find conflicts: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[PackConflict])
	if err != nil {
		return nil, fmt.Errorf("find conflicts: %w", err)
	}
	return found, nil
}

// decide makes the object what was decided.
func decide(ctx context.Context, tx *pg.Tx, c PackConflict, use string, merged map[string]any) error {
	i, err := installationOf(ctx, tx, c.Object)
	if err != nil {
		return err
	}
	all, err := objects(ctx, tx, c.Object)
	if err != nil {
		return err
	}
	o, ok := all[objectKey{c.Kind, c.ObjectKey}]
	if !ok || o.ID == nil {
		return fault.Coded(
			fault.Conflict,
			"already_resolved",
			"the object that the conflict is about is not there any more",
		)
	}
	if c.Theirs == nil {
		return decideDropped(ctx, tx, c, o, use)
	}
	take, err := c.taken(use, merged)
	if err != nil {
		return err
	}
	if len(take) > 0 {
		r := &run{tx: tx, install: &i}
		if err := r.update(ctx, c.Kind, *o.ID, take); err != nil {
			return err
		}
		if !o.Adopted || use == "theirs" {
			if err := r.origin(ctx, c.Kind, *o.ID, c.ObjectKey); err != nil {
				return err
			}
		}
	}
	o.State = stateInstalled
	if len(o.Pending) > 0 {
		o.State = statePending
	}
	return saveObjects(ctx, tx, c.Object, []object{o})
}

// taken are the fields that are written.
func (c PackConflict) taken(use string, merged map[string]any) (fields, error) {
	take := fields{}
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
func decideDropped(ctx context.Context, tx *pg.Tx, c PackConflict, o object, use string) error {
	switch use {
	case "merged":
		return fault.New(fault.Invalid, "the new version does not have the object: keep yours, or take theirs, which "+
			"removes it").
			With(fault.Field{Pointer: "#/use", Code: "invalid", Detail: "mine or theirs"})
	case "mine":
		if err := setOrigin(ctx, tx, o.Kind, *o.ID, map[string]any{"kind": "manual"}); err != nil {
			return err
		}
		return removeObjects(ctx, tx, c.Object, []objectKey{{o.Kind, o.Key}})
	}
	left, err := retire(ctx, tx, o)
	if err != nil {
		return err
	}
	if left {
		return removeObjects(ctx, tx, c.Object, []objectKey{{o.Kind, o.Key}})
	}
	o.State, o.Pending = stateLeaving, nil
	return saveObjects(ctx, tx, c.Object, []object{o})
}

func installationOf(ctx context.Context, tx *pg.Tx, id string) (installation, error) {
	rows, err := tx.Query(
		ctx,
		`select `+installationColumns+` from sector_pack_installation where tenant_id = current_tenant() and id = $1`,
		id,
	)
	if err != nil {
		return installation{}, fmt.Errorf("find installation: %w", err)
	}
	i, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[installation])
	if err != nil {
		return i, fmt.Errorf("find installation: %w", err)
	}
	return i, nil
}
