package connector_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

var ctx = context.Background()

// canary is the secret of every test: it must not be seen again anywhere.
const canary = "CANARY-9c41-horse"

// house serves the routes over a fresh database. Tokens are names of roles; "other" is an administrator of another
// tenant.
type house struct {
	t       *testing.T
	service *connector.Service
	target  *target
	tenant  viewer.Viewer
	other   viewer.Viewer
	server  *httptest.Server
	log     *journal
	answers strings.Builder // all that was answered
}

func open(t *testing.T) *house {
	t.Helper()
	db := pgtest.New(t)
	keys, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	cursors, err := httpapi.NewCursors(make([]byte, 32), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{
		t:      t,
		target: &target{},
		tenant: pgtest.Tenant(t, db, "first"),
		other:  pgtest.Tenant(t, db, "second"),
		log:    &journal{},
	}
	log := slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h.service = &connector.Service{
		DB: db, Seal: keys, Now: time.Now, Log: log, Cursors: cursors,
		Dispatch: &dispatch.Dispatcher{
			HostedConnector: func(string) (connectorkit.Connector, error) { return h.target, nil },
			Agents:          agents{h.target},
		},
	}
	api := httpapi.New(
		httpapi.Config{Title: "test", Version: "1", Log: log, User: h.authenticate, Agent: h.authenticate},
	)
	api.Add(h.service.Routes()...)
	h.server = httptest.NewServer(api.Router)
	t.Cleanup(h.server.Close)
	return h
}

func (h *house) authenticate(_ context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
	v := viewer.Viewer{
		Tenant:  h.tenant.Tenant,
		Kind:    viewer.User,
		ID:      bearer,
		Display: bearer,
		Roles:   []viewer.Role{viewer.Role(bearer)},
	}
	switch bearer {
	case "admin", "auditor", "manager", "resource_owner":
	case "token": // a service token of the administrator
		v.Kind, v.Roles, v.Scopes = viewer.Service, []viewer.Role{
			viewer.Admin,
		}, []string{
			"connectors:read",
			"connectors:write",
		}
	case "other":
		v.Tenant, v.Roles = h.other.Tenant, []viewer.Role{viewer.Admin}
	default:
		return v, fault.New(fault.Unauthenticated, "nobody")
	}
	return v, nil
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

// code is the problem's code.
func (a answer) code() any { return a.body["code"] }

// pointers are the problem's errors: where, and which code.
func (a answer) pointers() map[string]string {
	out := map[string]string{}
	list, _ := a.body["errors"].([]any)
	for _, e := range list {
		m, _ := e.(map[string]any)
		out[fmt.Sprint(m["pointer"])] = fmt.Sprint(m["code"])
	}
	return out
}

func (h *house) call(as, method, path string, body any, header ...string) answer {
	h.t.Helper()
	var payload io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			h.t.Fatal(err)
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, h.server.URL+"/api/v1"+path, payload)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+as)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	h.answers.Write(text)
	a := answer{status: res.StatusCode, header: res.Header, text: string(text)}
	_ = json.Unmarshal(text, &a.body)
	return a
}

// want fails the test when the status is another.
func (h *house) want(status int, a answer) answer {
	h.t.Helper()
	if a.status != status {
		h.t.Fatalf("status %d, want %d: %s", a.status, status, a.text)
	}
	return a
}

// object is a JSON object.
type object = map[string]any

func ldapPayload(name string) object {
	return object{
		"name": name,
		"type": "ldap",
		"connection": object{
			"host":     "ldap.example.com",
			"port":     636,
			"security": "ldaps",
			"bind_dn":  "cn=reader,dc=example,dc=com",
		},
		"credentials": object{"bind_password": canary},
	}
}

// made creates a connector and returns its path.
func (h *house) made(payload object) string {
	h.t.Helper()
	return "/connectors/" + h.want(201, h.call("admin", "POST", "/connectors", payload)).body["id"].(string)
}

// id is the last part of a path.
func id(path string) string { return path[strings.LastIndex(path, "/")+1:] }

func (h *house) exec(sql string, args ...any) {
	h.t.Helper()
	err := h.service.DB.As(ctx, h.tenant, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) text(sql string, args ...any) (out string) {
	h.t.Helper()
	err := h.service.DB.As(ctx, h.tenant, func(tx *pg.Tx) error { return tx.QueryRow(ctx, sql, args...).Scan(&out) })
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

func (h *house) opened(path string) (o callable.Connector) {
	h.t.Helper()
	err := h.service.DB.As(ctx, h.tenant, func(tx *pg.Tx) (err error) {
		o, err = h.service.Open(ctx, tx, id(path))
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return o
}

// noCanary looks for the secret in all that was answered, logged and stored.
func (h *house) noCanary() {
	h.t.Helper()
	stored := h.text(
		`select coalesce((select string_agg(c::text, ' ') from connector c),
			'') || coalesce((select string_agg(a::text, ' ') from audit_event a), '')`,
	)
	for where, text := range map[string]string{"answers": h.answers.String(), "log": h.log.String(),
		"database": stored} {
		for _, form := range []string{canary, fmt.Sprintf("%x", canary), "Q0FOQVJZLTljNDEtaG9yc2"} {
			if strings.Contains(text, form) {
				h.t.Errorf("the secret shows in the %s: %s", where, text)
			}
		}
	}
}

// journal keeps a log.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

// target is a connector that does as a test says.
type target struct {
	test     func(ctx context.Context, req v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error)
	discover func(ctx context.Context, req v1.DiscoverRequest) (v1.DiscoverResponse, error)
}

func (c *target) Test(ctx context.Context, req v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
	return c.test(ctx, req, report)
}

func (c *target) Discover(
	ctx context.Context,
	req v1.DiscoverRequest,
	_ connectorkit.Report,
) (v1.DiscoverResponse, error) {
	return c.discover(ctx, req)
}

func (c *target) Sync(context.Context, v1.SyncRequest, connectorkit.Emit) error { return nil }

// agents knows one agent that is online, by the group "branch".
type agents struct{ target *target }

func (a agents) Connector(_ context.Context, t dispatch.Target) (connectorkit.Connector, error) {
	if t.AgentGroup == "branch" {
		return a.target, nil
	}
	return nil, &v1.ErrorDetail{
		Class:     v1.ClassAgentUnavailable,
		Code:      "agent_offline",
		Message:   "the agent is offline",
		Retryable: true,
	}
}

// status calls without looking at the answer; it may be used by several at once.
func (h *house) status(method, path, body, match string) int {
	req, err := http.NewRequest(method, h.server.URL+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		return 0
	}
	req.Header.Set("Authorization", "Bearer admin")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("If-Match", match)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	_ = res.Body.Close()
	return res.StatusCode
}

func (h *house) names(path string) string {
	h.t.Helper()
	return names(h.want(200, h.call("admin", "GET", path, nil)))
}

// names are the numbers in the names of a list's connectors, such as 0 of "C0 100%".
func names(a answer) (out string) {
	items, _ := a.body["items"].([]any)
	for _, item := range items {
		out += item.(object)["name"].(string)[1:2]
	}
	return out
}

// firstEvent reads a stream up to the end of its first event.
func (h *house) firstEvent(path string) string {
	h.t.Helper()
	req, err := http.NewRequest("POST", h.server.URL+"/api/v1"+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer admin")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = res.Body.Close() })
	var seen []byte
	for part := make([]byte, 512); !strings.Contains(string(seen), "data: "); {
		n, err := res.Body.Read(part)
		seen = append(seen, part[:n]...)
		if err != nil {
			h.t.Fatalf("the stream ended with %v after %s", err, seen)
		}
	}
	return string(seen)
}
