package stream

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/trail"
)

var ctx = context.Background()

type house struct {
	t      *testing.T
	base   pgtest.Database
	ring   *seal.Keyring
	tenant viewer.Viewer
	log    *trail.Service
	server *httptest.Server
}

func open(t *testing.T) *house {
	t.Helper()
	ring, err := seal.New(bytes.Repeat([]byte("k7"), 16))
	if err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, base: pgtest.Fresh(t), ring: ring}
	h.tenant = pgtest.Tenant(t, h.base.DB, "acme")
	cursors, err := httpapi.NewCursors(make([]byte, 32), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	h.log = trail.New(h.base.DB, ring, cursors, slog.New(slog.DiscardHandler))
	auth := func(_ context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
		if bearer != "admin" {
			return viewer.Viewer{}, fault.New(fault.Unauthenticated, "who is that?")
		}
		return viewer.Viewer{
			Tenant:  h.tenant.Tenant,
			Kind:    viewer.User,
			ID:      "u1",
			Display: "ada",
			Roles:   []viewer.Role{viewer.Admin},
		}, nil
	}
	a := httpapi.New(
		httpapi.Config{
			Title:   "test",
			Version: "1",
			Log:     slog.New(slog.NewTextHandler(testLog{t}, nil)),
			User:    auth,
			Agent:   auth,
		},
	)
	a.Add(h.service(h.base.DB).Routes()...)
	a.Add(h.log.Routes()...)
	h.server = httptest.NewServer(a.Router)
	t.Cleanup(h.server.Close)
	return h
}

type testLog struct{ t testing.TB }

func (l testLog) Write(b []byte) (int, error) { l.t.Log(string(b)); return len(b), nil }

// service is one process's.
func (h *house) service(db *pg.DB) *Service {
	cursors, err := httpapi.NewCursors(make([]byte, 32), time.Now)
	if err != nil {
		h.t.Fatal(err)
	}
	guard := &outbound.Guard{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	s := New(db, h.ring, guard, cursors, slog.New(slog.DiscardHandler))
	s.pace = pace{
		look:    20 * time.Millisecond,
		lease:   700 * time.Millisecond,
		timeout: 5 * time.Second,
		first:   10 * time.Millisecond,
		longest: 50 * time.Millisecond,
	}
	return s
}

// runs lets a process work until the test ends, or until stop is called.
func (h *house) runs() (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	s := h.service(h.base.DB)
	go func() {
		defer close(done)
		_ = s.Run(ctx)
	}()
	stop = func() { cancel(); <-done }
	h.t.Cleanup(stop)
	return stop
}

func (h *house) write(n int) {
	h.t.Helper()
	err := h.base.DB.As(ctx, h.tenant, func(tx *pg.Tx) error {
		for i := range n {
			e := audit.Entry{
				Action:  "identity.updated",
				Subject: audit.Subject{Type: "identity", ID: fmt.Sprint(i), Display: "Ada €\n<1>"},
			}
			if i%7 == 3 {
				e.Outcome = audit.Denied
			}
			if err := audit.Record(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) call(want int, method, path string, body any) (out map[string]any) {
	h.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		h.t.Fatal(err)
	}
	req, _ := http.NewRequest(method, h.server.URL+"/api/v1"+path, bytes.NewReader(b))
	req.Header.Set("Authorization", "Bearer admin")
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, _ := io.ReadAll(res.Body)
	if res.StatusCode != want {
		h.t.Fatalf("%s %s = %d: %s", method, path, res.StatusCode, answer)
	}
	if strings.Contains(string(answer), canary) {
		h.t.Errorf("%s %s shows the secret: %s", method, path, answer)
	}
	if len(answer) > 0 && json.Unmarshal(answer, &out) != nil {
		h.t.Fatalf("%s %s: %s", method, path, answer)
	}
	return out
}

const canary = "Splunk CANARY-5f1"

// until waits for a stream to be in a state.
func (h *house) until(id string, done func(st map[string]any) bool) map[string]any {
	h.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		st := h.call(200, "GET", "/settings/audit-streams/"+id, nil)
		if done(st) {
			return st
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("the stream stays %v", st)
		}
	}
}

func upToDate(st map[string]any) bool { return st["lag"] == 0.0 && st["state"] == "ok" }

// sink is an HTTPS server that keeps what it takes.
type sink struct {
	*httptest.Server
	mu     sync.Mutex
	lines  []string
	sizes  []int
	auth   map[string]bool
	refuse func(n int, size int) int // status by the number of the request; 0: taken
	asked  int
}

func newSink(t *testing.T) *sink {
	s := &sink{auth: map[string]bool{}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked++
		if s.refuse != nil {
			if status := s.refuse(s.asked, len(b)); status != 0 {
				w.WriteHeader(status)
				return
			}
		}
		s.auth[r.Header.Get("X-Key")] = true
		lines := strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
		s.lines, s.sizes = append(s.lines, lines...), append(s.sizes, len(b))
		w.WriteHeader(http.StatusNoContent)
	}))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *sink) ca() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
}

// taken verifies what arrived: every entry, in order, each at least once; the chain holds.
func (s *sink) taken(t *testing.T, first, last int64) (twice int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	want := first
	for _, l := range s.lines {
		var m struct {
			Type string `json:"type"`
			Seq  int64  `json:"seq"`
		}
		if err := json.Unmarshal([]byte(l), &m); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		switch {
		case m.Type != "":
		case m.Seq == want:
			want++
		case m.Seq < want:
			twice++
			want = max(want, m.Seq+1)
		default:
			t.Fatalf("entry %d came in place of %d", m.Seq, want)
		}
	}
	if want != last+1 {
		t.Errorf("%d entries arrived; want %d", want-first, last-first+1)
	}
	return twice
}

func (h *house) create(body map[string]any) string {
	h.t.Helper()
	return h.call(201, "POST", "/settings/audit-streams", body)["id"].(string)
}

func TestAStreamSendsTheWholeLogInItsOrder(t *testing.T) {
	h := open(t)
	s := newSink(t)
	h.write(1200)
	h.runs()
	id := h.create(
		map[string]any{
			"name":         "siem",
			"kind":         "https",
			"url":          s.URL + "/in",
			"header":       "X-Key",
			"header_value": canary,
			"ca":           s.ca(),
			"from":         "beginning",
		},
	)
	st := h.until(id, upToDate)
	if st["header_value_set"] != true || st["ca_set"] != true || st["header_value"] != nil {
		t.Errorf("shown: %v", st)
	}
	last := int64(st["last_seq"].(float64))
	if twice := s.taken(t, 1, last); twice != 0 {
		t.Errorf("%d entries came twice", twice)
	}
	if !s.auth[canary] || len(s.auth) != 1 {
		t.Error("the sink was not given the header's value")
	}
	req, _ := http.NewRequest("GET", h.server.URL+"/api/v1/audit-events/export", nil)
	req.Header.Set("Authorization", "Bearer admin")
	res, err := http.DefaultClient.Do(req) // signs a checkpoint
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	res.Body.Close()
	h.until(id, upToDate)
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		s.mu.Lock()
		all := strings.Join(s.lines, "\n")
		s.mu.Unlock()
		if strings.Count(all, `"type":"checkpoint"`) >= 2 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no checkpoint arrived")
		}
	}
}

func TestASinkThatFailsIsAskedAgainAndNothingIsLost(t *testing.T) {
	h := open(t)
	s := newSink(t)
	down := true
	s.refuse = func(_, size int) int {
		switch {
		case down:
			return 503
		case size > 40<<10:
			return 413
		}
		return 0
	}
	stop := h.runs()
	id := h.create(map[string]any{"name": "siem", "kind": "https", "url": s.URL, "ca": s.ca()})
	h.write(900)
	st := h.until(id, func(st map[string]any) bool { return st["state"] == "failing" })
	if text, _ := st["last_error"].(string); !strings.Contains(text, "503") {
		t.Errorf("last_error = %q", text)
	}
	s.mu.Lock()
	down = false
	s.mu.Unlock()
	st = h.until(id, upToDate)
	stop()
	s.taken(t, 1, int64(st["last_seq"].(float64)))
}

// A process that dies without a word leaves a lease behind, and perhaps a batch that was sent and not noted.
func TestWhatADeadProcessHadTakenIsSentByAnother(t *testing.T) {
	h := open(t)
	s := newSink(t)
	id := h.create(map[string]any{"name": "siem", "kind": "https", "url": s.URL, "ca": s.ca()})
	h.write(300)
	dead := h.service(h.base.DB)
	err := h.base.DB.As(ctx, h.tenant, func(tx *pg.Tx) error {
		b, err := dead.claim(ctx, tx, id)
		if err != nil {
			return err
		}
		if b == nil {
			return errors.New("nothing to take")
		}
		return dead.send(ctx, h.tenant.Tenant, b.stream, b.keys, b.messages[:100]) // and it dies
	})
	if err != nil {
		t.Fatal(err)
	}
	h.runs()
	h.runs()
	st := h.until(id, upToDate)
	if twice := s.taken(t, 1, int64(st["last_seq"].(float64))); twice != 100 {
		t.Errorf("%d entries came twice; what the dead process had sent was not noted by it", twice)
	}
}

func TestALogThatWasCutOffIsNoticed(t *testing.T) {
	h := open(t)
	s := newSink(t)
	id := h.create(map[string]any{"name": "siem", "kind": "https", "url": s.URL, "ca": s.ca()})
	h.write(20)
	stop := h.runs()
	h.until(id, upToDate)
	stop()
	err := h.base.DB.As(ctx, h.tenant, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `update audit_stream set last_seq = 999`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	h.runs()
	h.until(id, func(st map[string]any) bool {
		text, _ := st["last_error"].(string)
		return st["state"] == "failing" && strings.Contains(text, "cut off")
	})
}

func TestOCSFLinesKeepTheHashes(t *testing.T) {
	h := open(t)
	s := newSink(t)
	h.runs()
	id := h.create(map[string]any{"name": "siem", "kind": "https", "url": s.URL, "ca": s.ca(), "format": "ocsf"})
	h.write(3)
	h.until(id, upToDate)
	var e struct {
		Metadata struct{ Version string }
		Unmapped struct{ Hash string }
	}
	if err := json.Unmarshal(
		[]byte(s.lines[0]),
		&e,
	); err != nil || len(e.Unmapped.Hash) != 64 ||
		e.Metadata.Version != "1.3.0" {
		t.Errorf("line %s", s.lines[0])
	}
}

func TestAddressesAndSecretsAreJudged(t *testing.T) {
	h := open(t)
	s := newSink(t)
	base := map[string]any{"name": "siem", "kind": "https", "url": s.URL}
	with := func(more map[string]any) map[string]any {
		out := map[string]any{}
		for _, m := range []map[string]any{base, more} {
			for k, v := range m {
				out[k] = v
			}
		}
		return out
	}
	for name, body := range map[string]map[string]any{
		"metadata":            with(map[string]any{"url": "https://169.254.169.254/"}),
		"a private address":   with(map[string]any{"url": "https://10.0.0.8/"}),
		"another scheme":      with(map[string]any{"url": "ftp://127.0.0.1/"}),
		"a user":              with(map[string]any{"url": "https://u:p@127.0.0.1/"}),
		"syslog to metadata":  with(map[string]any{"kind": "syslog", "url": "tls://169.254.169.254:6514"}),
		"syslog without port": with(map[string]any{"kind": "syslog", "url": "tls://127.0.0.1"}),
		"syslog over https":   with(map[string]any{"kind": "syslog"}),
		"ssh":                 with(map[string]any{"kind": "syslog", "url": "tcp://127.0.0.1:22"}),
		"no certificate":      with(map[string]any{"ca": "hello"}),
		"a line feed":         with(map[string]any{"header_value": "a\nb"}),
		"unknown":             with(map[string]any{"colour": "red"}),
		"unknown kind":        with(map[string]any{"kind": "ftp"}),
	} {
		t.Run(name, func(t *testing.T) { h.t = t; h.call(422, "POST", "/settings/audit-streams", body) })
	}
	h.t = t
	id := h.create(with(map[string]any{"header_value": canary}))
	h.call(409, "POST", "/settings/audit-streams", base)
	h.call(422, "PATCH", "/settings/audit-streams/"+id, map[string]any{"url": "https://127.0.0.2:8443/"})
	if st := h.call(
		200,
		"PATCH",
		"/settings/audit-streams/"+id,
		map[string]any{"url": s.URL + "/other", "enabled": false},
	); st["header_value_set"] != true ||
		st["state"] != "disabled" {
		t.Errorf("changed: %v", st)
	}
	if st := h.call(
		200,
		"PATCH",
		"/settings/audit-streams/"+id,
		map[string]any{"url": "https://127.0.0.2:8443/", "header_value": nil},
	); st["header_value_set"] != false {
		t.Errorf("cleared: %v", st)
	}
	h.call(204, "DELETE", "/settings/audit-streams/"+id, nil)
	h.call(404, "GET", "/settings/audit-streams/"+id, nil)
}

func TestAPingTellsWhatBecameOfIt(t *testing.T) {
	h := open(t)
	s := newSink(t)
	id := h.create(map[string]any{"name": "siem", "kind": "https", "url": s.URL, "ca": s.ca()})
	if out := h.call(
		200,
		"POST",
		"/settings/audit-streams/"+id+"/test",
		nil,
	); out["ok"] != true ||
		!strings.Contains(s.lines[0], `"type":"ping"`) {
		t.Errorf("test = %v, %v", out, s.lines)
	}
	s.refuse = func(int, int) int { return 401 }
	if out := h.call(
		200,
		"POST",
		"/settings/audit-streams/"+id+"/test",
		nil,
	); out["ok"] != false ||
		!strings.Contains(out["error"].(string), "401") {
		t.Errorf("test = %v", out)
	}
	untrusted := h.create(map[string]any{"name": "other", "kind": "https", "url": s.URL})
	if out := h.call(
		200,
		"POST",
		"/settings/audit-streams/"+untrusted+"/test",
		nil,
	); out["ok"] != false ||
		!strings.Contains(out["error"].(string), "certificate") {
		t.Errorf("test = %v", out)
	}
}

// rfc5424 is what a message must look like, strictly.
var rfc5424 = regexp.MustCompile(
	`(?s)^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) (-|\[meta sequenceId="\d+"\]) \x{feff}(.*)$`,
)

// receiver reads frames until the sender ends, as a syslog daemon does.
func receiver(t *testing.T, l net.Listener) (messages func() []string) {
	var mu sync.Mutex
	var got []string
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for {
					length, err := in.ReadString(' ')
					if err != nil {
						return
					}
					n, err := strconv.Atoi(strings.TrimSuffix(length, " "))
					if err != nil {
						t.Errorf("a frame of %q bytes", length)
						return
					}
					b := make([]byte, n)
					if _, err := io.ReadFull(in, b); err != nil {
						t.Errorf("half a frame: %v", err)
						return
					}
					mu.Lock()
					got = append(got, string(b))
					mu.Unlock()
				}
			}()
		}
	}()
	t.Cleanup(func() { l.Close() })
	return func() []string { mu.Lock(); defer mu.Unlock(); return append([]string{}, got...) }
}

func TestSyslogOverTLSAndTCP(t *testing.T) {
	certificate := newSink(t)
	for _, scheme := range []string{"tcp", "tls"} {
		t.Run(scheme, func(t *testing.T) {
			h := open(t)
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			if scheme == "tls" {
				l = tls.NewListener(l, certificate.TLS)
			}
			got := receiver(t, l)
			id := h.create(
				map[string]any{
					"name": "siem",
					"kind": "syslog",
					"url":  scheme + "://" + l.Addr().String(),
					"ca":   certificate.ca(),
				},
			)
			h.write(700)
			h.runs()
			st := h.until(id, upToDate)
			messages := got()
			if len(messages) < 700 {
				t.Fatalf("%d messages; want 700", len(messages))
			}
			for i, m := range messages {
				parts := rfc5424.FindStringSubmatch(m)
				if parts == nil {
					t.Fatalf("not RFC 5424: %q", m)
				}
				var e struct {
					Seq     int64  `json:"seq"`
					Outcome string `json:"outcome"`
				}
				if err := json.Unmarshal([]byte(parts[8]), &e); err != nil || strings.ContainsAny(parts[8], "\r\n") {
					t.Fatalf("%q: %v", parts[8], err)
				}
				if want := map[string]string{"success": "110", "denied": "108"}[e.Outcome]; parts[1] != want ||
					e.Seq != int64(i)+1 ||
					parts[5] != h.tenant.Tenant {
					t.Fatalf("message %d: %q", i, m)
				}
			}
			if last := int64(st["last_seq"].(float64)); last != int64(len(messages)) {
				t.Errorf("%d messages and last_seq %d", len(messages), last)
			}
		})
	}
}

func TestWhatIsSentVerifies(t *testing.T) {
	h := open(t)
	s := newSink(t)
	h.write(5)
	h.runs()
	h.until(
		h.create(map[string]any{"name": "siem", "kind": "https", "url": s.URL, "ca": s.ca(), "from": "beginning"}),
		upToDate,
	)
	v := &chain.Verifier{}
	for _, l := range s.lines {
		link, err := chain.ParseLink([]byte(l))
		if err != nil {
			continue // a checkpoint
		}
		if err := v.Next(link); err != nil {
			t.Fatal(err)
		}
	}
	if v.Checked < 6 {
		t.Errorf("%d entries verified", v.Checked)
	}
}
