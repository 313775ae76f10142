package pack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// States of an installation and of its objects.
const (
	stateInstalled   = "installed"
	stateUninstalled = "uninstalled"
	statePending     = "pending_binding"
	stateConflict    = "conflict"
	stateSkipped     = "skipped"
	stateLeaving     = "leaving"
)

// Why an object is not installed.
const (
	notSupported  = "kind_not_supported_yet"
	existsAlready = "exists_already"
	removedByHand = "removed_by_tenant"
	inUse         = "in_use"
)

// installation is a row of sector_pack_installation.
type installation struct {
	ID            string         `db:"id"`
	Key           string         `db:"pack_key"`
	PackVersion   string         `db:"pack_version"`
	State         string         `db:"state"`
	Parameters    map[string]any `db:"parameters"`
	Previous      *string        `db:"previous_version"`
	InstalledBy   map[string]any `db:"installed_by"`
	InstalledAt   time.Time      `db:"installed_at"`
	UpdatedAt     time.Time      `db:"updated_at"`
	Version       int            `db:"version"`
	Checksum      string         `db:"checksum"`
	Source        string         `db:"source"`
	UninstallMode *string        `db:"uninstall_mode"`
}

const installationColumns = `id::text, pack_key, pack_version, state, parameters, previous_version, installed_by, installed_at, updated_at, version, checksum, source, uninstall_mode`

func notInstalled(key string) error {
	return fault.New(fault.NotFound, "the sector pack %q is not installed here, and never was", key)
}

// findInstallation reads the installation of a pack. Its fault is of kind NotFound.
func findInstallation(ctx context.Context, tx *pg.Tx, key string) (installation, error) {
	rows, err := tx.Query(
		ctx,
		`select `+installationColumns+` from sector_pack_installation where tenant_id = current_tenant()
			and pack_key = $1`,
		key,
	)
	if err != nil {
		return installation{}, fmt.Errorf("find installation: %w", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[installation])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return found, notInstalled(key)
	case err != nil:
		return found, fmt.Errorf("find installation: %w", err)
	}
	return found, nil
}

// save writes an installation, a new one or one that there is.
func (i *installation) save(ctx context.Context, tx *pg.Tx) error {
	if i.ID == "" {
		i.ID = uuid.Must(uuid.NewV7()).String()
	}
	const sql = `
		insert into sector_pack_installation as x (tenant_id, id, pack_key, pack_version, state, parameters,
		    previous_version, installed_by, checksum, source, uninstall_mode)
		values (current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		    on conflict (tenant_id, pack_key) do update
		   set pack_version = excluded.pack_version, state = excluded.state, parameters = excluded.parameters,
		       previous_version = excluded.previous_version, installed_by = excluded.installed_by,
		       checksum = excluded.checksum, source = excluded.source, uninstall_mode = excluded.uninstall_mode,
		           installed_at = case when excluded.state = 'installed' then now() else x.installed_at end,
		           updated_at = now(), version = x.version + 1
		returning installed_at, updated_at, version`
	err := tx.QueryRow(ctx, sql, i.ID, i.Key, i.PackVersion, i.State, i.Parameters, i.Previous, i.InstalledBy,
		i.Checksum, i.Source, i.UninstallMode).
		Scan(&i.InstalledAt, &i.UpdatedAt, &i.Version)
	if err != nil {
		return fmt.Errorf("write installation: %w", err)
	}
	return nil
}

func (i installation) subject() audit.Subject {
	return audit.Subject{Type: "sector_pack", ID: i.ID, Display: i.Key + " " + i.PackVersion}
}

// object is a row of sector_pack_object.
type object struct {
	Kind    string           `db:"kind"`
	Key     string           `db:"object_key"`
	ID      *string          `db:"object_id"`
	Content json.RawMessage  `db:"content"`
	State   string           `db:"state"`
	Applied fields           `db:"applied"`
	Pending []PendingBinding `db:"pending"`
	Adopted bool             `db:"adopted"`
	Reason  *string          `db:"reason"`
}

// given says whether policies of the pack give the role. One of which both have changed something goes on being given
// while that is decided; one that the tenant had before the pack is not given until somebody has decided that it is the
// pack's.
func (o object) given() bool {
	return o.ID != nil && !(o.State == stateConflict && o.Reason != nil && *o.Reason == existsAlready)
}

const objectColumns = `kind, object_key, object_id::text, content, state, applied, pending, adopted, reason`

// objectKey names an object within a pack.
type objectKey struct{ kind, key string }

func objects(ctx context.Context, tx *pg.Tx, installation string) (map[objectKey]object, error) {
	rows, err := tx.Query(
		ctx,
		`select `+objectColumns+` from sector_pack_object where tenant_id = current_tenant() and installation_id = $1`,
		installation,
	)
	if err != nil {
		return nil, fmt.Errorf("read objects of installation: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[object])
	if err != nil {
		return nil, fmt.Errorf("read objects of installation: %w", err)
	}
	out := make(map[objectKey]object, len(all))
	for _, o := range all {
		out[objectKey{o.Kind, o.Key}] = o
	}
	return out, nil
}

// saveObjects writes objects of an installation, all at once.
func saveObjects(ctx context.Context, tx *pg.Tx, installation string, all []object) error {
	type row struct {
		Kind     string           `json:"kind"`
		Key      string           `json:"object_key"`
		ID       *string          `json:"object_id"`
		Content  json.RawMessage  `json:"content"`
		State    string           `json:"state"`
		Applied  fields           `json:"applied"`
		Pending  []PendingBinding `json:"pending"`
		Adopted  bool             `json:"adopted"`
		Reason   *string          `json:"reason"`
		Position int              `json:"-"`
	}
	rows := make([]row, len(all))
	for i, o := range all {
		rows[i] = row{
			Kind:    o.Kind,
			Key:     o.Key,
			ID:      o.ID,
			Content: o.Content,
			State:   o.State,
			Applied: o.Applied,
			Pending: filled(o.Pending),
			Adopted: o.Adopted,
			Reason:  o.Reason,
		}
	}
	raw, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("write objects of installation: %w", err)
	}
	const sql = `
		insert into sector_pack_object (tenant_id, installation_id, kind, object_key, object_id, content, state,
		    applied, pending, adopted, reason)
		select current_tenant(), $1, o.kind, o.object_key, o.object_id, o.content, o.state, nullif(o.applied, 'null'),
		    o.pending, o.adopted, o.reason
		  from jsonb_to_recordset($2) o (kind text, object_key text, object_id uuid, content jsonb, state text,
		      applied jsonb, pending jsonb, adopted boolean, reason text)
		    on conflict (tenant_id, installation_id, kind, object_key) do update
		   set object_id = excluded.object_id, content = excluded.content, state = excluded.state,
		       applied = excluded.applied, pending = excluded.pending, adopted = excluded.adopted,
		           reason = excluded.reason`
	if _, err := tx.Exec(ctx, sql, installation, raw); err != nil {
		return fmt.Errorf("write objects of installation: %w", err)
	}
	return mark(ctx, tx, installation)
}

// mark notes whether something of an installation waits.
func mark(ctx context.Context, tx *pg.Tx, installation string) error {
	const sql = `
		update sector_pack_installation i
		   set looked_at = now(),
		       pending = exists (select from sector_pack_object o
		                          where o.tenant_id = i.tenant_id
		                            and o.installation_id = i.id
		                            and (o.state = 'leaving' or o.pending <> '[]'))
		 where i.tenant_id = current_tenant()
		   and i.id = $1`
	if _, err := tx.Exec(ctx, sql, installation); err != nil {
		return fmt.Errorf("note what waits: %w", err)
	}
	return nil
}

func removeObjects(ctx context.Context, tx *pg.Tx, installation string, keys []objectKey) error {
	kinds, names := make([]string, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		kinds[i], names[i] = k.kind, k.key
	}
	const sql = `
		delete from sector_pack_object o
		 using unnest($2::text[], $3::text[]) gone (kind, object_key)
		 where o.tenant_id = current_tenant()
		   and o.installation_id = $1
		   and o.kind = gone.kind
		   and o.object_key = gone.object_key`
	if _, err := tx.Exec(ctx, sql, installation, kinds, names); err != nil {
		return fmt.Errorf("remove objects of installation: %w", err)
	}
	return nil
}

// dispute is a row of sector_pack_conflict that is to be written. Theirs is nil where the new version has the object no
// more.
type dispute struct {
	objectKey
	fields             []string
	base, mine, theirs fields
}

// open writes conflicts. One that was open about the same object is superseded.
func open(ctx context.Context, tx *pg.Tx, installation string, all []dispute) error {
	const supersede = `
		update sector_pack_conflict
		   set state = 'superseded', version = version + 1
		 where tenant_id = current_tenant()
		   and installation_id = $1
		   and kind = $2
		   and object_key = $3
		   and state = 'open'`
	const insert = `
		insert into sector_pack_conflict (tenant_id, id, installation_id, kind, object_key, fields, base, mine, theirs)
		values (current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8)`
	var b pgx.Batch
	for _, d := range all {
		b.Queue(supersede, installation, d.kind, d.key)
		b.Queue(
			insert,
			uuid.Must(uuid.NewV7()).String(),
			installation,
			d.kind,
			d.key,
			filled(d.fields),
			d.base,
			d.mine,
			d.theirs,
		)
	}
	if len(all) == 0 {
		return nil
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("write conflicts: %w", err)
	}
	return nil
}
