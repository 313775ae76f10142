package harness

import (
	"context"
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/jackc/pgx/v5"
)

// Exec runs a statement in the deployment's private PostgreSQL, with the passwords that it keeps beside its data. It is
// for what would take days otherwise: a date that has come.
func (h *House) Exec(sql string, args ...any) {
	h.t.Helper()
	u, err := h.databaseURL()
	h.check(err)
	ctx := Context(h.t)
	conn, err := pgx.Connect(ctx, u.String())
	h.check(err)
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql, args...)
	h.check(err)
}

// In runs statements in the deployment's private PostgreSQL in one transaction of a tenant. It is for what a test needs
// much of, or what its programs cannot make fast enough.
func (h *House) In(slug string, work func(ctx context.Context, tx pgx.Tx) error) {
	h.t.Helper()
	u, err := h.databaseURL()
	h.check(err)
	ctx := Context(h.t)
	conn, err := pgx.Connect(ctx, u.String())
	h.check(err)
	defer func() { _ = conn.Close(ctx) }()
	h.check(pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		const own = `select set_config('app.tenant_id', id::text, true) from tenant where slug = $1`
		if _, err := tx.Exec(ctx, own, slug); err != nil {
			return err
		}
		return work(ctx, tx)
	}))
}

// databaseURL is that of the private PostgreSQL's superuser.
func (h *House) databaseURL() (url.URL, error) { return h.databaseAs("grantwright", "superuser") }

// databaseAs is the URL of the private PostgreSQL for one of its logins, whose password is kept under a name.
func (h *House) databaseAs(login, password string) (u url.URL, err error) {
	var secrets map[string]string
	var where struct {
		Host string `json:"host"`
		Port int    `json:"port"`
	}
	for name, into := range map[string]any{"secrets.json": &secrets, "runtime.json": &where} {
		raw, err := os.ReadFile(filepath.Join(h.Plane.Data, "postgres.control", name))
		if err != nil {
			return u, err
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return u, err
		}
	}
	u = url.URL{Scheme: "postgres", User: url.UserPassword(login, secrets[password]), Path: "/grantwright"}
	if filepath.IsAbs(where.Host) {
		u.RawQuery = url.Values{"host": {where.Host}, "port": {strconv.Itoa(where.Port)}}.Encode()
	} else {
		u.Host = net.JoinHostPort(where.Host, strconv.Itoa(where.Port))
	}
	return u, nil
}
