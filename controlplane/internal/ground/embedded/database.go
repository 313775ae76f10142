package embedded

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded/roles"
)

// databaseName is the private server's one database of ours.
const databaseName = "grantwright"

// duplicateDatabase is the SQLSTATE of a database that exists already.
const duplicateDatabase = "42P04"

// url is a connection URL; a Unix socket's folder goes where URLs have room for it.
func (a address) url(user, password, database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(user, password), Path: "/" + database,
		RawQuery: url.Values{
			"host": {a.host}, "port": {strconv.Itoa(a.port)},
			"sslmode": {"disable"}, // the connection never leaves the machine
		}.Encode(),
	}
	return u.String()
}

// prepareDatabase makes the database and the roles; what is there already stays.
func (s *Server) prepareDatabase(ctx context.Context) error {
	if err := s.createDatabase(ctx); err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	conn, err := s.connect(ctx, databaseName)
	if err != nil {
		return fmt.Errorf("log in to the private PostgreSQL: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return roles.Ensure(ctx, conn, roles.Roles{OwnerPassword: s.inst.secrets.Owner, AppPassword: s.inst.secrets.App})
}

func (s *Server) createDatabase(ctx context.Context) error {
	conn, err := s.connect(ctx, "postgres")
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	const exists = `select exists (select from pg_database where datname = $1)`
	var there bool
	if err := conn.QueryRow(ctx, exists, databaseName).Scan(&there); err != nil || there {
		return err
	}
	_, err = conn.Exec(ctx, "create database "+pgx.Identifier{databaseName}.Sanitize())
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == duplicateDatabase {
		return nil
	}
	return err
}
