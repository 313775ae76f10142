package installation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// FindByID reads an installation that must exist: a missing one is no fault, but a plain error.
func FindByID(ctx context.Context, tx *pg.Tx, id string) (Installation, error) {
	return pg.One[Installation](
		ctx,
		tx,
		"find installation",
		`select `+installationColumns+` from sector_pack_installation where tenant_id = current_tenant() and id = $1`,
		id,
	)
}

// States of an installation and of its objects.
const (
	StateInstalled   = "installed"
	StateUninstalled = "uninstalled"
	StatePending     = "pending_binding"
	StateConflict    = "conflict"
	StateSkipped     = "skipped"
	StateLeaving     = "leaving"
)

// Why an object is not installed.
const (
	ExistsAlready = "exists_already"
	RemovedByHand = "removed_by_tenant"
	InUse         = "in_use"
)

// Installation is a row of sector_pack_installation. Parameters are the completed values; Previous is the version
// before the last upgrade.
type Installation struct {
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

// installationColumns are the columns of Installation.
const installationColumns = `id::text, pack_key, pack_version, state, parameters, previous_version, installed_by,
	installed_at, updated_at, version, checksum, source, uninstall_mode`

// NotInstalled is the fault that a tenant has no installation of a pack.
func NotInstalled(key string) error {
	return fault.New(fault.NotFound, "Sector pack %q has never been installed in this tenant.", key)
}

// Find reads the installation of a pack by its key, also an uninstalled one. Its fault is of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, key string) (Installation, error) {
	found, err := pg.One[Installation](
		ctx,
		tx,
		"find installation",
		`select `+installationColumns+` from sector_pack_installation where tenant_id = current_tenant()
			and pack_key = $1`,
		key,
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return found, NotInstalled(key)
	case err != nil:
		return found, err
	}
	return found, nil
}

// Save inserts an installation without an ID, and updates one with an ID. It fills in what the database sets.
func (i *Installation) Save(ctx context.Context, tx *pg.Tx) error {
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

// Subject is the installation in audit events.
func (i Installation) Subject() audit.Subject {
	return audit.Subject{Type: "sector_pack", ID: i.ID, Display: i.Key + " " + i.PackVersion}
}
