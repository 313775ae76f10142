package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/idp"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

var ctx = context.Background()

// canary is every test user's password: it must appear nowhere.
const canary = "CANARY-d7f3 pass phrase"

// house is the service on a test server, with a tenant and its admin.
type house struct {
	*auth.Service
	t      *testing.T
	db     *pg.DB
	url    string
	tenant string
	admin  string // user id
	log    *bytes.Buffer

	mu    sync.Mutex
	clock time.Time
	seen  bytes.Buffer // every answer's headers and body
}

func ring(t *testing.T) *seal.Keyring {
	t.Helper()
	k, err := seal.New(bytes.Repeat([]byte{9}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func open(t *testing.T) *house {
	t.Helper()
	db := pgtest.New(t)
	log := &bytes.Buffer{}
	service, err := auth.New(
		ctx,
		db,
		ring(t),
		slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{Service: service, t: t, db: db, log: log, clock: time.Now().Truncate(time.Second)}
	service.Now = h.now
	furnish(t, service)
	made, err := tenant.Bootstrap{Slug: "acme", AdminEmail: "Ada@acme.example", AdminPassword: canary}.Run(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	h.tenant, h.admin = made.Tenant.ID, made.UserID
	h.url = serve(t, service)
	service.Sessions.PublicURL = h.url
	return h
}

// furnish gives the service what the control plane gives it. Providers may live on this machine.
func furnish(t *testing.T, s *auth.Service) {
	t.Helper()
	cursors, err := httpapi.NewCursors(bytes.Repeat([]byte{3}, 32), s.Now)
	if err != nil {
		t.Fatal(err)
	}
	guard := &outbound.Guard{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	s.Sessions.Cursors = cursors
	s.With(&idp.Service{DB: s.DB, Seal: s.Seal, Cursors: cursors, Guard: guard, Now: s.Now})
}

func serve(t *testing.T, s *auth.Service) string {
	t.Helper()
	agent := func(ctx context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
		c, err := s.VerifyAgentToken(ctx, bearer, false)
		return viewer.Viewer{Tenant: c.Tenant, Kind: viewer.Agent, ID: c.AgentID}, err
	}
	a := httpapi.New(httpapi.Config{Title: "test", Version: "1", Log: s.Log, User: s.AuthenticateUser, Agent: agent})
	a.Add(s.Routes()...)
	a.Add(s.SSO.Providers.Routes()...)
	server := httptest.NewServer(a.Router)
	t.Cleanup(server.Close)
	return server.URL
}

func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.clock
}

func (h *house) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clock = h.clock.Add(d)
}

type answer struct {
	status int
	header http.Header
	body   string
	code   string // of a problem
	session.SignInTokens
}

// call sends a request; extra are header names and values.
func (h *house) call(method, path, bearer, body string, extra ...string) answer {
	h.t.Helper()
	r, err := http.NewRequest(method, h.url+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(extra); i += 2 {
		r.Header.Add(extra[i], extra[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		h.t.Error(err)
		return answer{}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Error(err)
	}
	out := answer{status: resp.StatusCode, header: resp.Header, body: string(b)}
	var problem struct{ Code string }
	_ = json.Unmarshal(b, &problem)
	_ = json.Unmarshal(b, &out.SignInTokens)
	out.code = problem.Code
	h.mu.Lock()
	defer h.mu.Unlock()
	_ = resp.Header.Write(&h.seen)
	h.seen.Write(b)
	return out
}

func (h *house) login(email, plain string) answer {
	h.t.Helper()
	b, err := json.Marshal(map[string]string{"email": email, "password": plain})
	if err != nil {
		h.t.Fatal(err)
	}
	return h.call("POST", "/auth/login", "", string(b))
}

func (h *house) signIn() answer {
	h.t.Helper()
	a := h.login("ada@acme.example", canary)
	if a.status != 200 {
		h.t.Fatalf("login: %d %s", a.status, a.body)
	}
	return a
}

func (a answer) want(t *testing.T, what string, status int, code string) {
	t.Helper()
	if a.status != status || a.code != code {
		t.Errorf("%s: %d %q; want %d %q (%.200s)", what, a.status, a.code, status, code, a.body)
	}
}

// sql runs a statement in the tenant.
func (h *house) sql(statement string, args ...any) {
	h.t.Helper()
	err := h.db.As(ctx, viewer.System(h.tenant), func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, statement, args...)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// ask reads one text from the tenant.
func (h *house) ask(query string, args ...any) string {
	h.t.Helper()
	var out string
	err := h.db.As(ctx, viewer.System(h.tenant), func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		out, err = pgx.CollectOneRow(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func (h *house) audited(action string) string {
	h.t.Helper()
	return h.ask(
		`select coalesce(string_agg(outcome, ' ' order by seq), '') from audit_event where action = $1`,
		action,
	)
}

// user adds a user without a password.
func (h *house) user(email, roles string) string {
	h.t.Helper()
	id := uuid.NewString()
	h.sql(
		`insert into app_user (tenant_id, id, email, roles, status) values (current_tenant(), $1, $2, $3, 'invited')`,
		id,
		email,
		strings.Fields(roles),
	)
	return id
}
