// Package pgtest gives every test a fresh, migrated database on a real PostgreSQL, under the application's own role. It
// starts a private server when none is given by TEST_DATABASE_ADMIN_URL, so that no test is ever skipped.
package pgtest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded/roles"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/schema"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/migrations"
)

// Database is one test's own.
type Database struct {
	DB                         *pg.DB
	AppURL, OwnerURL, AdminURL string
}

type cluster struct {
	url               func(user, database string) string
	template          string
	shape, deployment string // of a new database: see reuse.go
}

var (
	once   sync.Once
	asNew  sync.Once
	shared cluster
	failed error
	count  atomic.Int64
)

// New gives the test a pool on a database that is as a new one.
func New(t testing.TB) *pg.DB {
	t.Helper()
	return Own(t).DB
}

// Own gives the test a database that is as a new one. Whoever changes more in it than rows takes Fresh.
func Own(t testing.TB) Database {
	t.Helper()
	d, there := takeEmptied()
	if !there {
		d = used{name: create(t)}
	}
	d.uses++
	return open(t, d, true)
}

// Fresh gives the test a new database, with every way into it, which ends with the test.
func Fresh(t testing.TB) Database {
	t.Helper()
	return open(t, used{name: create(t)}, false)
}

// process tells the databases of this process from those that others left behind. The process's own number would not
// do: the system gives it out again.
var process = strings.ToLower(rand.Text()[:10])

func create(t testing.TB) string {
	t.Helper()
	once.Do(func() { shared, failed = start() })
	if failed != nil {
		t.Fatalf("no PostgreSQL for the test: %v", failed)
	}
	name := fmt.Sprintf("t_%s_%d", process, count.Add(1))
	if err := admin(
		context.Background(),
		"create database "+name+" template "+shared.template+" owner "+pg.OwnerRole,
	); err != nil {
		t.Fatal(err)
	}
	asNew.Do(func() { failed = shared.readNew(context.Background(), name) })
	if failed != nil {
		t.Fatal(failed)
	}
	return name
}

func open(t testing.TB, u used, own bool) Database {
	t.Helper()
	d := Database{
		AppURL:   shared.url(pg.AppRole, u.name),
		OwnerURL: shared.url(pg.OwnerRole, u.name),
		AdminURL: shared.url("", u.name),
	}
	db, err := pg.Open(context.Background(), pg.Options{URL: d.AppURL, MaxConns: 12})
	if err != nil {
		t.Fatal(err)
	}
	d.DB = db
	t.Cleanup(func() {
		db.Close()
		giveBack(t, u, own)
	})
	return d
}

// Tenant makes a tenant and gives the system's viewer in it.
func Tenant(t testing.TB, db *pg.DB, slug string) viewer.Viewer {
	t.Helper()
	v := viewer.System(uuid.Must(uuid.NewV7()).String())
	err := db.As(context.Background(), v, func(tx *pg.Tx) error {
		_, err := tx.Exec(
			context.Background(),
			`insert into tenant (id, slug, name) values ($1, $2, $2)`,
			v.Tenant,
			slug,
		)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func admin(ctx context.Context, sql string) error {
	conn, err := pgx.Connect(ctx, shared.url("", "postgres"))
	if err != nil {
		return fmt.Errorf("connect as administrator: %w", err)
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

const testPassword = "only-for-tests"

func start() (cluster, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var c cluster
	if given := os.Getenv("TEST_DATABASE_ADMIN_URL"); given != "" {
		c.url = func(user, database string) string { return rewrite(given, user, database) }
	} else {
		srv, err := startServer(ctx)
		if err != nil {
			return c, err
		}
		given := srv.AdminURL("postgres")
		c.url = func(user, database string) string { return rewrite(given, user, database) }
	}
	return c, c.makeTemplate(ctx)
}

// startServer starts a server in a directory of the test program's own, which its next run uses again. A second run at
// the same time, or another program of the same name, takes the next directory. The server ends with the program.
func startServer(ctx context.Context) (*embedded.Server, error) {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".test")
	for i := 0; ; i++ {
		dir := filepath.Join(os.TempDir(), "grantwright-pgtest", fmt.Sprintf("%s-%d", name, i), "postgres")
		srv, err := embedded.Start(ctx, embedded.Config{Dir: dir, Fast: true})
		var taken *embedded.InUseError
		if !errors.As(err, &taken) || i == 9 {
			return srv, err
		}
	}
}

// rewrite gives the URL another database and, if wanted, another user with the tests' password.
func rewrite(given, user, database string) string {
	u, err := url.Parse(given)
	if err != nil {
		return given
	}
	if user != "" {
		u.User = url.UserPassword(user, testPassword)
	}
	u.Path = "/" + database
	return u.String()
}

// makeTemplate migrates a database once for each state of the migrations.
func (c *cluster) makeTemplate(ctx context.Context) error {
	c.template = "grantwright_template_" + digest()
	conn, err := pgx.Connect(ctx, c.url("", "postgres"))
	if err != nil {
		return fmt.Errorf("connect as administrator: %w", err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `select pg_advisory_lock(20261120)`); err != nil {
		return err
	}
	var there bool
	if err := conn.QueryRow(ctx, `select exists (select from pg_database where datname = $1)`, c.template).
		Scan(&there); err != nil {
		return err
	}
	// Roles are the cluster's, so their passwords are set even when the template is there already.
	if err := c.roles(ctx, "postgres"); err != nil || there {
		return err
	}
	building := c.template + "_building"
	for _, sql := range []string{"drop database if exists " + building + " with (force)", "create database " +
		building} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("make template: %w", err)
		}
	}
	if err := c.roles(ctx, building); err != nil {
		return err
	}
	if err := schema.Migrate(ctx, c.url(pg.OwnerRole, building)); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "alter database "+building+" rename to "+c.template)
	return err
}

func (c *cluster) roles(ctx context.Context, database string) error {
	conn, err := pgx.Connect(ctx, c.url("", database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	spec := roles.Roles{Owner: pg.OwnerRole, OwnerPassword: testPassword, AppPassword: testPassword}
	return roles.Ensure(ctx, conn, spec)
}

func digest() string {
	h := sha256.New()
	names, _ := fs.Glob(migrations.Files, "*.sql")
	for _, name := range names {
		b, _ := migrations.Files.ReadFile(name)
		h.Write(b)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:6])
}
