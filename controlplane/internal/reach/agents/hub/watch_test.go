package hub

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/protocol/wire"
)

// TestDeparturesAreRecordedApartAndAlwaysFollowedByReturns tries any coming and going against what is promised of the
// events.
func TestDeparturesAreRecordedApartAndAlwaysFollowedByReturns(t *testing.T) {
	t.Parallel()
	const pair = 5 * time.Minute
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		w := watched{Since: now}
		var events []string
		var gone []time.Time
		steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			return step{
				rapid.Bool().Draw(t, "online"),
				time.Duration(rapid.IntRange(1, 900).Draw(t, "seconds")) * time.Second,
				rapid.Bool().Draw(t, "with notice"),
			}
		}), 1, 60).Draw(t, "steps")
		online := false
		for _, s := range steps {
			online = s.online
			if w.BackBy = nil; !online && s.notice {
				by := now.Add(2 * time.Minute)
				w.BackBy = &by
			}
			for end := now.Add(s.lasts); now.Before(end); now = now.Add(5 * time.Second) {
				var event string
				if w, event = w.look(now, online, pair); event != "" {
					events = append(events, event)
				}
				if event == wentOffline {
					gone = append(gone, now)
				}
			}
		}
		for i, e := range events {
			if want := []string{cameOnline, wentOffline}[i%2]; e != want {
				t.Fatalf("event %d is %s; want %s", i, e, want)
			}
		}
		for i := 1; i < len(gone); i++ {
			if apart := gone[i].Sub(gone[i-1]); apart < pair {
				t.Fatalf("two departures %s apart are recorded", apart)
			}
		}
		// Once all is quiet the log says how it is, and nothing flaps.
		for range 200 {
			w, _ = w.look(now, online, pair)
			now = now.Add(5 * time.Second)
		}
		if w.Told != online || w.Flapping != nil {
			t.Fatalf("online is %v in the end; remembered: %+v", online, w)
		}
	})
}

type step struct {
	online bool
	lasts  time.Duration
	notice bool
}

func TestAnAgentThatComesAndGoesIsFlappingUntilItStays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	w := watched{Since: now}
	var events []string
	see := func(after time.Duration, online bool) {
		t.Helper()
		now = now.Add(after)
		var event string
		if w, event = w.look(now, online, 5*time.Minute); event != "" {
			events = append(events, event)
		}
	}
	see(0, true)
	see(time.Minute, false)
	see(time.Minute, true)
	if want := []string{cameOnline, wentOffline, cameOnline}; !slices.Equal(events, want) || w.Flapping != nil {
		t.Fatalf("events %v, flapping %v; want %v and not flapping", events, w.Flapping, want)
	}
	see(time.Minute, false)
	see(time.Minute, true)
	if len(events) != 3 || w.Flapping == nil {
		t.Fatalf("events %v, flapping %v; want no more, and flapping", events, w.Flapping)
	}
	see(4*time.Minute, true)
	if w.Flapping == nil {
		t.Error("not flapping after four quiet minutes")
	}
	see(time.Minute, true)
	if w.Flapping != nil {
		t.Error("still flapping after five quiet minutes")
	}
}

// presence are the audit log's events of presence.
func (h *house) presence() []string {
	h.t.Helper()
	return slices.DeleteFunc(h.actions(), func(a string) bool { return a != cameOnline && a != wentOffline })
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
	time.Sleep(6 * h.hub.pace.look)
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
	h := newHouse(t, func(p *pace) { p.pair = time.Hour })
	h.start(func(p *pace) { p.pair = time.Hour }) // a second process looks as well
	m := h.enrol("HQ", "")
	l := m.connect()
	h.recorded(t, cameOnline)
	l.ws.Close()
	h.recorded(t, cameOnline, wentOffline)
	l = m.connect()
	h.recorded(t, cameOnline, wentOffline, cameOnline)
	l.ws.Close()
	h.eventually(m.id, agents.Offline)
	waitFor(t, func() bool {
		flapping, _ := h.must(t, 200, "GET", "/settings/agents/"+m.id, "admin", nil).body["flapping"].(bool)
		return flapping
	})
	m.connect()
	h.eventually(m.id, agents.Online)
	h.recorded(t, cameOnline, wentOffline, cameOnline)
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
		return len(events) > 0 && events[len(events)-1] == wentOffline
	})
	for i, e := range h.presence() {
		if want := []string{cameOnline, wentOffline}[i%2]; e != want {
			t.Errorf("event %d is %s; want %s", i, e, want)
		}
	}
}

func TestAStoppedAgentIsOfflineAtOnceAndAPlannedRestartIsNoEvent(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *pace) { p.back, p.lapse = time.Second, 5*time.Second })
	m := h.enrol("HQ", "")
	l := m.connect()
	h.recorded(t, cameOnline)
	l.goodbye()
	if took := h.eventually(m.id, agents.Offline); took > time.Second {
		t.Errorf("offline %s after it was stopped; want at once", took)
	}
	l = m.connect()
	h.eventually(m.id, agents.Online)
	h.recorded(t, cameOnline)
	time.Sleep(time.Second)
	l.goodbye()
	h.recorded(t, cameOnline, wentOffline) // it does not come back in time
}

func TestAfterAnOutageOfOursNobodyIsSaidToBeGone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	m.connect()
	h.recorded(t, cameOnline)
	h.stop()
	time.Sleep(h.hub.pace.offline) // longer than an agent may be silent
	second := h.start(func(p *pace) { p.back = 3 * time.Second })
	h.process = second
	time.Sleep(500 * time.Millisecond)
	m.connect()
	h.eventually(m.id, agents.Online)
	h.recorded(t, cameOnline)
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
		{wire.Heartbeat{Clock: time.Now().Add(-3 * time.Minute)}, []any{ClockSkew}},
		{wire.Heartbeat{SpoolBytes: 801}, []any{SpoolNearlyFull}},
		{wire.Heartbeat{Trouble: []string{SpoolFailed, "something new"}}, []any{SpoolFailed}},
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
	h.hub.MinVersion = "1.10"
	m := h.enrol("HQ", "")
	if l := m.connect(); l.welcome.MinVersion != "1.10" {
		t.Errorf("welcome says %q", l.welcome.MinVersion)
	}
	h.eventually(m.id, agents.Degraded)
	for version, want := range map[string]bool{
		"1.9.7": true, "1.9": true, "v1.2.3": true, "0.9": true, "1.10": false, "1.10.0": false, "1.10.1-rc1": false,
		"2":                  false,
		"0.0.0-4f2a9c1d77aa": false, "0.0.0-dev": false, "unknown": false, "": false,
	} {
		if got := older(version, "1.10"); got != want {
			t.Errorf("older(%q, 1.10) = %v; want %v", version, got, want)
		}
	}
	if older("0.1", "") {
		t.Error("without a minimum a version is too old")
	}
}

func TestWhoListensIsToldWhatIsRecorded(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(p *pace) { p.pair = time.Hour })
	act := func(fn func(tx *pg.Tx) error) {
		t.Helper()
		if err := h.db.As(ctx, h.system, fn); err != nil {
			t.Fatal(err)
		}
	}
	act(func(tx *pg.Tx) error { return event.Want(ctx, tx, "test", event.AgentOnline, event.AgentOffline) })
	m := h.enrol("HQ", "")
	l := m.connect()
	h.recorded(t, cameOnline)
	l.ws.Close()
	h.recorded(t, cameOnline, wentOffline)
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
