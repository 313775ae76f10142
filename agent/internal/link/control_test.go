package link

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/dial"
	"github.com/grantwright/grantwright/agent/internal/enroll"
	"github.com/grantwright/grantwright/agent/internal/runner"
	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// control is a control plane for tests: it registers, gives out tokens as the real one must, and hands websockets to
// the test.
type control struct {
	t       *testing.T
	sockets chan *socket

	mu         sync.Mutex
	key        ed25519.PublicKey
	boot       string
	joinSeq    int64
	hello      wire.Hello // the last one
	valid      string     // the token accepted now
	life       time.Duration
	last       wire.TokenRequest // the renewal answered last
	answered   wire.TokenResponse
	renewals   int
	loseAnswer int                            // so many answers to renewals are lost on their way
	refuse     func(http.ResponseWriter) bool // answers the upgrade in its own way
}

func newControl(t *testing.T) *control {
	return &control{t: t, sockets: make(chan *socket, 9), joinSeq: 1, life: time.Hour}
}

func (c *control) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/v1/agent/register":
		c.register(w, r)
	case "/api/v1/agent/token":
		c.token(w, r)
	case "/api/v1/agent":
		c.upgrade(w, r)
	default:
		http.NotFound(w, r)
	}
}

func problem(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"status":%d,"code":%q,"detail":%q}`, status, code, detail)
}

func (c *control) newToken() string {
	c.valid = "token-" + wire.NewID(time.Now())
	return c.valid
}

func (c *control) register(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var req wire.RegisterRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		problem(w, 400, "bad_body", err.Error())
		return
	}
	key, _ := base64.RawURLEncoding.DecodeString(req.IdentityKey)
	proof, _ := base64.RawURLEncoding.DecodeString(req.Proof)
	if !ed25519.Verify(key, wire.RegisterProof("jti-1", req.IdentityKey, req.SealingKey), proof) {
		problem(w, 401, "invalid_proof", "the proof does not fit the key")
		return
	}
	c.key, c.boot = key, req.BootID
	answer(
		w,
		wire.RegisterResponse{
			AgentID:    "agent-1",
			InstanceID: "inst-1",
			TenantID:   "ten-1",
			Name:       "site",
			Token:      c.newToken(),
			ExpiresAt:  time.Now().Add(c.life),
			JoinSeq:    1,
		},
	)
}

// token follows the rule of the control plane: the counter must be the newest, or the one before with the same
// question.
func (c *control) token(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var req wire.TokenRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		problem(w, 400, "bad_body", err.Error())
		return
	}
	signature, _ := base64.RawURLEncoding.DecodeString(req.Signature)
	repeated := req.JoinSeq == c.joinSeq-1 && req.Nonce == c.last.Nonce && req.BootID == c.last.BootID
	switch {
	case !ed25519.Verify(c.key, req.TokenProof(), signature):
		problem(w, 401, "invalid_proof", "the signature does not fit the key")
		return
	case repeated:
	case req.JoinSeq != c.joinSeq:
		problem(w, 403, "agent_quarantined", "an old join counter: the agent was copied")
		return
	default:
		c.joinSeq++
		c.renewals++
		c.last = req
		c.answered = wire.TokenResponse{Token: c.newToken(), ExpiresAt: time.Now().Add(c.life), JoinSeq: c.joinSeq}
	}
	if c.loseAnswer > 0 {
		c.loseAnswer--
		panic(http.ErrAbortHandler) // the connection breaks without an answer
	}
	answer(w, c.answered)
}

// counts tells the join counter, the renewals answered and the token that is valid.
func (c *control) counts() (joinSeq int64, renewals int, valid string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.joinSeq, c.renewals, c.valid
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (c *control) upgrade(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	valid, refuse := c.valid, c.refuse
	c.mu.Unlock()
	if refuse != nil && refuse(w) {
		return
	}
	if r.Header.Get("Authorization") != "Bearer "+valid {
		problem(w, 401, "invalid_token", "the token is not accepted")
		return
	}
	if r.Header.Get("Sec-WebSocket-Extensions") != "" {
		c.t.Error("the agent asks for compression")
	}
	up := websocket.Upgrader{Subprotocols: []string{wire.Subprotocol}}
	ws, err := up.Upgrade(w, r, nil)
	if err != nil {
		c.t.Errorf("upgrade: %v", err)
		return
	}
	c.sockets <- newSocket(ws, Pace{}.orNormal())
}

// next waits for the agent's next connection.
func (c *control) next() (wire.Socket, error) {
	select {
	case s := <-c.sockets:
		// Cut before the agent is stopped, so that it need not wait for an answer to its goodbye.
		c.t.Cleanup(s.Cut)
		return s, nil
	case <-time.After(time.Minute):
		return nil, errors.New("the agent does not connect")
	}
}

// Cut makes a socket's line break without a close frame, for the player of transcripts.
func (s *socket) Cut() { s.ws.NetConn().Close() }

// welcome plays the control plane's part of the beginning.
func (c *control) welcome() *socket {
	c.t.Helper()
	s, err := c.next()
	if err != nil {
		c.t.Fatal(err)
	}
	msg, err := s.ReadMessage()
	if err != nil {
		c.t.Fatalf("read hello: %v", err)
	}
	f, err := wire.Decode(msg, 0)
	if err != nil || f.Type != wire.TypeHello {
		c.t.Fatalf("first frame %s (%v), want hello", msg, err)
	}
	if c.hello, err = wire.DecodeBody[wire.Hello](f); err != nil {
		c.t.Fatal(err)
	}
	c.challenge(s, f.ID)
	c.send(
		s,
		wire.Frame{Type: wire.TypeWelcome, Re: f.ID},
		wire.Welcome{SessionID: "s", AgentID: "agent-1", HeartbeatS: 30, ServerTime: time.Now()},
	)
	return s.(*socket)
}

// challenge has the agent prove its key, as the real control plane does.
func (c *control) challenge(s wire.Socket, hello string) {
	c.t.Helper()
	const nonce = "bm9uY2U"
	c.send(s, wire.Frame{Type: wire.TypeChallenge, Re: hello}, wire.Challenge{Nonce: nonce})
	msg, err := s.ReadMessage()
	if err != nil {
		c.t.Fatalf("read proof: %v", err)
	}
	f, err := wire.Decode(msg, 0)
	if err != nil || f.Type != wire.TypeProof {
		c.t.Fatalf("got %s (%v), want proof", msg, err)
	}
	p, err := wire.DecodeBody[wire.Proof](f)
	if err != nil {
		c.t.Fatal(err)
	}
	signature, _ := base64.RawURLEncoding.DecodeString(p.Signature)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !ed25519.Verify(c.key, wire.ConnectProof("ten-1", "agent-1", c.hello.BootID, nonce, p.Host), signature) {
		c.t.Errorf("the signature %q does not fit the challenge", p.Signature)
	}
}

func (c *control) send(s wire.Socket, f wire.Frame, body any) {
	c.t.Helper()
	f.ID, f.TS = wire.NewID(time.Now()), time.Now()
	msg, err := wire.Encode(f, body)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := s.WriteMessage(msg); err != nil {
		c.t.Fatalf("send %s: %v", f.Type, err)
	}
}

// enrolmentToken is an unsigned token with the jti the control expects.
var enrolmentToken = "e30." + base64.RawURLEncoding.EncodeToString([]byte(`{"jti":"jti-1"}`)) + ".c2ln"

// agent is an enrolled agent under test.
type agent struct {
	*Link
	states chan config.Status
	done   chan error
	stop   context.CancelFunc
}

func enrol(t *testing.T, settings config.Settings) (config.Dir, error) {
	t.Helper()
	dir := config.Dir(filepath.Join(t.TempDir(), "data"))
	_, err := enroll.Enroll(
		t.Context(),
		enroll.Order{Dir: dir, Settings: settings, Token: enrolmentToken, Version: "test"},
	)
	return dir, err
}

func newAgent(t *testing.T, dir config.Dir) *agent {
	t.Helper()
	settings, err := dir.LoadSettings()
	if err != nil {
		t.Fatal(err)
	}
	dialer, err := dial.New(settings)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := dir.LoadKeys()
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(testWriter{t}, nil))
	tokens := &enroll.Tokens{
		Dir: dir, Keys: keys, BootID: wire.NewID(time.Now()), Log: log, Now: time.Now,
		Client: &enroll.Client{HTTP: dialer.HTTP(), Base: dialer.Base, Version: "test"},
	}
	if err := tokens.Load(); err != nil {
		t.Fatal(err)
	}
	a := &agent{states: make(chan config.Status, 999), done: make(chan error, 1)}
	a.Link = &Link{
		Dir: dir, Dialer: dialer, Tokens: tokens, Version: "test", Log: log, Now: time.Now,
		Changed: func(s config.Status) { a.states <- s },
		Runner: &runner.Runner{
			Open:  func(connectorkit.Env, string) (connectorkit.Connector, error) { return people{}, nil },
			Types: []string{"ldap", "rest", "scim2"}, MaxTasks: 8, Log: log, Now: time.Now,
		},
		pause: &backoff{base: 10 * time.Millisecond, max: 50 * time.Millisecond},
	}
	return a
}

func (a *agent) start(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	a.stop = cancel
	go func() { a.done <- a.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-a.done:
			a.done <- err
		case <-time.After(time.Minute):
			t.Error("the agent does not stop")
		}
	})
}

func (a *agent) until(t *testing.T, state string) config.Status {
	t.Helper()
	for {
		select {
		case s := <-a.states:
			if s.State == state {
				return s
			}
		case <-time.After(time.Minute):
			t.Fatalf("never %s", state)
		}
	}
}

// start brings up a control plane and an agent enrolled with it.
func start(t *testing.T) (*control, *agent) {
	t.Helper()
	c := newControl(t)
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	dir, err := enrol(t, config.Settings{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	a := newAgent(t, dir)
	a.start(t)
	return c, a
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	// After the test's end the log is of no use and t would panic.
	if w.t.Context().Err() == nil {
		w.t.Logf("%s", p)
	}
	return len(p), nil
}

// people is the connector of the transcripts: five accounts.
type people struct{}

func (people) Test(_ context.Context, _ v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
	step := v1.TestStep{Name: "tcp", OK: true, MS: 1}
	report.Send(v1.Progress{Step: &step})
	return v1.TestResponse{Success: true, DurationMS: 1, Steps: []v1.TestStep{step}}, nil
}

func (people) Discover(context.Context, v1.DiscoverRequest, connectorkit.Report) (v1.DiscoverResponse, error) {
	return v1.DiscoverResponse{Success: true, Objects: []v1.DiscoveredObject{
		{
			Kind:       "account",
			NativeType: "user",
			Fields:     []v1.DiscoveredField{{Name: "username", Path: "username", Type: "string"}},
		},
	}}, nil
}

func (people) Sync(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
	for i := 1; i <= 5; i++ {
		name := fmt.Sprintf("user%d", i)
		page := v1.SyncResponse{
			Success:  true,
			Accounts: []v1.RemoteAccount{{ExternalID: fmt.Sprintf("u%d", i), Username: &name}},
		}
		if i == 5 {
			page.Page = &v1.Page{Scopes: []v1.Scope{{Kind: v1.Accounts, Key: "*", Complete: true, Count: 5}}}
		}
		if err := emit(ctx, page); err != nil {
			return err
		}
	}
	return nil
}
