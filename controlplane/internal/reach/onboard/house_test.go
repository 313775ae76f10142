package onboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
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
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/transform"
	"github.com/grantwright/grantwright/controlplane/internal/reach/onboard"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/callback"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/worker"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// house serves connectors, the way to their first sync and their runs over a fresh database. Tokens are names of roles;
// "other" is an administrator of another tenant.
type house struct {
	t      *testing.T
	db     *pg.DB
	target *target
	tenant viewer.Viewer
	other  viewer.Viewer
	server *httptest.Server
}

func open(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, db: pgtest.New(t), target: &target{}}
	keys, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	cursors, err := httpapi.NewCursors(make([]byte, 32), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	h.tenant, h.other = pgtest.Tenant(t, h.db, "first"), pgtest.Tenant(t, h.db, "second")
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	d := &dispatch.Dispatcher{HostedConnector: func(string) (connectorkit.Connector, error) { return h.target, nil }}
	connectors := &connector.Service{DB: h.db, Seal: keys, Now: time.Now, Log: log, Cursors: cursors, Dispatch: d}
	fields := &fieldmap.Service{
		DB:         h.db,
		Connectors: connectors,
		Cursors:    cursors,
		Compile:    transform.Compile,
		Log:        log,
		Now:        time.Now,
	}
	runs := &syncrun.Service{
		DB:          h.db,
		Connectors:  connectors,
		Cursors:     cursors,
		CallbackKey: keys.Derive("callback"),
		Now:         time.Now,
	}
	works := &worker.Service{
		DB:         h.db,
		Connectors: connectors,
		Fields:     fields,
		Dispatch:   d,
		Agents:     nobody{},
		Callbacks:  &callback.Sender{DB: h.db, Runs: runs, Log: log, Now: time.Now},
		Log:        log,
		Now:        time.Now,
	}
	guide := &onboard.Service{
		DB:         h.db,
		Connectors: connectors,
		Fields:     fields,
		Runs:       runs,
		Cursors:    cursors,
		Now:        time.Now,
	}
	api := httpapi.New(
		httpapi.Config{Title: "test", Version: "1", Log: log, User: h.authenticate, Agent: h.authenticate},
	)
	api.Add(slices.Concat(connectors.Routes(), fields.Routes(), runs.Routes(), guide.Routes())...)
	h.server = httptest.NewServer(api.Router)
	t.Cleanup(h.server.Close)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- works.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return h
}

type nobody struct{}

func (nobody) Serves(dispatch.Target) bool                           { return false }
func (nobody) Online(context.Context, dispatch.Target) (bool, error) { return false, nil }

func (h *house) authenticate(_ context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
	v := viewer.Viewer{
		Tenant:  h.tenant.Tenant,
		Kind:    viewer.User,
		ID:      bearer,
		Display: bearer,
		Roles:   []viewer.Role{viewer.Role(bearer)},
	}
	switch bearer {
	case "admin", "auditor", "manager":
	case "other":
		v.Tenant, v.Roles = h.other.Tenant, []viewer.Role{viewer.Admin}
	default:
		return v, fault.New(fault.Unauthenticated, "nobody")
	}
	return v, nil
}

type object = map[string]any

// answer is what came back.
type answer struct {
	status int
	etag   string
	text   string
	body   object
}

func (a answer) code() any { return a.body["code"] }

// points are the problem's errors: where, and which code.
func (a answer) points() map[string]string {
	out := map[string]string{}
	list, _ := a.body["errors"].([]any)
	for _, e := range list {
		m, _ := e.(object)
		out[fmt.Sprint(m["pointer"])] = fmt.Sprint(m["code"])
	}
	return out
}

// list is a member that holds objects.
func (a answer) list(member string) (out []object) {
	items, _ := a.body[member].([]any)
	for _, item := range items {
		out = append(out, item.(object))
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
	a := answer{status: res.StatusCode, etag: res.Header.Get("ETag"), text: string(text)}
	_ = json.Unmarshal(text, &a.body)
	return a
}

// do calls as an administrator and fails the test when the status is another.
func (h *house) do(status int, method, path string, body any, header ...string) answer {
	h.t.Helper()
	a := h.call("admin", method, path, body, header...)
	if a.status != status {
		h.t.Fatalf("%s %s = %d, want %d: %s", method, path, a.status, status, a.text)
	}
	return a
}

// connect makes a connector and returns its path.
func (h *house) connect(name string) string {
	h.t.Helper()
	payload := object{
		"name":       name,
		"type":       "rest",
		"connection": object{"base_url": "https://hr.example.com", "auth_method": "none"},
	}
	return "/connectors/" + h.do(201, "POST", "/connectors", payload).body["id"].(string)
}

// ended waits for the end of a run and returns it.
func (h *house) ended(path, run string) object {
	h.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		switch r := h.do(200, "GET", path+"/sync-runs/"+run, nil).body; r["status"] {
		case "succeeded", "partial", "failed", "held", "cancelled":
			return r
		}
	}
	h.t.Fatal("the run does not end")
	return nil
}

func text(h *house, sql string, args ...any) (out string) {
	h.t.Helper()
	err := h.db.As(context.Background(), h.tenant, func(tx *pg.Tx) error {
		return tx.QueryRow(context.Background(), `select coalesce((`+sql+`)::text, '')`, args...).Scan(&out)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// id is the last part of a path.
func id(path string) string { return path[strings.LastIndex(path, "/")+1:] }

// target is a system with the fields and records that a test gives it.
type target struct {
	mu       sync.Mutex
	objects  []v1.DiscoveredObject
	people   []v1.RemoteIdentity
	accounts []v1.RemoteAccount
	refuses  *v1.ErrorDetail
	asked    []v1.SyncRequest
}

func (c *target) Test(context.Context, v1.TestRequest, connectorkit.Report) (v1.TestResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return v1.TestResponse{Success: c.refuses == nil, Error: c.refuses}, nil
}

func (c *target) Discover(
	_ context.Context,
	_ v1.DiscoverRequest,
	report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refuses != nil {
		return v1.DiscoverResponse{}, c.refuses
	}
	report.Send(v1.Progress{Message: "looking at people"})
	return v1.DiscoverResponse{
		Success:      true,
		SchemaDigest: fmt.Sprintf("sha256:%d", len(c.objects)),
		Objects:      c.objects,
	}, nil
}

func (c *target) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	c.mu.Lock()
	c.asked = append(c.asked, req)
	page := v1.SyncResponse{Success: true, Identities: slices.Clone(c.people), Accounts: slices.Clone(c.accounts)}
	refuses := c.refuses
	c.mu.Unlock()
	if refuses != nil {
		return refuses
	}
	if err := emit(ctx, page); err != nil {
		return err
	}
	var scopes []v1.Scope
	for _, k := range []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants} {
		scopes = append(scopes, v1.Scope{Kind: k, Key: "*", Complete: true})
	}
	return emit(ctx, v1.SyncResponse{Success: true, Page: &v1.Page{Scopes: scopes}})
}

// field is one that was seen in samples.
func field(name, kind string, samples ...string) v1.DiscoveredField {
	return v1.DiscoveredField{Name: name, Path: name, Type: kind, Samples: samples, Source: "sample", UniqueRatio: 1}
}

func person(id string, attributes object) v1.RemoteIdentity {
	return v1.RemoteIdentity{ExternalID: id, NativeRef: id, Attributes: attributes}
}

// ordinary is a system of people as one meets it.
func (h *house) ordinary() {
	h.target.objects = []v1.DiscoveredObject{
		{Kind: "identity", NativeType: "person", Fields: []v1.DiscoveredField{
			field(
				"mail",
				"string",
				"ann@x.test",
			),
			field("cn", "string", "Ann Archer"),
			field("badge", "string", "b-1"),
			field("dept", "string", "Sales"),
		}},
		{Kind: "entitlement", NativeType: "group", Fields: []v1.DiscoveredField{field("title", "string", "Staff")}},
	}
	h.target.people = []v1.RemoteIdentity{
		person("ann", object{"mail": "ann@x.test", "cn": "Ann Archer", "badge": "b-1", "dept": "Sales", "phone": "1"}),
		person("bob", object{"mail": "bob@x.test", "cn": "Bob Baker", "badge": "b-2", "dept": "Sales"}),
	}
	h.target.accounts = []v1.RemoteAccount{
		{ExternalID: "a-ann", NativeRef: "a-ann", Attributes: object{"login": "ann"}},
	}
}

// mapped is a connector that has taken the first four steps.
func (h *house) mapped(name string) string {
	h.t.Helper()
	path := h.connect(name)
	h.do(200, "POST", path+"/test", nil)
	h.do(200, "POST", path+"/discover", nil)
	h.do(200, "POST", path+"/wizard/accept-mappings", nil)
	return path
}

// does changes the target.
func (c *target) does(fn func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fn()
}
