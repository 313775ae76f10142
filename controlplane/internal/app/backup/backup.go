package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/app/database"
	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
	"github.com/grantwright/grantwright/controlplane/internal/ground/schema"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// A backup is a folder with these files.
const (
	dumpFile     = "database.dump" // pg_dump's custom format
	manifestFile = "manifest.json"
)

// backupFormat is the version of the folder's layout.
const backupFormat = 1

// Manifest says what a backup holds. There is no secret in it.
type Manifest struct {
	Format     int       `json:"format"`
	MadeAt     time.Time `json:"made_at"`
	Version    string    `json:"version"` // of the program
	Schema     int64     `json:"schema"`
	PostgreSQL string    `json:"postgresql"`
	Epoch      int64     `json:"epoch"`
	// which secrets in it lie under; the keys themselves are not in it
	MasterKeys []seal.Fingerprint `json:"master_keys"`
	Tables     map[string]int64   `json:"tables"` // rows, in the dump's own snapshot
	SHA256     string             `json:"sha256"` // of the dump
	Bytes      int64              `json:"bytes"`
}

// Backup writes the whole database, as it is at one instant, into a new folder, while servers work. The master key is
// not in it.
func Backup(ctx context.Context, c config.Config, dir, version string, log *slog.Logger) (m Manifest, err error) {
	url, done, err := database.OpenBeyondRows(ctx, c, log)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, done(context.WithoutCancel(ctx))) }()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return m, fmt.Errorf("the database does not take the connection for backups: %w", database.WithoutURL(err))
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := mayReadAll(ctx, conn); err != nil {
		return m, err
	}
	if err := newFolder(dir); err != nil {
		return m, err
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return m, fmt.Errorf("begin the backup: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	m = Manifest{Format: backupFormat, MadeAt: time.Now().UTC().Truncate(time.Second), Version: version}
	snapshot, major, err := m.describe(ctx, tx)
	if err != nil {
		return m, fmt.Errorf("look at what is backed up: %w", err)
	}
	tool, err := embedded.Tool(ctx, c.PGBin, "pg_dump", major)
	if err != nil {
		return m, err
	}
	path := filepath.Join(dir, dumpFile)
	if m.SHA256, m.Bytes, err = runDump(
		ctx,
		tool,
		url,
		path,
		"--format=custom",
		"--no-unlogged-table-data",
		"--snapshot="+snapshot,
	); err != nil {
		return m, err
	}
	return m, m.write(dir)
}

// mayReadAll refuses a login that row security binds: pg_dump would stop, rather than leave rows out.
func mayReadAll(ctx context.Context, conn *pgx.Conn) error {
	var passes bool
	const sql = `select rolsuper or rolbypassrls from pg_roles where rolname = current_user`
	if err := conn.QueryRow(ctx, sql).Scan(&passes); err != nil {
		return fmt.Errorf("look at the login for backups: %w", err)
	}
	if !passes {
		return fmt.Errorf("row security binds the login %s, so it cannot read what a backup must hold; "+
			"name one that it does not bind by DATABASE_BACKUP_URL, or let a superuser run: alter role %[1]s "+
			"bypassrls", conn.Config().User)
	}
	return nil
}

// newFolder makes the folder, for its owner alone. One with anything in it is left alone.
func newFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the backup's folder: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look at the backup's folder: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty; a backup wants a folder of its own", dir)
	}
	return nil
}

// describe fills in what stands in the database, and gives the transaction's snapshot for pg_dump to use as well.
func (m *Manifest) describe(ctx context.Context, tx pgx.Tx) (snapshot string, major int, err error) {
	const sql = `
		select pg_export_snapshot(), current_setting('server_version'),
		       current_setting('server_version_num')::int / 10000,
		           (select max(version_id) from schema_migration where is_applied), (select epoch from deployment)`
	if err := tx.QueryRow(ctx, sql).Scan(&snapshot, &m.PostgreSQL, &major, &m.Schema, &m.Epoch); err != nil {
		return "", 0, err
	}
	if m.MasterKeys, err = masterKeysOf(ctx, tx); err != nil {
		return "", 0, err
	}
	rows, err := tx.Query(ctx, listTables)
	if err != nil {
		return "", 0, err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[table])
	if err != nil {
		return "", 0, err
	}
	m.Tables = map[string]int64{}
	for _, t := range tables {
		var n int64
		if err := tx.QueryRow(ctx, t.count()).Scan(&n); err != nil {
			return "", 0, err
		}
		m.Tables[t.Name] = n
	}
	return snapshot, major, nil
}

// table is one whose rows a backup holds.
type table struct {
	Name     string
	OfTenant bool // row security shows one tenant's rows at a time
}

// listTables finds them. What is unlogged need not survive, and is not in a backup.
const listTables = `
	select c.relname, exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id'
	    and not a.attisdropped)
	  from pg_class c
	 where c.relnamespace = 'public'::regnamespace
	   and c.relkind in ('r', 'p')
	   and not c.relispartition
	   and c.relpersistence = 'p'
	   and c.relname <> '` + database.PendingTable + `'
	   and ` + schema.Own + `
	 order by 1`

func (t table) count() string { return "select count(*) from " + pgx.Identifier{t.Name}.Sanitize() }

// masterKeysOf returns the master keys under which the database's secrets are sealed.
func masterKeysOf(ctx context.Context, tx pgx.Tx) ([]seal.Fingerprint, error) {
	const head = "select encode(substring(%s from 2 for 4), 'hex') from %s"
	sql := fmt.Sprintf(head, "wrapped", "tenant_key")
	for _, c := range seal.GlobalColumns {
		sql += " union " + fmt.Sprintf(head, c.Column, c.Table)
	}
	rows, err := tx.Query(ctx, sql+" order by 1")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[seal.Fingerprint])
}

func (m Manifest) write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, manifestFile), append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the backup's manifest: %w", err)
	}
	return nil
}

// ReadManifest reads what a backup says of itself.
func ReadManifest(dir string) (m Manifest, err error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if err != nil {
		return m, fmt.Errorf("read the backup's manifest: %w", err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("read the backup's manifest: %w", err)
	}
	if m.Format != backupFormat {
		return m, fmt.Errorf("the backup has format %d, and this program reads %d", m.Format, backupFormat)
	}
	return m, nil
}
