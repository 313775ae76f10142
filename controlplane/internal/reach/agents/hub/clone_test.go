package hub

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// from changes what a hello says of its machine.
func (m *host) from(machine, hostname string) wire.Hello {
	hello := m.hello()
	hello.Machine, hello.Hostname = machine, hostname
	return hello
}

func TestAMachineThatWasCopiedWhileItRanIsFoundOut(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]func(*host) wire.Hello{
		"another machine": func(m *host) wire.Hello { return m.from("m2", "srv7") },
		"another name":    func(m *host) wire.Hello { return m.from("m1", "srv8") },
		"another start on the same machine": func(m *host) wire.Hello {
			m.boot = uuid.NewString()
			return m.from("m1",
				"srv7")
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			m := h.enrol("HQ", "")
			first := m.knock(h.process, m.from("m1", "srv7"))
			first.expect(wire.TypeWelcome)
			hello := second(m)
			if got := m.knock(h.process, hello).closed(); got != wire.CloseClone {
				t.Errorf("the newcomer was closed with %d; want %d", got, wire.CloseClone)
			}
			if got := first.closed(); got != wire.CloseClone {
				t.Errorf("the first was closed with %d; want %d", got, wire.CloseClone)
			}
			a := h.must(t, 200, "GET", "/settings/agents/"+m.id, "admin", nil)
			reason := a.text("quarantine_reason")
			if a.text("state") != agents.Quarantined ||
				!strings.Contains(reason, "srv7 (127.0.0.1) and "+hello.Hostname+" (127.0.0.1)") {
				t.Errorf("%s: %q; want both hosts named", a.text("state"), reason)
			}
		})
	}
}

func TestTheSameMachineMayReplaceItsOwnConnection(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *agents.Timing) {
		p.Silent, p.Offline, p.Ping, p.Probe = 30*time.Second, 30*time.Second, 10*time.Second, 20*time.Second
	})
	m := h.enrol("HQ", "")
	first := m.knock(h.process, m.from("m1", "srv7"))
	first.expect(wire.TypeWelcome)
	began := time.Now()
	m.knock(h.process, m.from("m1", "srv7")).expect(wire.TypeWelcome)
	if took := time.Since(began); took > h.hub.timing.Probe {
		t.Errorf("welcomed after %s; want at once", took)
	}
	if got := first.closed(); got != wire.CloseSuperseded {
		t.Errorf("the first was closed with %d; want %d", got, wire.CloseSuperseded)
	}
}

// TestWhatADeadAgentHadSentIsNoProofOfLife: an agent is killed and started again while its data is still on a slow
// line.
func TestWhatADeadAgentHadSentIsNoProofOfLife(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *agents.Timing) {
		p.Silent, p.Offline, p.Ping, p.Flush = 30*time.Second, 30*time.Second, 10*time.Second, 30*time.Millisecond
	})
	second := h.start(func(p *agents.Timing) {
		p.Silent, p.Offline, p.Ping, p.Flush = 30*time.Second, 30*time.Second, 10*time.Second, 30*time.Millisecond
	})
	for name, p := range map[string]*process{"the same process": h.process, "another process": second} {
		t.Run(name, func(t *testing.T) {
			m := h.enrol(name, "")
			ws := m.deaf(t)
			h.eventually(m.id, agents.Online)
			stop := make(chan struct{})
			stopped := make(chan struct{})
			go func() { // what was under way arrives bit by bit
				defer close(stopped)
				for {
					select {
					case <-stop:
						return
					case <-time.After(5 * time.Millisecond):
					}
					beat, err := wire.Encode(
						wire.Frame{Type: wire.TypeHeartbeat, ID: wire.NewID(time.Now()), TS: time.Now()},
						wire.Heartbeat{Clock: time.Now()},
					)
					if err != nil {
						t.Error(err)
						return
					}
					_ = ws.WriteMessage(websocket.TextMessage, beat)
				}
			}()
			m.boot = uuid.NewString()
			m.connectTo(p)
			close(stop)
			<-stopped
			if got := h.state(m.id); got != agents.Online {
				t.Errorf("state = %s; want %s", got, agents.Online)
			}
		})
	}
}

// TestNoChunkOfARefusedCopyIsTaken: two copies work on the same run, and nothing of the one that is turned away is
// stored.
func TestNoChunkOfARefusedCopyIsTaken(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	first := m.connect()
	var got collector
	call := h.sync(ctx, m.run(1), got.emit)
	f, _ := first.accept()
	first.chunk(f, 1, false)
	first.expect(wire.TypeAck)
	clone := *m
	clone.boot = uuid.NewString()
	// The copy has the task too, and sends a chunk of its own before anybody has answered it.
	copied := clone.knock(h.process, func() wire.Hello {
		hello := clone.hello(
			wire.ResumeRequest{Task: f.Task, Run: f.Run, Attempt: f.Attempt, LastSent: 1, LastAcked: 1},
		)
		hello.Hostname = "srv9"
		return hello
	}())
	forged := of(f, wire.TypeChunk)
	forged.Seq = 2
	for range 20 {
		copied.send(forged, page(666, true))
		copied.send(of(f, wire.TypeResult), wire.Result{OK: true, Result: []byte(`{"chunks":2}`)})
	}
	if code := copied.closed(); code != wire.CloseClone {
		t.Errorf("the copy was closed with %d; want %d", code, wire.CloseClone)
	}
	if code := first.closed(); code != wire.CloseClone {
		t.Errorf("the first was closed with %d; want %d", code, wire.CloseClone)
	}
	if d := detail(t, wait(t, call).err); d.Class != v1.ClassAgentUnavailable {
		t.Errorf("the run ended with %+v", d)
	}
	if len(got.ids) != 1 || got.ids[0] != "a1" {
		t.Errorf("stored %v; want a1 alone", got.ids)
	}
}

func TestWhatComesAfterTheCutDoesNotCount(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *agents.Timing) { p.Check = time.Hour })
	m := h.enrol("HQ", "")
	l := m.connect()
	var got collector
	call := h.sync(ctx, m.run(1), got.emit)
	f, _ := l.accept()
	s := h.hub.peers.sessionOf(session.Key{Tenant: h.system.Tenant, Agent: m.id})
	s.Cut(wire.CloseClone, "quarantined")
	if h.hub.Serves(m.target()) {
		t.Error("an agent that is cut off is given tasks")
	}
	l.chunk(f, 1, true)
	l.finish(f, wire.Summary{Chunks: 1})
	if code := l.closed(); code != wire.CloseClone {
		t.Errorf("closed with %d; want %d", code, wire.CloseClone)
	}
	if d := detail(t, wait(t, call).err); d.Code != "agent_lost" || len(got.ids) != 0 {
		t.Errorf("the run ended with %+v, stored %v", d, got.ids)
	}
}
