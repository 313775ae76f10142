package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/sse"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/replay"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// keyed is an API over a real database, whose POST /things counts what it does in the tenant's version.
type keyed struct {
	t       *testing.T
	db      *pg.DB
	tenant  string
	servers []*httptest.Server
	now     time.Time
}

type keyedIn struct {
	Wait bool `query:"wait"`
	Body struct {
		Name string `json:"name" minLength:"2"`
	}
}

func newKeyed(t *testing.T, processes int) *keyed {
	t.Helper()
	ring, err := seal.New(bytes.Repeat([]byte("k3"), 16))
	if err != nil {
		t.Fatal(err)
	}
	k := &keyed{t: t, db: pgtest.New(t), now: still()}
	k.tenant = pgtest.Tenant(t, k.db, "acme").Tenant
	user := func(_ context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
		return viewer.Viewer{
			Tenant: k.tenant,
			Kind:   viewer.User,
			ID:     bearer,
			Roles:  []viewer.Role{viewer.Role(bearer)},
		}, nil
	}
	for range processes {
		keeper := &replay.Keeper{
			DB:   k.db,
			Seal: seal.ColumnSealer{Ring: ring, Place: seal.Place{Table: "kept_answer", Column: "answer"}},
			Log:  slog.New(slog.DiscardHandler),
			Now:  func() time.Time { return k.now },
		}
		k.servers = append(k.servers, serve(
			t,
			httpapi.Config{User: user, Replay: keeper},
			httpapi.Handle("POST", "/things", "Make a thing", k.make).For(viewer.Admin).Status(201),
			httpapi.Handle("DELETE", "/things/{id}", "Delete a thing", k.remove).Status(204),
			httpapi.Handle("POST", "/auth/things", "Not kept", k.make),
			httpapi.Handle(
				"GET",
				"/things",
				"Read",
				func(ctx context.Context, v viewer.Viewer, _ *struct{}) (*httpapi.One[string], error) {
					return &httpapi.One[string]{Body: "x"}, k.work(ctx, v)
				},
			),
			httpapi.JSONOrStream(
				"POST",
				"/things/test",
				"Try a thing",
				func(in *keyedIn) bool { return in.Wait },
				k.try,
				k.follow,
			),
		))
	}
	return k
}

func (k *keyed) work(ctx context.Context, v viewer.Viewer) error {
	return k.db.As(ctx, v, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `update tenant set version = version + 1`)
		return err
	})
}

func (k *keyed) make(ctx context.Context, v viewer.Viewer, in *keyedIn) (*httpapi.Created[string], error) {
	if err := k.work(ctx, v); err != nil {
		return nil, err
	}
	switch in.Body.Name {
	case "taken":
		return nil, fault.Coded(fault.Conflict, "taken", "there is one already")
	case "broken":
		return nil, io.ErrUnexpectedEOF
	case "panic":
		panic("oh")
	}
	return &httpapi.Created[string]{Location: "/api/v1/things/1", ETag: httpapi.ETag(1), Body: uuid.NewString()}, nil
}

func (k *keyed) remove(ctx context.Context, v viewer.Viewer, _ *struct {
	ID string `path:"id"`
}) (*httpapi.None, error) {
	return nil, k.work(ctx, v)
}

func (k *keyed) try(ctx context.Context, v viewer.Viewer, _ *keyedIn) (*string, error) {
	out := uuid.NewString()
	return &out, k.work(ctx, v)
}

func (k *keyed) follow(
	_ context.Context,
	v viewer.Viewer,
	_ *keyedIn,
) (func(context.Context, *sse.Events) error, error) {
	return func(ctx context.Context, e *sse.Events) error {
		if err := k.work(ctx, v); err != nil {
			return err
		}
		return e.Send("done", "", 1)
	}, nil
}

func (k *keyed) effects() (n int) {
	k.t.Helper()
	err := k.db.As(k.t.Context(), viewer.System(k.tenant), func(tx *pg.Tx) error {
		return tx.QueryRow(k.t.Context(), `select version - 1 from tenant`).Scan(&n)
	})
	if err != nil {
		k.t.Fatal(err)
	}
	return n
}

type said struct {
	status int
	header http.Header
	body   string
}

func (k *keyed) send(server int, as, method, path, body string, header ...string) said {
	k.t.Helper()
	req, err := http.NewRequest(method, k.servers[server].URL+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		k.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+as)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		k.t.Error(err)
		return said{}
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return said{res.StatusCode, res.Header, string(b)}
}

func TestARepeatedWriteGetsItsFirstAnswerOnAnyProcess(t *testing.T) {
	k := newKeyed(t, 2)
	key := uuid.NewString()
	first := k.send(0, "admin", "POST", "/things", `{"name":"ab"}`, "Idempotency-Key", key)
	again := k.send(1, "admin", "POST", "/things", `{"name":"ab"}`, "Idempotency-Key", `"`+strings.ToUpper(key)+`"`)
	if first.status != 201 || again.status != 201 || first.body != again.body || k.effects() != 1 {
		t.Fatalf(
			"first %d %s, again %d %s, done %d times",
			first.status,
			first.body,
			again.status,
			again.body,
			k.effects(),
		)
	}
	for _, name := range []string{"Location", "Etag", "Content-Type"} {
		if first.header.Get(name) == "" || first.header.Get(name) != again.header.Get(name) {
			t.Errorf("%s: %q, then %q", name, first.header.Get(name), again.header.Get(name))
		}
	}
	if first.header.Get("Idempotent-Replayed") != "" || again.header.Get("Idempotent-Replayed") != "true" {
		t.Error("a repetition must say that it is one, and the first must not")
	}
	if first.header.Get("X-Request-Id") == again.header.Get("X-Request-Id") {
		t.Error("a repetition is a request of its own")
	}
	for name, tt := range map[string]struct {
		as, path, body string
		status         int
		code           string
	}{
		"another body":         {"admin", "/things", `{"name":"abc"}`, 422, "idempotency_key_reused"},
		"another query":        {"admin", "/things?wait=true", `{"name":"ab"}`, 422, "idempotency_key_reused"},
		"a right that is gone": {"manager", "/things", `{"name":"ab"}`, 403, "forbidden"},
	} {
		if got := k.send(
			0,
			tt.as,
			"POST",
			tt.path,
			tt.body,
			"Idempotency-Key",
			key,
		); got.status != tt.status ||
			!strings.Contains(got.body, tt.code) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	k.now = k.now.Add(24*time.Hour + time.Second)
	if got := k.send(
		0,
		"admin",
		"POST",
		"/things",
		`{"name":"ab"}`,
		"Idempotency-Key",
		key,
	); got.status != 201 ||
		k.effects() != 2 {
		t.Errorf("after a day: %d, done %d times", got.status, k.effects())
	}
}

func TestWhatIsKeptAndWhatIsNot(t *testing.T) {
	for _, tt := range []struct {
		name, method, path, body string
		status, effects          int
		replayed                 string
	}{
		{"a conflict", "POST", "/things", `{"name":"taken"}`, 409, 1, "true"},
		{"a rule", "POST", "/things", `{"name":"a"}`, 422, 0, "true"},
		{"no body at all", "DELETE", "/things/1", "", 204, 1, "true"},
		{"a failure of ours", "POST", "/things", `{"name":"broken"}`, 500, 0, ""},
		{"a panic", "POST", "/things", `{"name":"panic"}`, 500, 0, ""},
		{"what cannot be read", "POST", "/things", `{"name":`, 400, 0, ""},
		{"signing in", "POST", "/auth/things", `{"name":"ab"}`, 200, 2, ""},
		{"a read", "GET", "/things", "", 200, 2, ""},
		{"a test that waits", "POST", "/things/test", `{"name":"ab"}`, 200, 1, "true"},
		{"a stream", "POST", "/things/test?wait=true", `{"name":"ab"}`, 200, 2, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newKeyed(t, 1)
			key := uuid.NewString()
			first := k.send(0, "admin", tt.method, tt.path, tt.body, "Idempotency-Key", key)
			again := k.send(0, "admin", tt.method, tt.path, tt.body, "Idempotency-Key", key)
			if first.status != tt.status || again.status != tt.status || k.effects() != tt.effects ||
				again.header.Get("Idempotent-Replayed") != tt.replayed {
				t.Errorf(
					"%d, then %d replayed=%q, done %d times (%s)",
					first.status,
					again.status,
					again.header.Get("Idempotent-Replayed"),
					k.effects(),
					again.body,
				)
			}
			if tt.replayed == "true" && first.body != again.body {
				t.Errorf("said %q, then %q", first.body, again.body)
			}
		})
	}
}

func TestAKeyMustBeAUUID(t *testing.T) {
	k := newKeyed(t, 1)
	for _, header := range [][]string{
		{"Idempotency-Key", "17"}, {"Idempotency-Key", uuid.NewString(), "Idempotency-Key", uuid.NewString()},
	} {
		if got := k.send(
			0,
			"admin",
			"POST",
			"/things",
			`{"name":"ab"}`,
			header...); got.status != 400 ||
			!strings.Contains(got.body, "invalid_idempotency_key") {
			t.Errorf("%v: %d %s", header, got.status, got.body)
		}
	}
	if n := k.effects(); n != 0 {
		t.Errorf("done %d times", n)
	}
}

func TestTwoHundredAtOnceWithOneKeyDoItOnce(t *testing.T) {
	k := newKeyed(t, 2)
	key := uuid.NewString()
	var mu sync.Mutex
	bodies, statuses := map[string]int{}, map[int]int{}
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			got := k.send(i%2, "admin", "POST", "/things", `{"name":"ab"}`, "Idempotency-Key", key)
			mu.Lock()
			defer mu.Unlock()
			statuses[got.status]++
			if got.status == 201 {
				bodies[got.body]++
			} else if got.status != 409 || got.header.Get("Retry-After") != "1" {
				t.Errorf("%d, Retry-After %q: %s", got.status, got.header.Get("Retry-After"), got.body)
			}
		})
	}
	all.Wait()
	if k.effects() != 1 || len(bodies) != 1 {
		t.Errorf("done %d times, answers %v, statuses %v", k.effects(), bodies, statuses)
	}
}

func TestAClientThatHangsUpGetsTheAnswerWhenItAsksAgain(t *testing.T) {
	k := newKeyed(t, 1)
	key := uuid.NewString()
	conn, err := net.Dial("tcp", strings.TrimPrefix(k.servers[0].URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	body := `{"name":"ab"}`
	w := bufio.NewWriter(conn)
	fmt.Fprintf(
		w,
		"POST /api/v1/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer admin\r\nContent-Type: "+
			"application/json\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n%s",
		key,
		len(body),
		body,
	)
	_ = w.Flush()
	_ = conn.Close()
	var codes []int
	for range 100 {
		got := k.send(0, "admin", "POST", "/things", body, "Idempotency-Key", key)
		if codes = append(codes, got.status); got.status == 201 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if !slices.Contains(codes, 201) || k.effects() != 1 {
		t.Errorf("statuses %v, done %d times", codes, k.effects())
	}
}
