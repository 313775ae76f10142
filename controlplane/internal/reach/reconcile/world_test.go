package reconcile_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/removal"
)

// world is a tenant with a connector whose store and stages a test fills.
type world struct {
	t         testing.TB
	db        *pg.DB
	v         viewer.Viewer
	connector string
	run       string
	seq       int
}

// row are the columns of a row that differ from the ordinary.
type row map[string]any

func newWorld(t testing.TB) *world {
	t.Helper()
	return worldIn(t, pgtest.New(t), "first")
}

func worldIn(t testing.TB, db *pg.DB, slug string) *world {
	t.Helper()
	w := &world{t: t, db: db, v: pgtest.Tenant(t, db, slug)}
	w.connector = w.connect("dir")
	return w
}

func (w *world) connect(name string) string {
	w.t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	w.exec(
		`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, $2, $2, 'ldap')`,
		id,
		name,
	)
	return id
}

func (w *world) in(fn func(tx *pg.Tx) error) {
	w.t.Helper()
	if err := w.db.AsBulk(context.Background(), w.v, fn); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	w.in(func(tx *pg.Tx) error {
		_, err := tx.Exec(context.Background(), sql, args...)
		if err != nil {
			return fmt.Errorf("%w in %s", err, sql)
		}
		return nil
	})
}

// one reads a single value.
func one[T any](w *world, sql string, args ...any) (v T) {
	w.t.Helper()
	w.in(func(tx *pg.Tx) error {
		if err := tx.QueryRow(context.Background(), sql, args...).Scan(&v); err != nil {
			return fmt.Errorf("%w in %s", err, sql)
		}
		return nil
	})
	return v
}

// lines reads texts.
func (w *world) lines(sql string, args ...any) (out []string) {
	w.t.Helper()
	w.in(func(tx *pg.Tx) error {
		rows, err := tx.Query(context.Background(), sql, args...)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return out
}

func (w *world) insert(table string, r row) string {
	w.t.Helper()
	columns := slices.Sorted(maps.Keys(r))
	values, args := make([]string, len(columns)), make([]any, len(columns))
	for i, c := range columns {
		values[i], args[i] = fmt.Sprintf("$%d", i+1), r[c]
	}
	w.exec(
		`insert into `+table+` (tenant_id, `+strings.Join(
			columns,
			", ",
		)+`) values (current_tenant(), `+strings.Join(
			values,
			", ",
		)+`)`,
		args...)
	id, _ := r["id"].(string)
	return id
}

func with(base row, more []row) row {
	out := maps.Clone(base)
	for _, m := range more {
		maps.Copy(out, m)
	}
	return out
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// hash is what a test takes for the hash of a record's content.
func hash(s string) []byte { return []byte(s) }

// knowPerson stores somebody whom the connector feeds.
func (w *world) knowPerson(ext string, more ...row) string {
	w.t.Helper()
	id := w.insert(
		"identity",
		with(row{"id": newID(), "external_id": ext, "source_connector_id": w.connector, "email": ext + "@x.test",
			"display_name": ext, "status_source": "hr"}, more),
	)
	w.feed(w.connector, ext, id)
	return id
}

// feed makes a connector a source of somebody.
func (w *world) feed(connector, ext, identity string) {
	w.t.Helper()
	w.insert(
		"identity_source",
		row{
			"connector_id": connector,
			"external_id":  ext,
			"identity_id":  identity,
			"native_ref":   "uid=" + ext + ",ou=people",
			"row_hash":     hash("h"),
			"match_rule":   "new",
		},
	)
}

// dn is where tests keep what they do not say otherwise about.
func dn(ext string) string { return "uid=" + ext + ",ou=people,dc=x" }

func (w *world) knowAccount(ext string, more ...row) string {
	w.t.Helper()
	return w.insert(
		"account",
		with(row{"id": newID(), "connector_id": w.connector, "external_id": ext, "native_ref": dn(ext),
			"native_identity": dn(ext), "username": ext, "email": ext + "@x.test", "row_hash": hash("h")}, more),
	)
}

func (w *world) knowGroup(ext string, more ...row) string {
	w.t.Helper()
	return w.insert(
		"entitlement",
		with(row{
			"id":              newID(),
			"connector_id":    w.connector,
			"external_id":     ext,
			"native_ref":      "cn=" + ext,
			"native_identity": "cn=" + ext + ",ou=groups,dc=x",
			"name":            ext,
			"display_name":    ext,
			"row_hash":        hash("h"),
		}, more),
	)
}

func (w *world) knowGrant(account, group string, more ...row) string {
	w.t.Helper()
	return w.insert(
		"access_grant",
		with(row{"id": newID(), "connector_id": w.connector, "account_id": account, "entitlement_id": group,
			"row_hash": hash("h")}, more),
	)
}

func (w *world) nest(member, parent string) {
	w.t.Helper()
	w.insert("entitlement_edge", row{"connector_id": w.connector, "member_id": member, "parent_id": parent})
}

// begin starts the next run; one that was only evaluated ends.
func (w *world) begin() *world {
	w.t.Helper()
	return w.beginAs(newID())
}

func (w *world) beginAs(id string) *world {
	w.t.Helper()
	w.exec(`update sync_run set status = 'failed' where connector_id = $1 and status = 'evaluating'`, w.connector)
	w.run, w.seq = id, 0
	w.insert(
		"sync_run",
		row{
			"id":           w.run,
			"connector_id": w.connector,
			"type":         "ldap",
			"incremental":  false,
			"chunk_size":   500,
			"status":       "evaluating",
		},
	)
	return w
}

func (w *world) staged(more []row, base row) row {
	w.seq++
	return with(
		with(
			base,
			[]row{
				{"run_id": w.run, "seq": w.seq, "ord": 0, "new_id": newID(), "row_hash": hash("h"), "deleted": false},
			},
		),
		more,
	)
}

func (w *world) sawPerson(ext string, more ...row) *world {
	w.t.Helper()
	w.insert(
		"stage_identity",
		w.staged(more, row{"external_id": ext, "native_ref": "uid=" + ext + ",ou=people", "email": ext + "@x.test",
			"display_name": ext, "attributes": "{}"}),
	)
	return w
}

func (w *world) sawAccount(ext string, more ...row) *world {
	w.t.Helper()
	w.insert(
		"stage_account",
		w.staged(more, row{"external_id": ext, "native_ref": dn(ext), "native_identity": dn(ext), "username": ext,
			"email": ext + "@x.test", "account_type": "person", "attributes": "{}"}),
	)
	return w
}

func (w *world) sawGroup(ext string, more ...row) *world {
	w.t.Helper()
	w.insert(
		"stage_entitlement",
		w.staged(
			more,
			row{"external_id": ext, "native_ref": "cn=" + ext, "native_identity": "cn=" + ext + ",ou=groups,dc=x",
				"kind": "group", "name": ext, "display_name": ext, "attributes": "{}"},
		),
	)
	return w
}

// sawMember stages a grant that names its member as a directory does.
func (w *world) sawMember(group, ref string, more ...row) *world {
	w.t.Helper()
	w.insert(
		"stage_grant",
		w.staged(more, row{"entitlement_external_id": group, "principal_ref_kind": "native", "principal_ref_value": ref,
			"directness": "direct", "attributes": "{}"}),
	)
	return w
}

// deleted is a tombstone's row.
var deleted = row{"deleted": true}

// complete attests that kinds were read to their end.
func (w *world) complete(kinds ...string) *world {
	w.t.Helper()
	for _, kind := range kinds {
		w.scope(kind, "*")
	}
	return w
}

func (w *world) scope(kind, key string) *world {
	w.t.Helper()
	w.insert("stage_scope", row{"run_id": w.run, "kind": kind, "key": key, "complete": true, "count": 0})
	return w
}

var everything = []string{"identities", "accounts", "entitlements", "grants"}

func (w *world) asRun(change ...func(*reconcile.Run)) reconcile.Run {
	r := reconcile.Run{ID: w.run, Connector: w.connector, Complete: map[string]bool{}}
	for _, kind := range everything {
		r.Complete[kind] = true
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

func (w *world) evaluate(change ...func(*reconcile.Run)) (v reconcile.Verdict) {
	w.t.Helper()
	w.in(func(tx *pg.Tx) (err error) {
		v, err = evaluation.Evaluate(context.Background(), tx, w.asRun(change...))
		return err
	})
	return v
}

// apply does what the engine does after its merge, and ends the run.
func (w *world) apply(v reconcile.Verdict, change ...func(*reconcile.Run)) (done map[string]reconcile.Counts) {
	w.t.Helper()
	w.in(func(tx *pg.Tx) (err error) {
		if done, err = removal.Apply(context.Background(), tx, w.asRun(change...)); err != nil {
			return err
		}
		return removal.Settle(context.Background(), tx, w.asRun(change...))
	})
	status := "succeeded"
	if len(v.Holds) > 0 {
		status = "held"
	}
	w.exec(`update sync_run set status = $2, evaluated = true where id = $1`, w.run, status)
	return done
}

// changes are the run's changes as "object.change display state".
func (w *world) changes() []string {
	w.t.Helper()
	return w.lines(
		`select object || '.' || change || ' ' || display || ' ' || state from sync_change where run_id = $1
			order by n`,
		w.run,
	)
}

func holdKinds(v reconcile.Verdict) []string {
	out := []string{}
	for _, h := range v.Holds {
		out = append(out, h.Kind+" "+h.Rule)
	}
	return out
}
