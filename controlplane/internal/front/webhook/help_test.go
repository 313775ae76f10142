package webhook

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

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

var ctx = context.Background()

// house serves the routes over a fresh database. Tokens are names of roles; "other" is an administrator of another
// tenant.
type house struct {
	t             testing.TB
	db            *pg.DB
	seal          *seal.Keyring
	service       *Service
	tenant, other viewer.Viewer
	server        *httptest.Server
	log           *journal
	mu            sync.Mutex
	answers       bytes.Buffer // all that was answered, but where a secret is shown once
}

// journal is a log that a test reads.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{t: t, db: pgtest.New(t), log: &journal{}}
	h.tenant, h.other = pgtest.Tenant(t, h.db, "first"), pgtest.Tenant(t, h.db, "second")
	var err error
	if h.seal, err = seal.New(bytes.Repeat([]byte{7}, 32)); err != nil {
		t.Fatal(err)
	}
	h.service = h.process("127.0.0.0/8")
	api := httpapi.New(
		httpapi.Config{Title: "test", Version: "1", Log: h.service.Log, User: h.authenticate, Agent: h.authenticate},
	)
	api.Add(h.service.Routes()...)
	h.server = httptest.NewServer(api.Router)
	t.Cleanup(h.server.Close)
	return h
}

// process is one process of the deployment.
func (h *house) process(opened ...string) *Service {
	h.t.Helper()
	ranges, err := outbound.ParseCIDRs(opened)
	if err != nil {
		h.t.Fatal(err)
	}
	cursors, err := httpapi.NewCursors(make([]byte, 32), time.Now)
	if err != nil {
		h.t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return &Service{
		DB:      h.db,
		Seal:    h.seal,
		Guard:   &outbound.Guard{AllowCIDRs: ranges},
		Cursors: cursors,
		Log:     log,
		Now:     time.Now,
		BaseURL: func(string) string { return "https://acme.example" },
	}
}

// run lets a process deliver until the test ends, or stop is called.
func (h *house) run(s *Service) (stop func()) {
	running, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Run(running)
	}()
	stop = func() { cancel(); <-done }
	h.t.Cleanup(stop)
	return stop
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
	case "other":
		v.Tenant, v.Roles = h.other.Tenant, []viewer.Role{viewer.Admin}
	default:
		return v, fault.New(fault.Unauthenticated, "who are you")
	}
	return v, nil
}

// call sends a request and expects a status.
func (h *house) call(as, method, path string, body any, want int) map[string]any {
	h.t.Helper()
	status, out, _ := h.do(as, method, path, body, nil)
	if status != want {
		h.t.Fatalf("%s %s as %s = %d, %v; want %d", method, path, as, status, out, want)
	}
	return out
}

func (h *house) do(
	as, method, path string,
	body any,
	header http.Header,
) (status int, out map[string]any, headers http.Header) {
	h.t.Helper()
	var payload io.Reader
	if text, ok := body.(string); ok {
		payload = strings.NewReader(text)
	} else if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			h.t.Fatal(err)
		}
		payload = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, h.server.URL+httpapi.Prefix+"/settings/webhooks"+path, payload)
	if err != nil {
		h.t.Fatal(err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+as)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &out); err != nil {
			h.t.Fatalf("%s %s: %v: %s", method, path, err, raw)
		}
	}
	if _, shown := out["secret"]; !shown {
		h.mu.Lock()
		h.answers.Write(raw)
		h.mu.Unlock()
	}
	return res.StatusCode, out, res.Header
}

// as runs a transaction of the first tenant's system.
func (h *house) as(fn func(tx *pg.Tx) error) {
	h.t.Helper()
	if err := h.db.As(ctx, h.tenant, fn); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) exec(sql string, args ...any) {
	h.t.Helper()
	h.as(func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	})
}

func (h *house) count(sql string, args ...any) (n int) {
	h.t.Helper()
	h.as(func(tx *pg.Tx) error { return tx.QueryRow(ctx, sql, args...).Scan(&n) })
	return n
}

// publish tells of an identity that became known.
func (h *house) publish(id string) {
	h.t.Helper()
	h.as(func(tx *pg.Tx) error {
		return event.Publish(
			ctx,
			tx,
			event.Event{Kind: event.IdentityCreated, Resource: event.Resource{Type: "identity", ID: id}, Version: 1,
				Data: map[string]any{"external_id": "x-" + id, "status": "active"}},
		)
	})
}

func (h *house) actions() (list []string) {
	h.t.Helper()
	h.as(func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select coalesce(array_agg(action order by seq), '{}') from audit_event`).Scan(&list)
	})
	return list
}

// hook creates a webhook that wants identity.created, with changes, and gives its id and secret.
func (h *house) hook(url string, more map[string]any) (id, secret string) {
	h.t.Helper()
	body := map[string]any{"name": "hook " + subscription.NewID(), "url": url, "events": []string{"identity.created"}}
	for k, v := range more {
		body[k] = v
	}
	made := h.call("admin", "POST", "", body, 201)
	return made["id"].(string), made["secret"].(string)
}

// delivered is a request that a receiver got.
type delivered struct {
	id, attempt, body, path string
	header                  http.Header
	at                      time.Time
}

// receiver is an endpoint that verifies what it is sent by the reference library, and answers as it is told.
type receiver struct {
	t      testing.TB
	server *httptest.Server
	mu     sync.Mutex
	secret string
	got    []delivered
	answer func(w http.ResponseWriter, d delivered)
	now    int // requests that are being answered
	most   int
}

func receive(t testing.TB, answer func(w http.ResponseWriter, d delivered)) *receiver {
	r := &receiver{t: t, answer: answer}
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	b, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	d := delivered{
		req.Header.Get("webhook-id"),
		req.Header.Get("grantwright-attempt"),
		string(b),
		req.URL.Path,
		req.Header,
		time.Now(),
	}
	r.mu.Lock()
	r.got = append(r.got, d)
	secret := r.secret
	r.now++
	r.most = max(r.most, r.now)
	r.mu.Unlock()
	defer func() { r.mu.Lock(); r.now--; r.mu.Unlock() }()
	if secret != "" {
		verify(r.t, secret, d)
	}
	if r.answer != nil {
		r.answer(w, d)
	}
}

func verify(t testing.TB, secret string, d delivered) {
	t.Helper()
	library, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Error(err)
		return
	}
	if err := library.Verify([]byte(d.body), d.header); err != nil {
		t.Errorf("the reference library refuses delivery %s: %v", d.id, err)
	}
}

// verifies makes the receiver verify with a secret from now on.
func (r *receiver) verifies(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
}

func (r *receiver) all() []delivered {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]delivered(nil), r.got...)
}

// has waits until the receiver got n requests.
func (r *receiver) has(n int) []delivered {
	r.t.Helper()
	eventually(r.t, fmt.Sprintf("%d deliveries; got %d", n, len(r.all())), func() bool { return len(r.all()) >= n })
	return r.all()
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("it did not come to %s", what)
}

// status answers with a status.
func status(code int) func(http.ResponseWriter, delivered) {
	return func(w http.ResponseWriter, _ delivered) { w.WriteHeader(code) }
}
