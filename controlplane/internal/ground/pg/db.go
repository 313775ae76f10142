package pg

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// AppRole and AcrossRole are the roles that statements run under. Neither owns anything nor can bypass row security.
const (
	AppRole    = "grantwright_app"
	AcrossRole = "grantwright_across"
	OwnerRole  = "grantwright_owner"
)

// DB is a pool of connections under the application's role.
type DB struct {
	pool *pgxpool.Pool
	// holds has a place for each transaction that may be held open at once. Its holder may need a second
	// connection beside it, so half of the pool is never held.
	holds chan struct{}
}

// Options of a DB.
type Options struct {
	URL      string
	SetRole  bool // the login is not the application's role itself: SET ROLE on every connection
	MaxConns int  // 0: pgx's default
	Tracer   pgx.QueryTracer
}

// Open connects. The pool is lazy: an unreachable server shows at the first use.
func Open(ctx context.Context, o Options) (*DB, error) {
	c, err := pgxpool.ParseConfig(o.URL)
	if err != nil {
		// pgx's own message masks the password but quotes the rest; say no more than needed.
		return nil, errors.New(
			"the database URL cannot be read; it must look like postgres://user:password@host:port/database",
		)
	}
	if o.MaxConns > 0 {
		c.MaxConns = int32(o.MaxConns)
	}
	c.ConnConfig.ConnectTimeout = 3 * time.Second
	c.ConnConfig.Tracer = o.Tracer
	params := c.ConnConfig.RuntimeParams
	params["application_name"] = "grantwright"
	params["idle_in_transaction_session_timeout"] = "60s"
	params["timezone"] = "UTC"
	c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		// Every instant leaves in UTC, whatever the machine's own zone is.
		conn.TypeMap().
			RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID,
				Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC}})
		if !o.SetRole {
			return nil
		}
		_, err := conn.Exec(ctx, "set role "+AppRole)
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("open database pool: %w", err)
	}
	return &DB{pool: pool, holds: make(chan struct{}, max(1, int(c.MaxConns)/2))}, nil
}

// Close ends all connections.
func (db *DB) Close() { db.pool.Close() }

// Pool is for what needs a pool of its own kind, such as the job queue and listeners; never for tenant tables.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// Tx is a transaction on a viewer's behalf.
type Tx struct {
	pgx.Tx
	Viewer viewer.Viewer
}

// As runs fn in a transaction as v: statements see v's tenant alone, and visible_identity() follows v's roles. The
// transaction commits when fn returns nil. Serialization failures and deadlocks are tried again, up to six times in
// all. Under a Hold for v's tenant, fn joins what is held and commits with it. What people and integrations ask for may
// take five seconds a statement, and wait two for a lock.
func (db *DB) As(ctx context.Context, v viewer.Viewer, fn func(tx *Tx) error) error {
	return db.as(ctx, v, patience(v), fn)
}

// patience bounds the statements of requests: the caller is asked to retry, before others queue up behind.
func patience(v viewer.Viewer) string {
	if !asks(v) {
		return ""
	}
	return "; set local statement_timeout = '5s'; set local lock_timeout = '2s'"
}

// asks reports whether a caller waits for the answer.
func asks(v viewer.Viewer) bool { return v.Kind == viewer.User || v.Kind == viewer.Service }

// queueTime is how long a request waits for a connection while all are in use.
const queueTime = 3 * time.Second

// hurried reports whether a transaction is for a caller who waits, or to look up a caller. Work in the background for a
// tenant is not.
func hurried(v viewer.Viewer) bool { return asks(v) || v.Tenant == "" }

// acquire waits for a connection. Who asks is told to come again when there is none for too long, be it that all are in
// use or that the database lets nobody in; work in the background waits.
func (db *DB) acquire(ctx context.Context, v viewer.Viewer) (*pgxpool.Conn, error) {
	waiting := ctx
	if hurried(v) {
		short, cancel := context.WithTimeout(ctx, queueTime)
		defer cancel()
		waiting = short
	}
	conn, err := db.pool.Acquire(waiting)
	switch {
	case err == nil:
		return conn, nil
	case waiting.Err() != nil && ctx.Err() == nil:
		return nil, busy(err)
	}
	return nil, fmt.Errorf("begin: %w", err)
}

// begin begins a transaction. A database that takes no connection says so, but one that was stopped, or lies behind a
// network that swallows everything, says nothing at all: who asks, and whoever is looked up for that, is told so as
// soon as when no connection is free.
func begin(ctx context.Context, conn *pgxpool.Conn, o pgx.TxOptions, v viewer.Viewer) (pgx.Tx, error) {
	waiting := ctx
	if hurried(v) {
		short, cancel := context.WithTimeout(ctx, queueTime)
		defer cancel()
		waiting = short
	}
	raw, err := conn.BeginTx(waiting, o)
	switch {
	case err == nil:
		return raw, nil
	case waiting.Err() != nil && ctx.Err() == nil:
		return nil, unavailable(err)
	}
	return nil, fmt.Errorf("begin: %w", err)
}

func (db *DB) as(ctx context.Context, v viewer.Viewer, more string, fn func(tx *Tx) error) error {
	settings, err := settingsOf(v)
	if err != nil {
		return err
	}
	if h := heldFor(ctx, v); h != nil {
		if joined, err := h.join(ctx, settings+more, v, fn); joined {
			return err
		}
	}
	return db.run(ctx, pgx.TxOptions{BeginQuery: "begin; " + settings + more}, v, fn)
}

// AsBulk is As for the sync engine's large statements. Tables that are being filled have no statistics worth the name:
// a planner that takes 10,000 staged rows for one joins them in nested loops, or keeps a plan made when they were
// empty, and works for minutes where a hash join takes milliseconds. So nested loops are off, which makes plans look so
// dear that they would be compiled, so that is off as well, and every statement is planned anew.
func (db *DB) AsBulk(ctx context.Context, v viewer.Viewer, fn func(tx *Tx) error) error {
	return db.as(ctx, v, bulkSettings, fn)
}

const bulkSettings = "; set local statement_timeout = '10min'; set local work_mem = '32MB'; set local " +
	"enable_nestloop = off; set local jit = off; set local plan_cache_mode = force_custom_plan"

// Across runs fn in a read-only transaction over all tenants, under a role that may read the few tables where work is
// found: sign-in, agents, runs. Callers are listed by a test.
func (db *DB) Across(ctx context.Context, fn func(tx *Tx) error) error {
	begin := "begin read only; set local role " + AcrossRole + "; set local statement_timeout = '5s'"
	return db.run(ctx, pgx.TxOptions{BeginQuery: begin}, viewer.Viewer{Kind: viewer.Machine}, fn)
}

// settingsOf are the settings of a transaction as v. Each is set, though it be to nothing: within a held transaction an
// earlier viewer's would otherwise stay.
func settingsOf(v viewer.Viewer) (string, error) {
	tenant, err := uuid.Parse(v.Tenant)
	if err != nil {
		return "", fmt.Errorf("a transaction needs a tenant: %w", err)
	}
	var sees, identity, roles string
	if v.SeesAll() {
		sees = "all"
	} else {
		roles = roleNames(v)
		if v.Identity != "" {
			id, err := uuid.Parse(v.Identity)
			if err != nil {
				return "", fmt.Errorf("a viewer's identity must be a UUID: %w", err)
			}
			identity = id.String()
		}
	}
	// Every value is a parsed UUID or one of our own constants, so this text holds nothing that came from outside.
	return "set local app.tenant_id = '" + tenant.String() + "'; set local app.sees = '" + sees +
		"'; set local app.identity_id = '" + identity + "'; set local app.roles = '" + roles + "'", nil
}

func roleNames(v viewer.Viewer) string {
	var names []string
	for _, r := range []viewer.Role{viewer.Manager, viewer.ResourceOwner} {
		if v.Has(r) {
			names = append(names, string(r))
		}
	}
	return strings.Join(names, ",")
}

func (db *DB) run(ctx context.Context, o pgx.TxOptions, v viewer.Viewer, fn func(tx *Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := db.once(ctx, o, v, fn)
		if err == nil || attempt == maxAttempts || !canRetry(err) || !pause(ctx, attempt) {
			return Translate(err)
		}
	}
}

// maxAttempts is how often a transaction is tried whose work others undid.
const maxAttempts = 6

// pause waits before another try, each time longer and never as long as the others do: those who met once would meet
// again. It says whether the caller still waits.
func pause(ctx context.Context, attempt int) bool {
	most := 5 * time.Millisecond << attempt
	select {
	case <-time.After(most/4 + rand.N(most)):
		return true
	case <-ctx.Done():
		return false
	}
}

func (db *DB) once(ctx context.Context, o pgx.TxOptions, v viewer.Viewer, fn func(tx *Tx) error) error {
	conn, err := db.acquire(ctx, v)
	if err != nil {
		return err
	}
	defer conn.Release()
	raw, err := begin(ctx, conn, o, v)
	if err != nil {
		return err
	}
	defer func() {
		// A rollback must reach the server even when the caller has gone away; after a commit it does nothing.
		bg, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		_ = raw.Rollback(bg)
	}()
	if err := fn(&Tx{Tx: raw, Viewer: v}); err != nil {
		return err
	}
	if err := raw.Commit(ctx); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// canRetry reports whether nothing of the transaction can have happened and another try may succeed.
func canRetry(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && (pe.Code == "40001" || pe.Code == "40P01")
}
