package hub

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/agent/agenttest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
)

func TestDoctorLeavesAnAgentThatWorksAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.site(t, "A", "", &book{pages: 40, turn: gently})
	a := s.run("")
	h.eventually(s.id, agents.Online)
	shelf := newShelf(h, s.target())
	done := later(func() (struct{}, error) { return struct{}{}, shelf.read(soon(t)) })
	waitFor(t, func() bool { return s.book.readers() == 1 })
	steps := agenttest.Doctor(ctx, s.dir)
	for name, st := range steps {
		if st.Status == "FAIL" {
			t.Errorf("%s: %s -> %s", name, st.Detail, st.Mend)
		}
	}
	for _, name := range []string{"http", "clock", "auth", "websocket", "ping", "echo"} {
		if steps[name].Status != "PASS" {
			t.Errorf("%s = %+v; want PASS", name, steps[name])
		}
	}
	if o := wait(t, done); o.err != nil {
		t.Fatal(o.err)
	}
	shelf.complete(t, s.book, 0)
	if shelf.attempt != 1 || a.State() != "online" || h.state(s.id) != agents.Online {
		t.Errorf("%d attempts, the agent is %s and shown as %s", shelf.attempt, a.State(), h.state(s.id))
	}
	if err := a.Renew(ctx); err != nil {
		t.Errorf("after doctor the agent's renewal = %v", err)
	}
}

func TestDoctorTellsWhatTheControlPlaneThinksOfTheAgent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for name, tt := range map[string]struct {
		do   func(*site)
		code string
	}{
		"revoked": {func(s *site) {
			h.must(t, 200, "POST", "/settings/agents/"+s.id+"/revoke", "admin", map[string]any{"reason": "x"})
		}, "agent_revoked"},
		"disabled": {func(s *site) {
			h.must(t, 200, "POST", "/settings/agents/"+s.id+"/disable", "admin",
				nil)
		}, "agent_disabled"},
		"enrolled elsewhere": {func(s *site) {
			h.must(t, 200, "POST", "/settings/agents/"+s.id+"/enroll", "admin",
				nil)
		}, "token_revoked"},
		"a copy": {func(s *site) {
			a := s.copied(s.book).run("")
			h.eventually(s.id, agents.Online)
			if err := a.Renew(ctx); err != nil {
				t.Error(err)
			}
			_ = a.Stop()
		}, "agent_quarantined"},
	} {
		s := h.site(t, name, "", &book{})
		tt.do(s)
		if got := agenttest.Doctor(ctx, s.dir)["auth"]; got.Status != "FAIL" || got.Code != tt.code || got.Mend == "" {
			t.Errorf("%s: auth = %+v; want FAIL with %s", name, got, tt.code)
		}
		if name == "a copy" && h.state(s.id) == agents.Quarantined {
			t.Error("doctor had the agent quarantined")
		}
	}
}

func TestAnAgentIsDrainedByItsOperator(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.site(t, "A", "dc", &book{pages: 30, turn: gently})
	other := h.site(t, "B", "dc", &book{pages: 30})
	a := s.run("")
	h.eventually(s.id, agents.Online)
	target := s.target()
	target.AgentID, target.AgentGroup = "", "dc"
	shelf := newShelf(h, target)
	done := later(func() (struct{}, error) { return struct{}{}, shelf.read(soon(t)) })
	waitFor(t, func() bool { return s.book.readers() == 1 })
	if err := a.Drain(true); err != nil {
		t.Fatal(err)
	}
	h.eventually(s.id, agents.Draining)
	if o := wait(t, done); o.err != nil || shelf.attempt != 1 {
		t.Errorf("what ran ended with %v after %d attempts", o.err, shelf.attempt)
	}
	other.run("")
	h.eventually(other.id, agents.Online)
	next := newShelf(h, target)
	if err := next.read(soon(t)); err != nil || next.by[0] != other.id {
		t.Errorf("the next was read by %v (%v); want the other agent", next.by, err)
	}
	if err := a.Drain(false); err != nil {
		t.Fatal(err)
	}
	h.eventually(s.id, agents.Online)
	if err := a.Stop(); err != nil {
		t.Error(err)
	}
	if took := h.eventually(s.id, agents.Offline); took > time.Second {
		t.Errorf("offline %s after it was stopped", took)
	}
}
