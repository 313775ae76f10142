package hub

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/registry"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

var ctx = context.Background()

// brisk is the hub's timing for tests: the same order of things, in less time.
func brisk() agents.Timing {
	return agents.Timing{
		Hello:      2 * time.Second,
		Ping:       100 * time.Millisecond,
		Silent:     3 * time.Second,
		Heartbeat:  time.Minute,
		Offline:    4 * time.Second,
		Lapse:      700 * time.Millisecond,
		Grace:      300 * time.Millisecond,
		Probe:      600 * time.Millisecond,
		Check:      200 * time.Millisecond,
		Flush:      100 * time.Millisecond,
		Poll:       150 * time.Millisecond,
		Claim:      time.Second,
		Call:       5 * time.Second,
		Progress:   5 * time.Second,
		Drain:      2 * time.Second,
		Watch:      50 * time.Millisecond,
		Return:     400 * time.Millisecond,
		Departures: 2 * time.Second,
	}
}

// house is the control plane of a test: one database, one tenant, and one process to begin with.
type house struct {
	t      testing.TB
	db     *pg.DB
	system viewer.Viewer
	auth   *auth.Service
	ring   *seal.Keyring
	log    *syncBuffer

	mu    sync.Mutex
	clock time.Time // of tokens; zero: the real one

	*process
}

// process is one process of the control plane.
type process struct {
	hub      *Hub
	registry *registry.Registry
	url      string
	stop     func()
}

// syncBuffer is a log that several goroutines write to.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newHouse(t testing.TB, adjust ...func(*agents.Timing)) *house {
	t.Helper()
	h := &house{t: t, db: pgtest.New(t), log: &syncBuffer{}}
	h.system = pgtest.Tenant(t, h.db, "acme")
	var err error
	if h.ring, err = seal.New(bytes.Repeat([]byte{7}, 32)); err != nil {
		t.Fatal(err)
	}
	if h.auth, err = auth.New(ctx, h.db, h.ring, h.logger()); err != nil {
		t.Fatal(err)
	}
	h.auth.Now = h.now
	h.process = h.start(adjust...)
	return h
}

func (h *house) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(h.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.clock.IsZero() {
		return time.Now()
	}
	return h.clock
}

func (h *house) setClock(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clock = now
}

// start begins a process on the house's database.
func (h *house) start(adjust ...func(*agents.Timing)) *process {
	h.t.Helper()
	rate := brisk()
	for _, f := range adjust {
		f(&rate)
	}
	cursors, err := httpapi.NewCursors(make([]byte, 32), time.Now)
	if err != nil {
		h.t.Fatal(err)
	}
	p := &process{
		hub: &Hub{DB: h.db, Seal: h.ring, Log: h.logger(), timing: rate},
		registry: &registry.Registry{
			DB:           h.db,
			Tokens:       h.auth,
			Cursors:      cursors,
			PublicURL:    "https://iga.example.com/",
			Log:          h.logger(),
			Now:          h.now,
			OfflineAfter: rate.Offline,
		},
	}
	api := httpapi.New(
		httpapi.Config{Title: "test", Version: "1", Log: h.logger(), User: h.user, Agent: p.registry.Authenticate},
	)
	api.Add(p.registry.Routes()...)
	api.Mount("GET", "/api/v1/agent", p.hub.Handler())
	api.Mount(
		"GET",
		"/health",
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":"ok"}`) }),
	)
	server := httptest.NewServer(api.Router)
	running, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := p.hub.Run(running); err != nil {
			h.t.Error(err)
		}
	}()
	p.url = server.URL
	p.stop = sync.OnceFunc(func() { stop(); <-done; server.Close() })
	h.t.Cleanup(p.stop)
	return p
}

// user knows people by their role.
func (h *house) user(_ context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
	if bearer == "service" { // a service token of an administrator
		return viewer.Viewer{
			Tenant:  h.system.Tenant,
			Kind:    viewer.Service,
			ID:      "s-admin",
			Display: bearer,
			Roles:   []viewer.Role{viewer.Admin},
			Scopes:  []string{"agents:read", "agents:write"},
		}, nil
	}
	role := viewer.Role(bearer)
	if role != viewer.Admin && role != viewer.Auditor && role != viewer.Manager {
		return viewer.Viewer{}, fault.Coded(fault.Unauthenticated, "invalid_token", "no")
	}
	return viewer.Viewer{
		Tenant:  h.system.Tenant,
		Kind:    viewer.User,
		ID:      "u-" + bearer,
		Display: bearer,
		Roles:   []viewer.Role{role},
	}, nil
}

// answer is what an endpoint said.
type answer struct {
	status int
	header http.Header
	body   map[string]any
	raw    string
}

func (a answer) text(name string) string {
	s, _ := a.body[name].(string)
	return s
}

func (p *process) call(t testing.TB, method, path, bearer string, body any) answer {
	t.Helper()
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, p.url+"/api/v1"+path, r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: resp.StatusCode, header: resp.Header, raw: string(raw)}
	_ = json.Unmarshal(raw, &a.body) // an answer without a body has no members
	return a
}

// must makes a call that has to succeed.
func (p *process) must(t testing.TB, status int, method, path, bearer string, body any) answer {
	t.Helper()
	a := p.call(t, method, path, bearer, body)
	if a.status != status {
		t.Fatalf("%s %s = %d %s; want %d", method, path, a.status, a.raw, status)
	}
	return a
}

// refused makes a call that has to be refused with a status and a code.
func (p *process) refused(t testing.TB, status int, code, method, path, bearer string, body any) {
	t.Helper()
	a := p.call(t, method, path, bearer, body)
	if a.status != status || a.text("code") != code {
		t.Errorf(
			"%s %s = %d %q (%s); want %d %q",
			method,
			path,
			a.status,
			a.text("code"),
			a.text("detail"),
			status,
			code,
		)
	}
}

// actions are the audit log's, in order.
func (h *house) actions() []string {
	h.t.Helper()
	var out []string
	err := h.db.As(ctx, h.system, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, `select action from audit_event order by seq`)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// state is the agent's, as the API shows it.
func (h *house) state(id string) string {
	h.t.Helper()
	return h.must(h.t, 200, "GET", "/settings/agents/"+id, "admin", nil).text("state")
}

// eventually waits until the agent is shown in this state, and tells how long it took.
func (h *house) eventually(id, want string) time.Duration {
	h.t.Helper()
	began := time.Now()
	for {
		got := h.state(id)
		took := time.Since(began)
		if got == want {
			return took
		}
		if took > 15*time.Second {
			h.t.Fatalf("state = %s; want %s", got, want)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// host is a machine with an agent.
type host struct {
	capability int // 0: the newest
	t          testing.TB
	house      *house
	id         string
	token      string
	joinSeq    int64
	boot       string
	name       string
	types      []string
	identity   ed25519.PrivateKey
	sealing    []byte
}

func newHost(t testing.TB, h *house) *host {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &host{
		t: t, house: h, boot: uuid.NewString(), name: "srv7", types: []string{"ldap", "rest", "scim2"},
		identity: key, sealing: bytes.Repeat([]byte{3}, 32),
	}
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// registration is what the host would send to enrol with a token.
func (m *host) registration(token string) map[string]any {
	m.t.Helper()
	identity := b64(m.identity.Public().(ed25519.PublicKey))
	proof := ed25519.Sign(m.identity, wire.RegisterProof(jti(m.t, token), identity, b64(m.sealing)))
	return map[string]any{
		"identity_key":           identity,
		"sealing_key":            b64(m.sealing),
		"proof":                  b64(proof),
		"hostname":               m.name,
		"os":                     "linux",
		"arch":                   "amd64",
		"version":                "1.2.3",
		"boot_id":                m.boot,
		"a_member_of_the_future": true,
	}
}

func jti(t testing.TB, token string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is no JWT", token)
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		ID string `json:"jti"`
	}
	if err := json.Unmarshal(payload, &c); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// joined takes on what a registration or renewal answered.
func (m *host) joined(a answer) {
	m.token = a.text("token")
	seq, _ := a.body["join_seq"].(float64)
	m.joinSeq = int64(seq)
}

// enrol makes an agent on a new host.
func (h *house) enrol(name, group string) *host {
	h.t.Helper()
	made := h.must(h.t, 201, "POST", "/settings/agents", "admin", map[string]any{"name": name, "group": group})
	m := newHost(h.t, h)
	m.id = made.text("id")
	token := made.text("enrollment_token")
	m.joined(h.must(h.t, 200, "POST", "/agent/register", token, m.registration(token)))
	return m
}

// renewal is a signed request for a new token.
func (m *host) renewal(nonce string) map[string]any {
	r := wire.TokenRequest{
		AgentID:  m.id,
		Nonce:    nonce,
		BootID:   m.boot,
		JoinSeq:  m.joinSeq,
		IssuedAt: time.Now().UTC().Truncate(time.Millisecond),
	}
	return map[string]any{
		"agent_id": r.AgentID, "nonce": r.Nonce, "boot_id": r.BootID, "join_seq": r.JoinSeq, "issued_at": r.IssuedAt,
		"signature": b64(ed25519.Sign(m.identity, r.TokenProof())),
	}
}

// dryRenewal is a signed question whether a new token would be given.
func (m *host) dryRenewal(nonce string) map[string]any {
	r := wire.TokenRequest{
		AgentID:  m.id,
		Nonce:    nonce,
		BootID:   m.boot,
		JoinSeq:  m.joinSeq,
		IssuedAt: time.Now().UTC().Truncate(time.Millisecond),
		DryRun:   true,
	}
	return map[string]any{
		"agent_id":  r.AgentID,
		"nonce":     r.Nonce,
		"boot_id":   r.BootID,
		"join_seq":  r.JoinSeq,
		"issued_at": r.IssuedAt,
		"dry_run":   true,
		"signature": b64(ed25519.Sign(m.identity, r.TokenProof())),
	}
}

func (m *host) hello(resume ...wire.ResumeRequest) wire.Hello {
	now := time.Now().UTC()
	return wire.Hello{
		AgentID:        m.id,
		BootID:         m.boot,
		Version:        "1.2.3",
		Capability:     cmp.Or(m.capability, wire.Capability),
		OS:             "linux",
		Arch:           "amd64",
		Hostname:       m.name,
		StartedAt:      now,
		Clock:          now,
		ConnectorTypes: m.types,
		Limits:         wire.AgentLimits{MaxFrame: 1 << 20, MaxTasks: 8},
		Resume:         resume,
		JoinSeq:        m.joinSeq,
	}
}

// target is a connector on this agent.
func (m *host) target() dispatch.Target {
	return dispatch.Target{
		Tenant:      m.house.system.Tenant,
		ConnectorID: uuid.NewString(),
		Type:        "ldap",
		Mode:        dispatch.Agent,
		AgentID:     m.id,
	}
}

// line is one connection of a host.
type line struct {
	t       testing.TB
	ws      *websocket.Conn
	welcome wire.Welcome
	frames  chan wire.Frame
	ended   chan struct{}
	err     error // after ended

	mu sync.Mutex // of writing
}

func dial(p *process, token string, header http.Header) (*websocket.Conn, *http.Response, error) {
	if header == nil {
		header = http.Header{}
	}
	header.Set("Authorization", "Bearer "+token)
	d := websocket.Dialer{Subprotocols: []string{wire.Subprotocol}, HandshakeTimeout: 5 * time.Second}
	return d.Dial("ws"+strings.TrimPrefix(p.url, "http")+"/api/v1/agent", header)
}

// knock opens a connection, says hello and proves the key.
func (m *host) knock(p *process, hello wire.Hello) *line {
	m.t.Helper()
	l := m.open(p)
	l.send(wire.Frame{Type: wire.TypeHello}, hello)
	l.prove(m, p, hello.BootID)
	return l
}

// open opens a connection.
func (m *host) open(p *process) *line {
	m.t.Helper()
	ws, resp, err := dial(p, m.token, nil)
	if err != nil {
		m.t.Fatalf("dial: %v (%v)", err, resp)
	}
	l := &line{t: m.t, ws: ws, frames: make(chan wire.Frame, 4096), ended: make(chan struct{})}
	m.t.Cleanup(func() { ws.Close() })
	go l.read()
	return l
}

// proof answers a challenge as the agent's own program does.
func (m *host) proof(p *process, nonce string) wire.Proof {
	return m.proofOf(p, m.boot, nonce)
}

func (m *host) proofOf(p *process, boot, nonce string) wire.Proof {
	at := strings.TrimPrefix(p.url, "http://")
	message := wire.ConnectProof(m.house.system.Tenant, m.id, boot, nonce, at)
	return wire.Proof{Host: at, Signature: b64(ed25519.Sign(m.identity, message))}
}

// prove answers the challenge, if one comes before the connection ends.
func (l *line) prove(m *host, p *process, boot string) {
	select {
	case f := <-l.frames:
		if f.Type != wire.TypeChallenge {
			l.t.Fatalf("got %s %s; want a challenge", f.Type, f.Body)
		}
		l.send(wire.Frame{Type: wire.TypeProof, Re: f.ID}, m.proofOf(p, boot, body[wire.Challenge](l, f).Nonce))
	case <-l.ended:
	case <-time.After(15 * time.Second):
		l.t.Fatal("no challenge came")
	}
}

// connect opens a connection and is welcomed.
func (m *host) connect(resume ...wire.ResumeRequest) *line {
	m.t.Helper()
	return m.connectTo(m.house.process, resume...)
}

func (m *host) connectTo(p *process, resume ...wire.ResumeRequest) *line {
	m.t.Helper()
	l := m.knock(p, m.hello(resume...))
	l.welcome = body[wire.Welcome](l, l.expect(wire.TypeWelcome))
	return l
}

func (l *line) read() {
	defer close(l.ended)
	for {
		_, msg, err := l.ws.ReadMessage()
		if err != nil {
			l.err = err
			return
		}
		f, err := wire.Decode(msg, wire.HardMaxFrame)
		if err != nil {
			l.err = err
			return
		}
		l.frames <- f
	}
}

func (l *line) send(f wire.Frame, body any) {
	l.t.Helper()
	if f.ID == "" {
		f.ID = wire.NewID(time.Now())
	}
	f.TS = time.Now()
	data, err := wire.Encode(f, body)
	if err != nil {
		l.t.Error(err)
		return
	}
	l.write(data)
}

// write sends a message. Writing on a connection that is being closed fails, which the reader notices.
func (l *line) write(data []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.ws.WriteMessage(websocket.TextMessage, data)
}

// next gives the next frame.
func (l *line) next() wire.Frame {
	l.t.Helper()
	select {
	case f := <-l.frames:
		return f
	default:
	}
	select {
	case f := <-l.frames:
		return f
	case <-l.ended:
		select {
		case f := <-l.frames:
			return f
		default:
		}
		l.t.Fatalf("the connection ended: %v", l.err)
	case <-time.After(15 * time.Second):
		l.t.Fatal("no frame came")
	}
	return wire.Frame{}
}

// expect gives the next frame, which must be of this type.
func (l *line) expect(want wire.Type) wire.Frame {
	l.t.Helper()
	f := l.next()
	if f.Type != want {
		l.t.Fatalf("got %s %s; want %s", f.Type, f.Body, want)
	}
	return f
}

// quiet checks that no frame comes for a while.
func (l *line) quiet(d time.Duration) {
	l.t.Helper()
	select {
	case f := <-l.frames:
		l.t.Fatalf("got %s %s; want nothing", f.Type, f.Body)
	case <-time.After(d):
	}
}

// closed waits for the end and gives the close code.
func (l *line) closed() int {
	l.t.Helper()
	select {
	case <-l.ended:
	case <-time.After(15 * time.Second):
		l.t.Fatal("the connection was not closed")
	}
	var ce *websocket.CloseError
	if !errors.As(l.err, &ce) {
		return 0
	}
	return ce.Code
}

func body[T any](l *line, f wire.Frame) T {
	l.t.Helper()
	b, err := wire.DecodeBody[T](f)
	if err != nil {
		l.t.Fatal(err)
	}
	return b
}

// of makes a frame of the offered task.
func of(offer wire.Frame, t wire.Type) wire.Frame {
	return wire.Frame{Type: t, Task: offer.Task, Run: offer.Run, Attempt: offer.Attempt}
}

// accept waits for an offer and takes it.
func (l *line) accept() (wire.Frame, wire.Offer) {
	l.t.Helper()
	f := l.expect(wire.TypeOffer)
	accept := of(f, wire.TypeAccept)
	accept.Re = f.ID
	l.send(accept, nil)
	return f, body[wire.Offer](l, f)
}

// chunk sends chunk seq of an offered sync, with one account that is named after it.
func (l *line) chunk(offer wire.Frame, seq int, last bool) {
	l.t.Helper()
	f := of(offer, wire.TypeChunk)
	f.Seq = seq
	l.send(f, page(seq, last))
}

func page(n int, last bool) *v1.SyncResponse {
	p := &v1.SyncResponse{
		Success: true, Accounts: []v1.RemoteAccount{{ExternalID: "a" + strconv.Itoa(n)}},
		Page: &v1.Page{HasMore: !last},
	}
	p.Normalize()
	return p
}

func (l *line) finish(offer wire.Frame, result any) {
	l.t.Helper()
	raw, err := json.Marshal(result)
	if err != nil {
		l.t.Fatal(err)
	}
	l.send(of(offer, wire.TypeResult), wire.Result{OK: true, Result: raw})
}

func (l *line) failWith(offer wire.Frame, d *v1.ErrorDetail) {
	l.t.Helper()
	l.send(of(offer, wire.TypeResult), wire.Result{Error: d})
}

// later runs a call beside the test and gives its outcome.
func later[T any](f func() (T, error)) <-chan outcome[T] {
	out := make(chan outcome[T], 1)
	go func() {
		v, err := f()
		out <- outcome[T]{v, err}
	}()
	return out
}

type outcome[T any] struct {
	value T
	err   error
}

func wait[T any](t testing.TB, c <-chan outcome[T]) outcome[T] {
	t.Helper()
	select {
	case o := <-c:
		return o
	case <-time.After(time.Minute):
		t.Fatal("the call did not end")
		panic("unreachable")
	}
}

// detail is the error as the dispatcher's caller sees it.
func detail(t testing.TB, err error) *v1.ErrorDetail {
	t.Helper()
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		t.Fatalf("err = %v; want an ErrorDetail", err)
	}
	return d
}
