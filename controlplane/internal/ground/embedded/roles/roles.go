package roles

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The roles of every database of ours.
const (
	// OwnerRole owns the database and runs its migrations.
	Owner = "grantwright_owner"
	// AppRole is the application's login. It owns nothing and row security binds it.
	App = "grantwright_app"
	// AcrossRole has the row policies for work that spans tenants. AppRole takes it on for single transactions
	// (set local role grantwright_across) and never has its rights otherwise.
	Across = "grantwright_across"
)

// Roles says what EnsureRoles makes. The zero value names the roles as above and gives them no login.
type Roles struct {
	// Owner, App and Across are the roles' names; empty means OwnerRole, AppRole and AcrossRole. On a connection that
	// is no superuser's an empty Owner means the connection's own user.
	Owner, App, Across string
	// OwnerPassword and AppPassword make logins of the two. An existing role's password is only changed when the
	// connection may read password verifiers (a superuser) and sees another one.
	OwnerPassword, AppPassword string
	// Assume lets the connection's own user do "set role" to App, for installations with one database URL.
	Assume bool
}

// Ensure makes what is missing of the roles, and of their rights on the connection's database, and leaves
// alone what is there; when nothing is missing it writes nothing. The connection must be a superuser's, or one of
// a role with CREATEROLE that owns the database. When its user is spec.Owner itself, the database keeps its owner.
//
// Afterwards: Owner owns the database and its schema public; App may connect, make temporary tables and use the
// schema, is a member of Across without inheriting from it; PUBLIC has no rights on the schema. The attributes of
// existing roles are not mended: whether they are safe is checked at every start of the server.
//
// Several callers may do this at once, on one database or on several of a cluster.
func Ensure(ctx context.Context, conn *pgx.Conn, spec Roles) error {
	b := bootstrap{Roles: spec, conn: conn}
	b.App, b.Across = or(b.App, App), or(b.Across, Across)
	const attempts = 20
	for attempt := 1; ; attempt++ {
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { return b.run(ctx, tx) })
		if err == nil {
			return nil
		}
		if attempt == attempts || !metAnother(err) {
			return fmt.Errorf("database roles: %w", err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("database roles: %w", ctx.Err())
		case <-time.After(time.Duration(5+rand.IntN(20*attempt)) * time.Millisecond):
		}
	}
}

func or(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return name
}

// metAnother reports whether an error comes from another caller doing the same at the same time.
func metAnother(err error) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	return slices.Contains([]string{
		"42710", // the role exists by now
		"23505", // the same, seen by the catalog's unique index
		"40001", "40P01",
	}, refused.Code) || strings.Contains(refused.Message, "tuple concurrently")
}

// bootstrap is one run of EnsureRoles.
type bootstrap struct {
	Roles
	conn *pgx.Conn
	tx   pgx.Tx

	database, user string
	superuser      bool
	version        int // as server_version_num, for instance 150018
}

// setOption is the first version whose memberships say for themselves whether they inherit.
const setOption = 160000

func (b *bootstrap) run(ctx context.Context, tx pgx.Tx) error {
	b.tx = tx
	const sql = `
		select current_database(), current_user, rolsuper, current_setting('server_version_num')::int
		  from pg_roles
		 where rolname = current_user`
	if err := tx.QueryRow(ctx, sql).Scan(&b.database, &b.user, &b.superuser, &b.version); err != nil {
		return fmt.Errorf("read who we are: %w", err)
	}
	switch {
	case b.Owner != "":
	case b.superuser:
		b.Owner = Owner
	default:
		b.Owner = b.user
	}
	for _, step := range []func(context.Context) error{
		b.createRoles, b.setPasswords, b.joinAcross, b.assume, b.giveDatabase, b.giveSchema, b.grantUse,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// exec runs a statement whose names are filled in as identifiers, since none of these take parameters.
func (b *bootstrap) exec(ctx context.Context, statement string, names ...string) error {
	quoted := make([]any, len(names))
	for i, name := range names {
		quoted[i] = pgx.Identifier{name}.Sanitize()
	}
	if _, err := b.tx.Exec(ctx, fmt.Sprintf(statement, quoted...)); err != nil {
		return fmt.Errorf("%s: %w", fmt.Sprintf(statement, quoted...), err)
	}
	return nil
}

// holds answers a yes-or-no query.
func (b *bootstrap) holds(ctx context.Context, query string, args ...any) (bool, error) {
	var yes bool
	if err := b.tx.QueryRow(ctx, query, args...).Scan(&yes); err != nil {
		return false, fmt.Errorf("read the catalog: %w", err)
	}
	return yes, nil
}

// unless runs the statement when the query answers no.
func (b *bootstrap) unless(ctx context.Context, query string, args []any, statement string, names ...string) error {
	if there, err := b.holds(ctx, query, args...); err != nil || there {
		return err
	}
	return b.exec(ctx, statement, names...)
}

func (b *bootstrap) createRoles(ctx context.Context) error {
	const exists = `select exists (select from pg_roles where rolname = $1)`
	for _, role := range []struct{ name, inherit string }{
		{b.Owner, "inherit"},
		{b.Across, "inherit"},
		// PostgreSQL 15 keeps Across's rights from App by this alone.
		{b.App, "noinherit"},
	} {
		err := b.unless(ctx, exists, []any{role.name},
			"create role %s nologin nosuperuser nocreatedb nocreaterole nobypassrls "+role.inherit, role.name)
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bootstrap) setPasswords(ctx context.Context) error {
	if err := b.setPassword(ctx, b.Owner, b.OwnerPassword); err != nil {
		return err
	}
	return b.setPassword(ctx, b.App, b.AppPassword)
}

// setPassword makes the role a login with the password, unless it is one.
func (b *bootstrap) setPassword(ctx context.Context, role, password string) error {
	if password == "" {
		return nil
	}
	login, err := b.holds(ctx, `select rolcanlogin from pg_roles where rolname = $1`, role)
	if err != nil {
		return err
	}
	if login && !b.superuser {
		return nil
	}
	if login {
		var stored string
		const sql = `select coalesce(rolpassword, '') from pg_authid where rolname = $1`
		if err := b.tx.QueryRow(ctx, sql, role).Scan(&stored); err != nil {
			return fmt.Errorf("read the verifier of %s: %w", role, err)
		}
		if verifies(stored, password) {
			return nil
		}
	}
	verifier, err := ScramVerifier(password)
	if err != nil {
		return err
	}
	// The verifier has no quotes in it, and must not stand in an error.
	if _, err := b.tx.Exec(
		ctx,
		"alter role "+pgx.Identifier{role}.Sanitize()+" login password '"+verifier+"'",
	); err != nil {
		return fmt.Errorf("set the password of %s: %w", role, err)
	}
	return nil
}

// joinAcross lets App take on Across without having its rights by itself.
func (b *bootstrap) joinAcross(ctx context.Context) error {
	return b.joinWithoutInheriting(ctx, b.Across, b.App)
}

// assume lets the connection's user take on App; a superuser may anyway.
func (b *bootstrap) assume(ctx context.Context) error {
	if !b.Assume || b.superuser || b.user == b.App {
		return nil
	}
	return b.joinWithoutInheriting(ctx, b.App, b.user)
}

func (b *bootstrap) joinWithoutInheriting(ctx context.Context, group, member string) error {
	query := `
		select exists (select from pg_auth_members
		                where roleid = (select oid from pg_roles where rolname = $1)
		                  and member = (select oid from pg_roles where rolname = $2))`
	statement := "grant %s to %s"
	if b.version >= setOption {
		query = `
			select coalesce(bool_or(set_option) and not bool_or(inherit_option), false)
			  from pg_auth_members
			 where roleid = (select oid from pg_roles where rolname = $1)
			   and member = (select oid from pg_roles where rolname = $2)`
		statement += " with inherit false, set true"
	}
	return b.unless(ctx, query, []any{group, member}, statement, group, member)
}

// giveDatabase makes Owner the owner, except of a database that Owner itself connected to.
func (b *bootstrap) giveDatabase(ctx context.Context) error {
	if b.user == b.Owner {
		return nil
	}
	const owned = `select datdba::regrole = to_regrole(quote_ident($2)) from pg_database where datname = $1`
	return b.unless(ctx, owned, []any{b.database, b.Owner}, "alter database %s owner to %s", b.database, b.Owner)
}

// giveSchema gives Owner the schema public and takes PUBLIC's rights on it.
func (b *bootstrap) giveSchema(ctx context.Context) error {
	const closed = `
		select not exists (select from pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
		                    where n.nspname = 'public' and a.grantee = 0)`
	if err := b.unless(ctx, closed, nil, "revoke all on schema public from public"); err != nil {
		return err
	}
	if b.user == b.Owner {
		return nil
	}
	const owned = `select nspowner::regrole = to_regrole(quote_ident($1)) from pg_namespace where nspname = 'public'`
	return b.unless(ctx, owned, []any{b.Owner}, "alter schema public owner to %s", b.Owner)
}

// grantUse lets App connect, and App and Across reach what migrations grant them in the schema.
func (b *bootstrap) grantUse(ctx context.Context) error {
	const mayConnect = `
		select count(distinct a.privilege_type) = 2
		  from pg_database d, aclexplode(d.datacl) a
		 where d.datname = $1
		   and a.grantee = (select oid from pg_roles where rolname = $2)
		   and a.privilege_type in ('CONNECT', 'TEMPORARY')`
	err := b.unless(
		ctx,
		mayConnect,
		[]any{b.database, b.App},
		"grant connect, temporary on database %s to %s",
		b.database,
		b.App,
	)
	if err != nil {
		return err
	}
	const mayUse = `
		select exists (select from pg_namespace n, aclexplode(n.nspacl) a
		                where n.nspname = 'public' and a.privilege_type = 'USAGE'
		                  and a.grantee = (select oid from pg_roles where rolname = $1))`
	for _, role := range []string{b.App, b.Across} {
		if err := b.unless(ctx, mayUse, []any{role}, "grant usage on schema public to %s", role); err != nil {
			return err
		}
	}
	return nil
}
