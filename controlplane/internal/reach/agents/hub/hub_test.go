package hub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/protocol/wire"
)

func TestWhatIsNoProperHandshakeIsRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	upgrade := http.Header{
		"Upgrade": {
			"websocket",
		},
		"Connection":            {"Upgrade"},
		"Sec-Websocket-Version": {"13"},
		"Sec-Websocket-Key":     {"MDEyMzQ1Njc4OWFiY2RlZg=="},
	}
	with := func(more ...string) http.Header {
		out := upgrade.Clone()
		for i := 0; i < len(more); i += 2 {
			out.Set(more[i], more[i+1])
		}
		return out
	}
	for name, tt := range map[string]struct {
		token, query string
		header       http.Header
		status       int
		code         string
	}{
		"no token": {"", "", with("Sec-Websocket-Protocol", wire.Subprotocol), 401,
			"authentication_required"},
		"a user's token": {"admin", "", with("Sec-Websocket-Protocol", wire.Subprotocol), 401,
			"invalid_token"},
		"an origin": {m.token, "",
			with("Sec-Websocket-Protocol", wire.Subprotocol, "Origin", "https://evil.example"), 403, "forbidden"},
		"another tenant's name": {m.token, "",
			with("Sec-Websocket-Protocol", wire.Subprotocol, "X-Tenant-Id", uuid.NewString()), 400,
			"unknown_parameter"},
		"an agent's id in the query": {m.token, "?agent_id=1", with("Sec-Websocket-Protocol", wire.Subprotocol), 400,
			"unknown_parameter"},
		"no upgrade": {m.token, "", http.Header{}, 426, "upgrade_required"},
		"another subprotocol": {m.token, "", with("Sec-Websocket-Protocol", "grantwright.agent.v9"), 426,
			"upgrade_required"},
		"no subprotocol": {m.token, "", with(), 426, "upgrade_required"},
	} {
		t.Run(name, func(t *testing.T) {
			req, err := http.NewRequest("GET", h.url+"/api/v1/agent"+tt.query, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = tt.header.Clone()
			if tt.token != "" {
				req.Header.Set("Authorization", "Bearer "+tt.token)
			}
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			raw, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			var p struct {
				Code      string
				RequestID string   `json:"request_id"`
				Supported []string `json:"supported_subprotocols"`
			}
			if err := json.Unmarshal(raw, &p); err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			if resp.StatusCode != tt.status || p.Code != tt.code || p.RequestID == "" ||
				resp.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%d %s; want %d %s", resp.StatusCode, raw, tt.status, tt.code)
			}
			if tt.status == 426 &&
				(!slices.Contains(p.Supported, wire.Subprotocol) || resp.Header.Get("Upgrade") != "websocket") {
				t.Errorf("426 does not say what is supported: %s", raw)
			}
		})
	}
}

func TestAHelloIsAnsweredAndHeartbeatsComeBack(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "dc")
	if got := h.state(m.id); got != agents.Registered {
		t.Errorf("state before = %s; want %s", got, agents.Registered)
	}
	l := m.connect()
	w := l.welcome
	if l.ws.Subprotocol() != wire.Subprotocol || w.AgentID != m.id || w.SessionID == "" ||
		w.MaxFrame != wire.DefaultMaxFrame ||
		w.HeartbeatS != 30 {
		t.Errorf("welcome = %+v over %q", w, l.ws.Subprotocol())
	}
	l.send(
		wire.Frame{Type: wire.TypeHeartbeat},
		wire.Heartbeat{UptimeS: 7, RSSBytes: 1 << 20, Clock: time.Now().Add(90 * time.Second)},
	)
	beat := body[wire.Heartbeat](l, l.expect(wire.TypeHeartbeat))
	if beat.UptimeS != 7 || time.Since(beat.ServerTime).Abs() > time.Minute {
		t.Errorf("heartbeat came back as %+v", beat)
	}
	h.eventually(m.id, agents.Online)
	deadline := time.Now().Add(5 * time.Second)
	for {
		a := h.must(t, 200, "GET", "/settings/agents/"+m.id, "admin", nil)
		stats, _ := a.body["stats"].(map[string]any)
		skew, _ := a.body["clock_skew_ms"].(float64)
		if stats["uptime_s"] == 7.0 && skew > 85_000 && skew < 95_000 && a.text("connected_since") != "" &&
			a.text("hostname") == "srv7" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("shown: %s", a.raw)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func TestAClosedSocketLapsesSoonAndASilentOneLater(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	h.eventually(m.id, agents.Online)
	l.ws.Close()
	if took := h.eventually(
		m.id,
		agents.Offline,
	); took < h.hub.timing.Lapse/2 ||
		took > h.hub.timing.Lapse+time.Second {
		t.Errorf("offline %s after the socket was closed; want about %s", took, h.hub.timing.Lapse)
	}
	if ok, err := h.hub.Online(ctx, m.target()); ok || err != nil {
		t.Errorf("Online = %v, %v; want false", ok, err)
	}
	if seen := h.must(t, 200, "GET", "/settings/agents/"+m.id, "admin", nil).text("last_seen_at"); seen == "" {
		t.Error("last_seen_at is empty")
	}
}

// TestAnAgentThatAnswersNoPingIsDropped connects without ever reading, so that pings stay unanswered, as when a cable
// is cut.
func TestAnAgentThatAnswersNoPingIsDropped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	m.deaf(t)
	h.eventually(m.id, agents.Online)
	if took := h.eventually(m.id, agents.Offline); took > h.hub.timing.Silent+h.hub.timing.Lapse+2*time.Second {
		t.Errorf("offline after %s", took)
	}
	if h.hub.Serves(m.target()) {
		t.Error("the hub still offers a dead socket")
	}
}

// TestAnAgentThatHangsIsDroppedThoughItsSocketAnswers: pings are answered below the agent's own loop.
func TestAnAgentThatHangsIsDroppedThoughItsSocketAnswers(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *agents.Timing) { p.Heartbeat = time.Second })
	m := h.enrol("HQ", "")
	l := m.connect()
	for range 4 {
		time.Sleep(400 * time.Millisecond)
		l.send(wire.Frame{Type: wire.TypeHeartbeat}, wire.Heartbeat{Clock: time.Now()})
		l.expect(wire.TypeHeartbeat)
	}
	began := time.Now()
	if code := l.closed(); code != wire.CloseSilent || time.Since(began) < 500*time.Millisecond {
		t.Errorf(
			"closed with %d after %s; want %d after a second without a heartbeat",
			code,
			time.Since(began),
			wire.CloseSilent,
		)
	}
}

// deaf connects and reads nothing any more.
func (m *host) deaf(t *testing.T) *websocket.Conn {
	t.Helper()
	ws, resp, err := dial(m.house.process, m.token, nil)
	if err != nil {
		t.Fatalf("dial: %v (%v)", err, resp)
	}
	t.Cleanup(func() { ws.Close() })
	data, err := wire.Encode(wire.Frame{Type: wire.TypeHello, ID: wire.NewID(time.Now()), TS: time.Now()}, m.hello())
	if err != nil {
		t.Fatal(err)
	}
	if err := ws.WriteMessage(websocket.TextMessage, data); err != nil {
		t.Fatal(err)
	}
	_, msg, err := ws.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	l := &line{t: t, ws: ws, frames: make(chan wire.Frame, 1)}
	f, err := wire.Decode(msg, 0)
	if err != nil {
		t.Fatal(err)
	}
	l.frames <- f
	l.prove(m, m.house.process, m.boot)
	return ws
}

func TestAnAgentThatGivesItselfForAnotherIsRefusedAndRecorded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m, other := h.enrol("HQ", ""), h.enrol("Branch", "")
	hello := m.hello()
	hello.AgentID = other.id
	if got := m.knock(h.process, hello).closed(); got != wire.CloseRevoked {
		t.Errorf("closed with %d; want %d", got, wire.CloseRevoked)
	}
	if got := h.actions(); got[len(got)-1] != "agent.identity_mismatch" {
		t.Errorf("audit = %v; want agent.identity_mismatch at the end", got)
	}
	if got := h.state(other.id); got != agents.Registered {
		t.Errorf("the other agent is %s; want %s", got, agents.Registered)
	}
}

func TestANewerConnectionOfTheSameStartReplacesTheOlder(t *testing.T) {
	t.Parallel()
	h := newHouse(
		t,
		func(p *agents.Timing) { p.Silent, p.Ping = 30*time.Second, 10*time.Second },
	) // a busy machine is no silence
	m := h.enrol("HQ", "")
	old := m.connect()
	young := m.connect()
	if got := old.closed(); got != wire.CloseSuperseded {
		t.Errorf("the older was closed with %d; want %d", got, wire.CloseSuperseded)
	}
	young.send(wire.Frame{Type: wire.TypeHeartbeat}, wire.Heartbeat{UptimeS: 1, Clock: time.Now()})
	young.expect(wire.TypeHeartbeat)
	time.Sleep(2 * h.hub.timing.Check)
	if !h.hub.Serves(m.target()) {
		t.Error("the younger connection is not served")
	}
}

func TestASecondHostWithTheSameIdentityIsFoundOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	first := m.connect()
	clone := *m
	clone.boot = uuid.NewString()
	if got := clone.knock(h.process, clone.hello()).closed(); got != wire.CloseClone {
		t.Errorf("the newcomer was closed with %d; want %d", got, wire.CloseClone)
	}
	if got := first.closed(); got != wire.CloseClone {
		t.Errorf("the first was closed with %d; want %d", got, wire.CloseClone)
	}
	if got := h.state(m.id); got != agents.Quarantined || !slices.Contains(h.actions(), "agent.clone_detected") {
		t.Errorf("state = %s, audit = %v", got, h.actions())
	}
}

func TestARestartedAgentTakesOverFromItsDeadConnection(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *agents.Timing) { p.Silent, p.Ping = 30*time.Second, 10*time.Second })
	m := h.enrol("HQ", "")
	m.deaf(t) // its host is gone, and nobody told
	h.eventually(m.id, agents.Online)
	m.boot = uuid.NewString()
	began := time.Now()
	m.connect()
	if took := time.Since(began); took < h.hub.timing.Probe/2 {
		t.Errorf("welcomed after %s, before the old connection had time to answer", took)
	}
	if got := h.state(m.id); got != agents.Online {
		t.Errorf("state = %s; want %s", got, agents.Online)
	}
}

func TestWhatIsNoFrameEndsTheConnection(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	for name, tt := range map[string]struct {
		kind int
		msg  string
		want int
	}{
		"binary":  {websocket.BinaryMessage, "x", websocket.CloseUnsupportedData},
		"no JSON": {websocket.TextMessage, "hello?", wire.CloseProtocol},
		"another version": {websocket.TextMessage,
			`{"v":2,"type":"heartbeat","id":"1","ts":"2026-11-20T10:00:00Z"}`, wire.CloseVersion},
		"an offer": {websocket.TextMessage,
			`{"v":1,"type":"task.offer","id":"1","ts":"2026-11-20T10:00:00Z","body":{}}`, wire.CloseProtocol},
		"a second hello": {websocket.TextMessage,
			`{"v":1,"type":"hello","id":"1","ts":"2026-11-20T10:00:00Z","body":{}}`, wire.CloseProtocol},
		"more than may be read": {websocket.TextMessage, strings.Repeat(" ", wire.HardMaxFrame+1),
			websocket.CloseMessageTooBig},
	} {
		t.Run(name, func(t *testing.T) {
			l := m.connect()
			l.mu.Lock()
			err := l.ws.WriteMessage(tt.kind, []byte(tt.msg))
			l.mu.Unlock()
			if err != nil {
				t.Fatal(err)
			}
			if got := l.closed(); got != tt.want {
				t.Errorf("closed with %d (%v); want %d", got, l.err, tt.want)
			}
		})
	}
	t.Run("no hello", func(t *testing.T) {
		l := &line{t: t, frames: make(chan wire.Frame, 1), ended: make(chan struct{})}
		var err error
		if l.ws, _, err = dial(h.process, m.token, nil); err != nil {
			t.Fatal(err)
		}
		go l.read()
		l.send(wire.Frame{Type: wire.TypeHeartbeat}, wire.Heartbeat{})
		if got := l.closed(); got != wire.CloseProtocol {
			t.Errorf("closed with %d; want %d", got, wire.CloseProtocol)
		}
	})
}

func TestAStoppingProcessSendsItsAgentsAway(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var lines []*line
	for i := range 3 {
		lines = append(lines, h.enrol(fmt.Sprintf("HQ %d", i), "").connect())
	}
	began := time.Now()
	go h.stop()
	for _, l := range lines {
		g := body[wire.Goaway](l, l.expect(wire.TypeGoaway))
		if got := l.closed(); got != wire.CloseDraining || g.RetryAfterMS < 1000 {
			t.Errorf("closed with %d after %+v; want %d", got, g, wire.CloseDraining)
		}
	}
	h.stop()
	if took := time.Since(began); took > h.hub.timing.Drain {
		t.Errorf("stopping took %s", took)
	}
}
