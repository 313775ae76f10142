package hub

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// ear hears the progress of a sync.
type ear struct {
	mu    sync.Mutex
	heard []v1.Progress
	at    []time.Time
}

func (e *ear) hear(p v1.Progress) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard, e.at = append(e.heard, p), append(e.at, time.Now())
}

func (e *ear) all() []v1.Progress {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]v1.Progress(nil), e.heard...)
}

func TestAWaitOfASyncReachesItsEarAndIsNoSilence(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *agents.Timing) { p.Progress = 600 * time.Millisecond })
	m := h.enrol("HQ", "")
	hello := m.hello()
	hello.Clock = time.Now().Add(-10 * time.Minute) // its clock is behind
	l := m.knock(h.process, hello)
	l.expect(wire.TypeWelcome)
	var e ear
	target := m.run(1)
	target.Progress = e.hear
	var got collector
	call := h.sync(ctx, target, got.emit)
	f, _ := l.accept()
	until := time.Now().Add(1500 * time.Millisecond)
	theirs := until.Add(-10 * time.Minute)
	l.send(of(f, wire.TypeProgress), v1.Progress{Phase: "users", Message: "asked to wait", RateWaitUntil: &theirs})
	time.Sleep(time.Until(until))
	l.chunk(f, 1, true)
	l.expect(wire.TypeAck)
	l.finish(f, wire.Summary{Chunks: 1})
	if o := wait(t, call); o.err != nil {
		t.Fatalf("the wait passed for being stuck: %v", o.err)
	}
	heard := e.all()
	if len(heard) != 1 || heard[0].Phase != "users" || heard[0].Message != "asked to wait" ||
		heard[0].RateWaitUntil == nil {
		t.Fatalf("heard %+v", heard)
	}
	if off := heard[0].RateWaitUntil.Sub(until).Abs(); off > 2*time.Second {
		t.Errorf("waits until %v by the agent's clock; want it by ours", heard[0].RateWaitUntil)
	}
}

func TestAfterTheWaitTheAgentIsStuckAsEver(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *agents.Timing) { p.Progress = 400 * time.Millisecond })
	m := h.enrol("HQ", "")
	l := m.connect()
	call := h.sync(ctx, m.run(1), (&collector{}).emit)
	f, _ := l.accept()
	until := time.Now().Add(300 * time.Millisecond)
	began := time.Now()
	l.send(of(f, wire.TypeProgress), v1.Progress{RateWaitUntil: &until})
	l.expect(wire.TypeTaskCancel)
	if took := time.Since(began); took < 600*time.Millisecond || took > 3*time.Second {
		t.Errorf("given up after %s; want 0.7 s", took)
	}
	if d := detail(t, wait(t, call).err); d.Code != "agent_stuck" {
		t.Errorf("%+v; want agent_stuck", d)
	}
}

func TestProgressIsPassedOnTwiceASecondAndTheNewestCounts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	var e ear
	target := m.run(1)
	target.Progress = e.hear
	call := h.sync(ctx, target, (&collector{}).emit)
	f, _ := l.accept()
	began := time.Now()
	for time.Since(began) < 1200*time.Millisecond {
		l.send(of(f, wire.TypeProgress), v1.Progress{Message: "busy"})
		time.Sleep(5 * time.Millisecond)
	}
	l.send(of(f, wire.TypeProgress), v1.Progress{Message: "the newest"})
	time.Sleep(700 * time.Millisecond)
	heard := e.all()
	if len(heard) < 2 || len(heard) > 5 || heard[len(heard)-1].Message != "the newest" {
		t.Errorf("heard %d, the last %+v; want a few, and the newest at last", len(heard), heard[len(heard)-1])
	}
	for i := 1; i < len(e.at); i++ {
		if apart := e.at[i].Sub(e.at[i-1]); apart < 450*time.Millisecond {
			t.Errorf("two reports %s apart", apart)
		}
	}
	l.chunk(f, 1, true)
	l.expect(wire.TypeAck)
	l.finish(f, wire.Summary{Chunks: 1})
	if o := wait(t, call); o.err != nil {
		t.Error(o.err)
	}
}

func TestAFrameComesBackToWhoeverTriesTheWay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	ws, _, err := dial(h.process, m.token, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &line{t: t, ws: ws, frames: make(chan wire.Frame, 9), ended: make(chan struct{})}
	t.Cleanup(func() { ws.Close() })
	go l.read()
	data := strings.Repeat("x", wire.DefaultMaxFrame-500)
	for i := range wire.MaxEchoes {
		l.send(wire.Frame{Type: wire.TypeEcho, ID: "echo"}, wire.Echo{Data: data})
		f := l.expect(wire.TypeEcho)
		if back := body[wire.Echo](l, f); back.Data != data || f.Re != "echo" {
			t.Fatalf("echo %d: %d bytes came back for %q", i, len(back.Data), f.Re)
		}
	}
	if got := h.state(m.id); got != agents.Registered {
		t.Errorf("state = %s; trying the way is no connection", got)
	}
	l.send(wire.Frame{Type: wire.TypeEcho}, wire.Echo{Data: "one too many"})
	if code := l.closed(); code != wire.CloseProtocol {
		t.Errorf("closed with %d; want %d", code, wire.CloseProtocol)
	}
}
