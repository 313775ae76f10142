package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/app"
	"github.com/grantwright/grantwright/controlplane/internal/app/backup"
	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/app/database"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

var quiet = slog.New(slog.DiscardHandler)

const backupCanary = "CANARY-7d0c-bind-password"

// installation is a control plane on a configuration of its own, for as long as up says.
type installation struct {
	t *testing.T
	c config.Config
}

// up runs the control plane and gives its address and its database to do.
func (i installation) up(do func(url string, db *pg.DB)) {
	i.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ring, err := config.Keyring(i.c)
	if err != nil {
		i.t.Fatal(err)
	}
	db, err := database.OpenToServe(ctx, i.c, quiet)
	if err != nil {
		i.t.Fatal(err)
	}
	a, err := app.New(ctx, i.c, "test", db.DB, ring, quiet)
	if err != nil {
		i.t.Fatal(err)
	}
	server := httptest.NewServer(a.Handler())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	defer func() {
		server.Close()
		cancel()
		if err := <-done; err != nil {
			i.t.Error(err)
		}
		if err := db.Close(context.Background()); err != nil {
			i.t.Error(err)
		}
	}()
	do(server.URL, db.DB)
}

// ask sends a request with a token and gives the status and the answer.
func ask(t *testing.T, method, url, token string, body any) (int, map[string]any) {
	t.Helper()
	payload, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	if body == nil {
		payload = nil
	}
	req, err := http.NewRequest(method, url, bytes.NewReader(payload))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var out map[string]any
	_ = json.NewDecoder(res.Body).Decode(&out)
	return res.StatusCode, out
}

// story is what a backup test knows of the installation it has filled.
type story struct {
	access, refresh, service string // the tokens before the backup; service is revoked after it
	connector                string
	tenant                   string
}

func signIn(t *testing.T, url string) (access, refresh string) {
	t.Helper()
	status, out := ask(
		t,
		"POST",
		url+"/api/v1/auth/login",
		"",
		map[string]any{"email": "a@acme.test", "password": password},
	)
	if status != 200 {
		t.Fatalf("login = %d %v", status, out)
	}
	return out["access_token"].(string), out["refresh_token"].(string)
}

// fill makes a tenant with a secret in a connector and a service token.
func fill(t *testing.T, url string, db *pg.DB) (s story) {
	t.Helper()
	made, err := tenant.Bootstrap{
		Slug:          "acme",
		Name:          "Acme",
		AdminEmail:    "a@acme.test",
		AdminPassword: password,
	}.Run(
		context.Background(),
		db,
	)
	if err != nil {
		t.Fatal(err)
	}
	s.tenant = made.Tenant.ID
	s.access, s.refresh = signIn(t, url)
	status, out := ask(t, "POST", url+"/api/v1/connectors", s.access, map[string]any{
		"business_id": "dir",
		"name":        "Directory",
		"type":        "ldap",
		"connection":  map[string]any{"host": "ldap.acme.test", "base_dn": "dc=acme", "bind_dn": "cn=r"},
		"credentials": map[string]any{"bind_password": backupCanary},
	})
	if status != 201 {
		t.Fatalf("connector = %d %v", status, out)
	}
	s.connector = out["id"].(string)
	status, out = ask(
		t,
		"POST",
		url+"/api/v1/settings/api-tokens",
		s.access,
		map[string]any{"name": "ci", "role": "admin", "scopes": []string{"connectors:read"}},
	)
	if status != 201 {
		t.Fatalf("service token = %d %v", status, out)
	}
	s.service = out["token"].(string)
	for i := range 30 {
		if status, out := ask(
			t,
			"POST",
			url+"/api/v1/identities",
			s.access,
			map[string]any{
				"external_id":  fmt.Sprint("E", i),
				"display_name": "P",
				"email":        fmt.Sprint("p", i, "@acme.test"),
			},
		); status != 201 {
			t.Fatalf("identity = %d %v", status, out)
		}
	}
	return s
}

// revoke ends the service token and the sign-in.
func (s story) revoke(t *testing.T, url string) {
	t.Helper()
	_, list := ask(t, "GET", url+"/api/v1/settings/api-tokens", s.access, nil)
	for _, item := range list["items"].([]any) {
		id := item.(map[string]any)["id"].(string)
		if status, out := ask(t, "DELETE", url+"/api/v1/settings/api-tokens/"+id, s.access, nil); status >= 300 {
			t.Fatalf("revoke the service token = %d %v", status, out)
		}
	}
	if status, out := ask(t, "POST", url+"/api/v1/auth/logout", s.access, nil); status >= 300 {
		t.Fatalf("logout = %d %v", status, out)
	}
	s.dead(t, url)
}

// dead holds that no token from before works.
func (s story) dead(t *testing.T, url string) {
	t.Helper()
	for name, token := range map[string]string{"service": s.service, "access": s.access} {
		if status, _ := ask(t, "GET", url+"/api/v1/connectors", token, nil); status != 401 {
			t.Errorf("the %s token from before gets %d; want 401", name, status)
		}
	}
	if status, _ := ask(t, "POST", url+"/api/v1/auth/refresh", s.refresh, nil); status != 401 {
		t.Errorf("the refresh token from before gets %d; want 401", status)
	}
}

// back holds that everything of before is there, and that people can sign in again.
func (s story) back(t *testing.T, url string, db *pg.DB) {
	t.Helper()
	s.dead(t, url)
	access, _ := signIn(t, url)
	if _, list := ask(t, "GET", url+"/api/v1/identities", access, nil); list["total"] != 30.0 {
		t.Errorf("%v identities after the restore; want 30", list["total"])
	}
	if status, out := ask(
		t,
		"GET",
		url+"/api/v1/audit-events?action=tenant.restored",
		access,
		nil,
	); status != 200 ||
		out["total"] != 1.0 {
		t.Errorf("the restore in the audit log: %d %v", status, out)
	}
	if status, out := ask(
		t,
		"GET",
		url+"/api/v1/audit-events/verify",
		access,
		nil,
	); status != 200 ||
		out["ok"] != true {
		t.Errorf("the audit log after the restore: %d %v", status, out)
	}
	err := db.As(context.Background(), viewer.System(s.tenant), func(tx *pg.Tx) error {
		var n int
		return tx.QueryRow(context.Background(), `select count(*) from connector where id = $1
			and credentials is not null`, s.connector).
			Scan(&n)
	})
	if err != nil {
		t.Error(err)
	}
}

func copyKey(t *testing.T, from, to config.Config) {
	t.Helper()
	key, err := os.ReadFile(config.DefaultKeyFile(from))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(config.DefaultKeyFile(to)), 0o700)
	}
	if err == nil {
		err = os.WriteFile(config.DefaultKeyFile(to), key, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func privateConfig(t *testing.T) config.Config {
	t.Helper()
	c := testConfig()
	c.Data, c.EgressCIDRs = t.TempDir(), []string{"127.0.0.0/8"}
	if err := os.Chmod(c.Data, 0o755); err != nil {
		t.Fatal(err)
	}
	for dir := filepath.Dir(c.Data); len(dir) > len(os.TempDir()); dir = filepath.Dir(dir) {
		_ = os.Chmod(dir, 0o755) // the private server's account must get through
	}
	return c
}

func TestABackupComesBackAndTokensRevokedAfterItStayDead(t *testing.T) {
	ctx := context.Background()
	old := installation{t, privateConfig(t)}
	dir := filepath.Join(t.TempDir(), "backup")
	var s story
	var made backup.Manifest
	old.up(func(url string, db *pg.DB) {
		s = fill(t, url, db)
		var err error
		if made, err = backup.Backup(ctx, old.c, dir, "test", quiet); err != nil {
			t.Fatal(err)
		}
		s.revoke(t, url)
	})
	if made.Tables["identity"] != 30 || made.Tables["connector"] != 1 || len(made.MasterKeys) != 1 || made.Schema < 12 {
		t.Errorf("manifest = %+v", made)
	}
	holdsNoSecret(t, dir, config.DefaultKeyFile(old.c))

	fresh := installation{t, privateConfig(t)}
	if _, err := backup.Restore(
		ctx,
		fresh.c,
		dir,
		quiet,
	); err == nil ||
		!strings.Contains(err.Error(), "put the master key") {
		t.Errorf("restore without a master key: %v", err)
	}
	if _, err := config.Keyring(fresh.c); err != nil { // makes another key
		t.Fatal(err)
	}
	if _, err := backup.Restore(
		ctx,
		fresh.c,
		dir,
		quiet,
	); err == nil ||
		!strings.Contains(err.Error(), string(made.MasterKeys[0])) {
		t.Errorf("restore with another master key: %v; want its fingerprint", err)
	}
	if _, err := os.Stat(filepath.Join(fresh.c.Data, "postgres")); err == nil {
		t.Error("a refused restore made a database")
	}
	copyKey(t, old.c, fresh.c)
	r, err := backup.Restore(ctx, fresh.c, dir, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if r.Tenants != 1 || r.Secrets < 6 || r.Audited < 30 || r.Epoch <= made.Epoch {
		t.Errorf("restored = %+v", r)
	}
	if _, err := backup.Restore(ctx, fresh.c, dir, quiet); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a second restore: %v; want a refusal", err)
	}
	fresh.up(func(url string, db *pg.DB) { s.back(t, url, db) })
}

// holdsNoSecret looks through every byte of the backup.
func holdsNoSecret(t *testing.T, dir, keyFile string) {
	t.Helper()
	key, err := os.ReadFile(keyFile)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("the backup has %v, %v", entries, err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{strings.TrimSpace(string(key)), backupCanary, password} {
			if bytes.Contains(b, []byte(secret)) {
				t.Errorf("%s holds a secret", e.Name())
			}
		}
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v, %v; want 0600", e.Name(), info.Mode(), err)
		}
	}
}

func TestABackupThatWasChangedIsNotRestored(t *testing.T) {
	ctx := context.Background()
	old := installation{t, privateConfig(t)}
	dir := filepath.Join(t.TempDir(), "backup")
	old.up(func(string, *pg.DB) {})
	if _, err := backup.Backup(ctx, old.c, dir, "test", quiet); err != nil { // the server does not run
		t.Fatal(err)
	}
	if _, err := backup.Backup(
		ctx,
		old.c,
		dir,
		"test",
		quiet,
	); err == nil ||
		!strings.Contains(err.Error(), "not empty") {
		t.Errorf("a backup over another: %v", err)
	}
	dump := filepath.Join(dir, "database.dump")
	b, err := os.ReadFile(dump)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(dump, b, 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := privateConfig(t)
	copyKey(t, old.c, fresh)
	if _, err := backup.Restore(ctx, fresh, dir, quiet); err == nil || !strings.Contains(err.Error(), "was changed") {
		t.Errorf("a changed dump: %v; want a refusal", err)
	}
}

// ownDatabase is an empty database as an operator would make it, with the three ways into it.
func ownDatabase(t *testing.T, name string) config.Config {
	t.Helper()
	ctx := context.Background()
	d := pgtest.Fresh(t) // for its roles
	conn, err := pgx.Connect(ctx, d.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	// The login for backups is made as the documents say, once for the whole server.
	const backup = `
		do $$ begin
			create role grantwright_backup login bypassrls password 'only-for-tests' in role pg_read_all_data;
		exception when duplicate_object then null;
		end $$`
	for _, sql := range []string{backup, "drop database if exists " + name + " with (force)", "create database " +
		name + " owner " + pg.OwnerRole} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		conn, err := pgx.Connect(ctx, d.AdminURL)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, "drop database "+name+" with (force)"); err != nil {
			t.Error(err)
		}
	})
	there := func(raw string) string { return raw[:strings.LastIndex(raw, "/t_")] + "/" + name + query(raw) }
	c := privateConfig(t)
	c.DatabaseURL, c.DatabaseOwnerURL, c.DatabaseBackupURL = there(d.AppURL), there(d.OwnerURL), strings.Replace(
		there(d.OwnerURL),
		pg.OwnerRole,
		"grantwright_backup",
		1,
	)
	return c
}

func query(raw string) string {
	if at := strings.Index(raw, "?"); at >= 0 {
		return raw[at:]
	}
	return ""
}

func TestADatabaseOfOnesOwnIsBackedUpByALoginThatSeesAllRows(t *testing.T) {
	ctx := context.Background()
	old := installation{t, ownDatabase(t, "backup_from")}
	dir := filepath.Join(t.TempDir(), "backup")
	var s story
	old.up(func(url string, db *pg.DB) {
		s = fill(t, url, db)
		bound := old.c
		bound.DatabaseBackupURL = ""
		if _, err := backup.Backup(
			ctx,
			bound,
			dir,
			"test",
			quiet,
		); err == nil || !strings.Contains(err.Error(), "DATABASE_BACKUP_URL") ||
			strings.Contains(err.Error(), "only-for-tests") {
			t.Errorf("a backup by the owner: %v; row security binds it", err)
		}
		if _, err := backup.Backup(ctx, old.c, dir, "test", quiet); err != nil {
			t.Fatal(err)
		}
		s.revoke(t, url)
	})
	into := installation{t, ownDatabase(t, "backup_into")}
	into.c.DatabaseBackupURL = "" // the owner is enough for a restore
	copyKey(t, old.c, into.c)
	if _, err := backup.Restore(ctx, into.c, dir, quiet); err != nil {
		t.Fatal(err)
	}
	into.up(func(url string, db *pg.DB) { s.back(t, url, db) })
}

func TestADatabaseWhoseRestoreWasStoppedServesNobody(t *testing.T) {
	ctx := context.Background()
	c := ownDatabase(t, "backup_half")
	conn, err := pgx.Connect(ctx, c.DatabaseOwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `create table restore_pending ()`); err != nil {
		t.Fatal(err)
	}
	if db, err := database.OpenToServe(ctx, c, quiet); err == nil || !strings.Contains(err.Error(), "restore") {
		t.Errorf("OpenToServe = %v, %v; want a refusal", db, err)
	}
}
