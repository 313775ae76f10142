package schedule_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connectorstate"
	"github.com/grantwright/grantwright/controlplane/internal/reach/schedule"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

var ctx = context.Background()

// clock is moved by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) set(text string) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// house serves the routes over a fresh database. Nobody works on the runs: a test ends them.
type house struct {
	t      testing.TB
	db     *pg.DB
	clock  *clock
	first  *schedule.Service
	tenant viewer.Viewer
	server *httptest.Server
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{t: t, db: pgtest.New(t), clock: &clock{}}
	h.clock.set("2026-06-01T12:00:00Z")
	h.tenant = pgtest.Tenant(t, h.db, "first")
	h.first = h.process()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	api := httpapi.New(
		httpapi.Config{Title: "test", Version: "1", Log: log, User: h.authenticate, Agent: h.authenticate},
	)
	api.Add(h.first.Routes()...)
	h.server = httptest.NewServer(api.Router)
	t.Cleanup(h.server.Close)
	return h
}

// process is one more that keeps schedules over the same database.
func (h *house) process() *schedule.Service {
	keys, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		h.t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(h.t.Output(), nil))
	connectors := &connector.Service{DB: h.db, Seal: keys, Now: h.clock.now, Log: log}
	runs := &syncrun.Service{DB: h.db, Connectors: connectors, Now: h.clock.now}
	return &schedule.Service{DB: h.db, Runs: runs, Log: log, Now: h.clock.now}
}

// pass does one pass of a process's work on the queue, and says with how many schedules it dealt.
func (h *house) pass(p *schedule.Service) (int, error) { return h.work(p).Look(ctx) }

// work is the work queue of a process.
func (h *house) work(p *schedule.Service) *queue.Queue {
	return &queue.Queue{DB: h.db, Log: p.Log, Kinds: p.Kinds()}
}

func (h *house) authenticate(_ context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
	if bearer == "" {
		return viewer.Viewer{}, fault.New(fault.Unauthenticated, "nobody")
	}
	return viewer.Viewer{
		Tenant:  h.tenant.Tenant,
		Kind:    viewer.User,
		ID:      bearer,
		Display: bearer,
		Roles:   []viewer.Role{viewer.Role(bearer)},
	}, nil
}

type object = map[string]any

// answer is what came back.
type answer struct {
	status int
	etag   string
	text   string
	body   object
}

func (h *house) call(method, path string, body any, match ...string) answer {
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
	req.Header.Set("Authorization", "Bearer admin")
	req.Header.Set("Content-Type", "application/json")
	for _, m := range match {
		req.Header.Set("If-Match", m)
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

// want fails the test when the status is another.
func (h *house) want(status int, a answer) answer {
	h.t.Helper()
	if a.status != status {
		h.t.Fatalf("status %d, want %d: %s", a.status, status, a.text)
	}
	return a
}

// connector makes one that has been read once, and gives its id.
func (h *house) connector(name string) string {
	h.t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	h.exec(
		`insert into connector (tenant_id, id, business_id, name, type, status, funnel_state) values (current_tenant(),
			$1, $2, $2, 'ldap', 'active', 'connected')`,
		id,
		name,
	)
	return id
}

func (h *house) exec(sql string, args ...any) {
	h.t.Helper()
	err := h.db.As(ctx, h.tenant, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func text[T any](h *house, sql string, args ...any) (out T) {
	h.t.Helper()
	err := h.db.As(ctx, h.tenant, func(tx *pg.Tx) error { return tx.QueryRow(ctx, sql, args...).Scan(&out) })
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// schedule gives a connector one.
func (h *house) schedule(id string, settings object) answer {
	h.t.Helper()
	return h.want(200, h.call("PUT", "/connectors/"+id+"/schedule", settings))
}

// look lets a process deal with what is due at a time, and tells the schedule's words about it.
func (h *house) look(id, at string) string {
	h.t.Helper()
	h.clock.set(at)
	if _, err := h.pass(h.first); err != nil {
		h.t.Fatal(err)
	}
	last, _ := h.want(200, h.call("GET", "/connectors/"+id+"/schedule", nil)).body["last_occurrence"].(object)
	if last == nil {
		return "nothing"
	}
	words := fmt.Sprintf("%v %v %v", last["kind"], last["at"], last["outcome"])
	if last["reason"] != nil {
		words += fmt.Sprintf(" %v", last["reason"])
	}
	if last["caught_up"] == true {
		words += " caught up"
	}
	return words
}

func (h *house) runs(id string) int64 {
	h.t.Helper()
	return text[int64](h, `select count(*) from sync_run where connector_id = $1`, id)
}

// end ends the connector's active run, as the work on runs does.
func (h *house) end(id, status, failure string) {
	h.t.Helper()
	err := h.db.As(ctx, h.tenant, func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set status = $2, error = nullif($3, '')::jsonb, started_at = created_at, finished_at = now()
			 where connector_id = $1 and status = 'queued'
			returning id`
		var run string
		if err := tx.QueryRow(ctx, sql, id, status, failure).Scan(&run); err != nil {
			return err
		}
		return connectorstate.Synced(ctx, tx, id, run, status == "succeeded", "it said no")
	})
	if err != nil {
		h.t.Fatal(err)
	}
}
