package hub

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	"github.com/grantwright/grantwright/protocol/wire"
)

// presence are the audit log's events of presence.
func (h *house) presence() []string {
	h.t.Helper()
	return slices.DeleteFunc(
		h.actions(),
		func(a string) bool { return a != string(event.AgentOnline) && a != string(event.AgentOffline) },
	)
}

// recorded waits until these are the events of presence, and checks that it stays so for a moment.
func (h *house) recorded(t *testing.T, want ...string) {
	t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for !slices.Equal(h.presence(), want) {
		if time.Now().After(deadline) {
			t.Fatal("events:", cmp.Diff(want, h.presence()))
		}
		time.Sleep(20 * time.Millisecond)
	}
	time.Sleep(6 * h.hub.timing.Watch)
	if got := h.presence(); !slices.Equal(got, want) {
		t.Fatal("a moment later:", cmp.Diff(want, got))
	}
}

// goodbye closes the connection as an agent does that is stopped.
func (l *line) goodbye() {
	l.t.Helper()
	l.send(wire.Frame{Type: wire.TypeDrain}, struct{}{})
	l.mu.Lock()
	_ = l.ws.WriteControl(8, []byte{wire.Going >> 8, wire.Going & 0xff}, time.Now().Add(time.Second))
	l.mu.Unlock()
	<-l.ended
}

func TestComingAndGoingIsRecordedButNoFlapping(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *agents.Timing) { p.Departures = time.Hour })
	h.start(func(p *agents.Timing) { p.Departures = time.Hour }) // a second process looks as well
	m := h.enrol("HQ", "")
	l := m.connect()
	h.recorded(t, string(event.AgentOnline))
	l.ws.Close()
	h.recorded(t, string(event.AgentOnline), string(event.AgentOffline))
	l = m.connect()
	h.recorded(t, string(event.AgentOnline), string(event.AgentOffline), string(event.AgentOnline))
	l.ws.Close()
	h.eventually(m.id, agents.Offline)
	waitFor(t, func() bool {
		flapping, _ := h.must(t, 200, "GET", "/settings/agents/"+m.id, "admin", nil).body["flapping"].(bool)
		return flapping
	})
	m.connect()
	h.eventually(m.id, agents.Online)
	h.recorded(t, string(event.AgentOnline), string(event.AgentOffline), string(event.AgentOnline))
}

func TestAnAgentThatStaysAwayIsSaidToBeGoneInTheEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t) // two seconds between departures
	m := h.enrol("HQ", "")
	for range 3 {
		l := m.connect()
		h.eventually(m.id, agents.Online)
		l.ws.Close()
		h.eventually(m.id, agents.Offline)
	}
	waitFor(t, func() bool {
		events := h.presence()
		return len(events) > 0 && events[len(events)-1] == string(event.AgentOffline)
	})
	for i, e := range h.presence() {
		if want := []string{string(event.AgentOnline), string(event.AgentOffline)}[i%2]; e != want {
			t.Errorf("event %d is %s; want %s", i, e, want)
		}
	}
}

func TestAStoppedAgentIsOfflineAtOnceAndAPlannedRestartIsNoEvent(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *agents.Timing) { p.Return, p.Lapse = time.Second, 5*time.Second })
	m := h.enrol("HQ", "")
	l := m.connect()
	h.recorded(t, string(event.AgentOnline))
	l.goodbye()
	if took := h.eventually(m.id, agents.Offline); took > time.Second {
		t.Errorf("offline %s after it was stopped; want at once", took)
	}
	l = m.connect()
	h.eventually(m.id, agents.Online)
	h.recorded(t, string(event.AgentOnline))
	time.Sleep(time.Second)
	l.goodbye()
	h.recorded(t, string(event.AgentOnline), string(event.AgentOffline)) // it does not come back in time
}

func TestAfterAnOutageOfOursNobodyIsSaidToBeGone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	m.connect()
	h.recorded(t, string(event.AgentOnline))
	h.stop()
	time.Sleep(h.hub.timing.Offline) // longer than an agent may be silent
	second := h.start(func(p *agents.Timing) { p.Return = 3 * time.Second })
	h.process = second
	time.Sleep(500 * time.Millisecond)
	m.connect()
	h.eventually(m.id, agents.Online)
	h.recorded(t, string(event.AgentOnline))
}

func TestAnAgentIsDegradedForAReasonAndOnlineWithoutOne(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.knock(h.process, func() wire.Hello { hi := m.hello(); hi.Limits.SpoolBytes = 1000; return hi }())
	l.expect(wire.TypeWelcome)
	for _, tt := range []struct {
		beat wire.Heartbeat
		want []any
	}{
		{wire.Heartbeat{Clock: time.Now().Add(-3 * time.Minute)}, []any{session.ClockSkew}},
		{wire.Heartbeat{SpoolBytes: 801}, []any{session.SpoolNearlyFull}},
		{wire.Heartbeat{Trouble: []string{session.SpoolFailed, "something new"}}, []any{session.SpoolFailed}},
		{wire.Heartbeat{SpoolBytes: 800, Clock: time.Now()}, []any{}},
	} {
		l.send(wire.Frame{Type: wire.TypeHeartbeat}, tt.beat)
		l.expect(wire.TypeHeartbeat)
		state := agents.Degraded
		if len(tt.want) == 0 {
			state = agents.Online
		}
		waitFor(t, func() bool {
			a := h.must(t, 200, "GET", "/settings/agents/"+m.id, "admin", nil)
			return a.text("state") == state && cmp.Equal(a.body["degraded_reasons"], any(tt.want))
		})
	}
	if !h.hub.Serves(m.target()) {
		t.Error("it gets no tasks")
	}
}

func TestAnAgentBelowTheMinimumVersionIsDegraded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.hub.admission.MinVersion = "1.10"
	m := h.enrol("HQ", "")
	if l := m.connect(); l.welcome.MinVersion != "1.10" {
		t.Errorf("welcome says %q", l.welcome.MinVersion)
	}
	h.eventually(m.id, agents.Degraded)
}

func TestWhoListensIsToldWhatIsRecorded(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *agents.Timing) { p.Departures = time.Hour })
	act := func(fn func(tx *pg.Tx) error) {
		t.Helper()
		if err := h.db.As(ctx, h.system, fn); err != nil {
			t.Fatal(err)
		}
	}
	act(func(tx *pg.Tx) error { return event.Want(ctx, tx, "test", event.AgentOnline, event.AgentOffline) })
	m := h.enrol("HQ", "")
	l := m.connect()
	h.recorded(t, string(event.AgentOnline))
	l.ws.Close()
	h.recorded(t, string(event.AgentOnline), string(event.AgentOffline))
	var told []string
	act(func(tx *pg.Tx) error {
		const sql = `
			select array_agg(concat_ws(' ', kind, sequence, data ->> 'name', data ->> 'cause', data ->> 'state',
			    data ->> 'last_seen_at' is not null) order by sequence)
			  from event where resource_id = $1 and resource_type = 'agent' and data ->> 'version' <> ''`
		return tx.QueryRow(ctx, sql, m.id).Scan(&told)
	})
	if diff := cmp.Diff(
		[]string{"agent.online 1 HQ connected registered t", "agent.offline 2 HQ silent registered t"},
		told,
	); diff != "" {
		t.Error(diff)
	}
}
