// Package recordtest serves routes on a test server over a fresh database, to callers who are named by their token,
// and fills the tables that a sync would fill.
package recordtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// House is a served API with its database.
type House struct {
	T      testing.TB
	DB     *pg.DB
	base   pgtest.Database
	Tenant viewer.Viewer // the system's viewer in the first tenant
	server *httptest.Server
	mu     sync.Mutex
	tokens map[string]viewer.Viewer
}

// Open serves the routes that are made of a database. The token "admin" is an administrator of the first tenant.
func Open(t testing.TB, routes func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route) *House {
	t.Helper()
	base := pgtest.Own(t)
	db := base.DB
	h := &House{T: t, DB: db, base: base, Tenant: pgtest.Tenant(t, db, "first"), tokens: map[string]viewer.Viewer{}}
	h.Let("admin", h.Tenant.Tenant, "", viewer.Admin)
	cursors, err := httpapi.NewCursors(make([]byte, 32), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	a := httpapi.New(httpapi.Config{Title: "test", Version: "1", Log: log, User: h.authenticate, Agent: h.authenticate})
	a.Add(routes(db, cursors)...)
	h.server = httptest.NewServer(a.Router)
	t.Cleanup(h.server.Close)
	return h
}

// testLog writes logs of the service into those of the test.
type testLog struct{ t testing.TB }

// Write implements io.Writer.
func (l testLog) Write(b []byte) (int, error) { l.t.Log(string(b)); return len(b), nil }

// Let makes a token of a user in a tenant, linked to an identity or to none, with these roles.
func (h *House) Let(token, tenant, identity string, roles ...viewer.Role) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tokens[token] = viewer.Viewer{
		Tenant:   tenant,
		Kind:     viewer.User,
		ID:       uuid.NewString(),
		Display:  token,
		Identity: identity,
		Roles:    roles,
	}
}

// Change makes of a token's user what Let does not.
func (h *House) Change(token string, to func(v *viewer.Viewer)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := h.tokens[token]
	to(&v)
	h.tokens[token] = v
}

// authenticate finds the viewer of a token that the test has made.
func (h *House) authenticate(_ context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v, known := h.tokens[bearer]
	if !known {
		return v, fault.Coded(fault.Unauthenticated, "invalid_token", "this token is not valid here")
	}
	return v, nil
}

// Answer is what came back.
type Answer struct {
	Status int
	Header http.Header
	Body   map[string]any
}

// Items are the rows of a list.
func (a Answer) Items() []map[string]any {
	list, _ := a.Body["items"].([]any)
	items := make([]map[string]any, len(list))
	for i := range list {
		items[i], _ = list[i].(map[string]any)
	}
	return items
}

// Values are one member of every row of a list.
func (a Answer) Values(name string) []any {
	values := []any{}
	for _, item := range a.Items() {
		values = append(values, item[name])
	}
	return values
}

// Text is a member of the body as text.
func (a Answer) Text(name string) string {
	s, _ := a.Body[name].(string)
	return s
}

// Call sends a request as the token's user, with a JSON body unless it is nil, and headers as name and value in turn.
func (h *House) Call(as, method, path string, body any, header ...string) Answer {
	h.T.Helper()
	a, err := h.Try(as, method, path, body, header...)
	if err != nil {
		h.T.Fatal(err)
	}
	return a
}

// Try is Call for other goroutines than the test's own.
func (h *House) Try(as, method, path string, body any, header ...string) (a Answer, err error) {
	var b []byte
	switch body := body.(type) {
	case nil:
	case string:
		b = []byte(body)
	default:
		if b, err = json.Marshal(body); err != nil {
			return a, err
		}
	}
	req, err := http.NewRequest(method, h.server.URL+"/api/v1"+path, bytes.NewReader(b))
	if err != nil {
		return a, err
	}
	req.Header.Set("Authorization", "Bearer "+as)
	if b != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return a, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return a, err
	}
	a = Answer{Status: res.StatusCode, Header: res.Header, Body: map[string]any{}}
	if len(answer) > 0 {
		err = json.Unmarshal(answer, &a.Body)
	}
	return a, err
}

// Raw gets a file as the token's user.
func (h *House) Raw(as, path string) []byte {
	h.T.Helper()
	req, err := http.NewRequest("GET", h.server.URL+"/api/v1"+path, nil)
	if err != nil {
		h.T.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+as)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.T.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		h.T.Fatalf("GET %s: %d %v %.300s", path, res.StatusCode, err, body)
	}
	return body
}

// Must is Call that ends the test unless the answer has this status.
func (h *House) Must(status int, as, method, path string, body any, header ...string) Answer {
	h.T.Helper()
	a := h.Call(as, method, path, body, header...)
	if a.Status != status {
		h.T.Fatalf("%s %s as %s: got %d %v; want %d", method, path, as, a.Status, a.Body, status)
	}
	return a
}

// Refused expects a problem with this status and code.
func (h *House) Refused(status int, code, as, method, path string, body any, header ...string) Answer {
	h.T.Helper()
	a := h.Call(as, method, path, body, header...)
	if a.Status != status || a.Body["code"] != code {
		h.T.Errorf(
			"%s %s as %s: got %d %v (%v); want %d %s",
			method,
			path,
			as,
			a.Status,
			a.Body["code"],
			a.Body["detail"],
			status,
			code,
		)
	}
	return a
}

// Analyze takes the statistics that a server in use would have.
func (h *House) Analyze() {
	h.T.Helper()
	h.Administer("vacuum analyze")
}

// Administer runs statements as the owner of the database, for whom row-level security is not in force.
func (h *House) Administer(sql string) {
	h.T.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, h.base.AdminURL)
	if err != nil {
		h.T.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, sql); err != nil {
		h.T.Fatal(err)
	}
}

// Exec runs a statement as the first tenant's system.
func (h *House) Exec(sql string, args ...any) {
	h.T.Helper()
	h.ExecAs(h.Tenant, sql, args...)
}

// ExecAs runs a statement as a viewer.
func (h *House) ExecAs(v viewer.Viewer, sql string, args ...any) {
	h.T.Helper()
	ctx := context.Background()
	err := h.DB.As(ctx, v, func(tx *pg.Tx) error { _, err := tx.Exec(ctx, sql, args...); return err })
	if err != nil {
		h.T.Fatalf("%v in %s", err, sql)
	}
}

// Person makes an identity whose external_id is also its name; manager is an id or empty.
func (h *House) Person(name, manager string) string {
	h.T.Helper()
	return h.PersonOf(h.Tenant, name, manager)
}

// PersonOf is Person in another tenant.
func (h *House) PersonOf(v viewer.Viewer, name, manager string) string {
	h.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	h.ExecAs(
		v,
		`insert into identity (tenant_id, id, external_id, email, first_name, last_name, display_name, manager_id)
		values (current_tenant(), $1, $2, $2 || '@example.com', $2, 'Person', $2, nullif($3, '')::uuid)`,
		id,
		name,
		manager,
	)
	return id
}

// Account makes an account; owner is an identity or empty.
func (h *House) Account(connector, name, owner string) string {
	h.T.Helper()
	return h.AccountOf(h.Tenant, connector, name, owner)
}

// AccountOf is Account in another tenant.
func (h *House) AccountOf(v viewer.Viewer, connector, name, owner string) string {
	h.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	state := "linked"
	if owner == "" {
		state = "uncorrelated"
	}
	h.ExecAs(
		v,
		`insert into account (tenant_id, id, connector_id, external_id, username, identity_id, correlation_state,
		    row_hash)
		values (current_tenant(), $1, $2, $3, $3, nullif($4, '')::uuid, $5, '')`,
		id,
		connector,
		name,
		owner,
		state,
	)
	return id
}

// Entitlement makes a group, owned by these identities.
func (h *House) Entitlement(connector, name string, owners ...string) string {
	h.T.Helper()
	return h.EntitlementOf(h.Tenant, connector, name, owners...)
}

// EntitlementOf is Entitlement in another tenant.
func (h *House) EntitlementOf(v viewer.Viewer, connector, name string, owners ...string) string {
	h.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	h.ExecAs(
		v,
		`insert into entitlement (tenant_id, id, connector_id, external_id, name, display_name, owner_ids, row_hash)
		values (current_tenant(), $1, $2, $3, $3, $3, coalesce($4::text[]::uuid[], '{}'), '')`,
		id,
		connector,
		name,
		owners,
	)
	return id
}

// Grant gives an account an entitlement directly.
func (h *House) Grant(connector, account, entitlement string) string {
	h.T.Helper()
	return h.GrantOf(h.Tenant, connector, account, entitlement)
}

// GrantOf is Grant in another tenant.
func (h *House) GrantOf(v viewer.Viewer, connector, account, entitlement string) string {
	h.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	h.ExecAs(v, `insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id)
		values (current_tenant(), $1, $2, $3, $4)`, id, connector, account, entitlement)
	return id
}

// Nest makes holders of member hold parent too.
func (h *House) Nest(connector, member, parent string) {
	h.T.Helper()
	h.Exec(
		`insert into entitlement_edge (tenant_id, member_id, parent_id, connector_id) values (current_tenant(), $1, $2,
			$3)`,
		member,
		parent,
		connector,
	)
}

// Count gives the number that a statement selects.
func (h *House) Count(sql string, args ...any) int {
	h.T.Helper()
	ctx, n := context.Background(), 0
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error { return tx.QueryRow(ctx, sql, args...).Scan(&n) })
	if err != nil {
		h.T.Fatalf("%v in %s", err, sql)
	}
	return n
}

// Strings gives the texts that a statement selects.
func (h *House) Strings(sql string, args ...any) (texts []string) {
	h.T.Helper()
	ctx := context.Background()
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		texts, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		h.T.Fatalf("%v in %s", err, sql)
	}
	return texts
}

// EverybodySignsIn gives the tenant an identity provider that makes users of all who sign in, so that people need no
// invitation to decide.
func (h *House) EverybodySignsIn() {
	h.T.Helper()
	h.Exec(`insert into identity_provider (tenant_id, id, name, issuer, client_id, scopes, create_users)
		values (current_tenant(), $1, 'company', 'https://login.example.com', 'grantwright', '{openid,email}', true)`,
		uuid.Must(uuid.NewV7()).String())
}
