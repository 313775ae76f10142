package hub

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

func TestADrainedAgentEndsWhatRunsAndGetsNothingNew(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, b := h.enrol("A", "dc"), h.enrol("B", "dc")
	la := a.connect()
	group := dispatch.Target{
		Tenant:      h.system.Tenant,
		ConnectorID: uuid.NewString(),
		Type:        "ldap",
		Mode:        dispatch.Agent,
		AgentGroup:  "dc",
	}
	call := h.test(ctx, group, nil)
	f, _ := la.accept()
	h.must(t, 200, "POST", "/settings/agents/"+a.id+"/drain", "admin", nil)
	h.eventually(a.id, agents.Draining)
	waitFor(t, func() bool { return !h.hub.Serves(group) })
	if online, err := h.hub.Online(ctx, group); online || err != nil {
		t.Errorf("Online = %v, %v; a run would wait for an agent that takes none", online, err)
	}
	if d := detail(t, wait(t, h.test(ctx, group, nil)).err); d.Code != "agent_draining" || !d.Retryable {
		t.Errorf("a new call: %+v; want agent_draining", d)
	}
	la.finish(f, v1.TestResponse{Success: true})
	if o := wait(t, call); o.err != nil {
		t.Errorf("the call that ran: %v", o.err)
	}
	lb := b.connect()
	call = h.test(ctx, group, nil)
	f, _ = lb.accept()
	lb.finish(f, v1.TestResponse{Success: true})
	if o := wait(t, call); o.err != nil || o.value.ExecutedBy.AgentID != b.id {
		t.Errorf("test = %+v, %v; want it run by B", o.value, o.err)
	}
	h.must(t, 200, "POST", "/settings/agents/"+a.id+"/resume", "admin", nil)
	h.eventually(a.id, agents.Online)
	waitFor(t, func() bool { return h.hub.Serves(a.target()) })
	h.saw(t, "agent.draining", "agent.resumed")
}

// saw checks that the audit log ends with these, whatever came and went meanwhile.
func (h *house) saw(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, a := range h.actions() {
		if a != string(event.AgentOnline) && a != string(event.AgentOffline) {
			got = append(got, a)
		}
	}
	for i := range want {
		if at := len(got) - len(want) + i; at < 0 || got[at] != want[i] {
			t.Errorf("audit = %v; want %v at its end", got, want)
			return
		}
	}
}

func TestAnAgentThatDrainsByItsOwnWishIsShownAsSuch(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	l.send(wire.Frame{Type: wire.TypeDrain}, struct{}{})
	l.send(wire.Frame{Type: wire.TypeHeartbeat}, wire.Heartbeat{Draining: true, Clock: time.Now()})
	l.expect(wire.TypeHeartbeat)
	h.eventually(m.id, agents.Draining)
	if h.hub.Serves(m.target()) {
		t.Error("it is still offered tasks")
	}
	l.send(wire.Frame{Type: wire.TypeHeartbeat}, wire.Heartbeat{Clock: time.Now()})
	h.eventually(m.id, agents.Online)
	if !h.hub.Serves(m.target()) {
		t.Error("it is not offered tasks again")
	}
}

func TestAnAgentIsSwitchedOffAndOnAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	l := m.connect()
	if got := h.must(t, 200, "POST", "/settings/agents/"+m.id+"/disable", "admin", nil).
		text("state"); got != agents.Disabled {
		t.Errorf("state = %s; want %s", got, agents.Disabled)
	}
	if got := l.closed(); got != wire.CloseRevoked {
		t.Errorf("closed with %d; want %d", got, wire.CloseRevoked)
	}
	h.refused(t, 403, "agent_disabled", "POST", "/agent/token", m.token, m.renewal("n1"))
	if _, resp, err := dial(h.process, m.token, nil); err == nil || resp.StatusCode != 403 {
		t.Errorf("a disabled agent connected: %v", err)
	}
	h.must(t, 200, "POST", "/settings/agents/"+m.id+"/disable", "admin", nil) // twice is once
	h.refused(t, 409, "conflict", "POST", "/settings/agents/"+m.id+"/drain", "admin", nil)
	h.must(t, 200, "POST", "/settings/agents/"+m.id+"/enable", "admin", nil)
	m.joined(h.must(t, 200, "POST", "/agent/token", m.token, m.renewal("n2")))
	m.connect()
	h.eventually(m.id, agents.Online)
	h.saw(t, "agent.disabled", "agent.enabled")
}

func TestOnlyAdministratorsSwitchAgents(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	for _, action := range []string{"drain", "resume", "disable", "enable", "quarantine/clear"} {
		path := "/settings/agents/" + m.id + "/" + action
		for _, who := range []string{"manager", "auditor"} {
			if got := h.call(t, "POST", path, who, nil).status; got != 403 {
				t.Errorf("%s as %s = %d; want 403", action, who, got)
			}
		}
		h.refused(t, 404, "not_found", "POST", "/settings/agents/"+uuid.NewString()+"/"+action, "admin", nil)
		h.refused(t, 404, "not_found", "POST", "/settings/agents/x/"+action, "admin", nil)
	}
	pending := h.must(t, 201, "POST", "/settings/agents", "admin", map[string]any{"name": "new"}).text("id")
	for _, action := range []string{"drain", "disable", "enable", "quarantine/clear"} {
		h.refused(t, 409, "conflict", "POST", "/settings/agents/"+pending+"/"+action, "admin", nil)
	}
}

func TestAClearedQuarantineLetsTheNewestCounterInAndFindsTheCopyAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	copied := *m
	m.joined(h.must(t, 200, "POST", "/agent/token", m.token, m.renewal("n1")))
	h.refused(t, 403, "agent_quarantined", "POST", "/agent/token", copied.token, copied.renewal("n2"))
	h.refused(t, 403, "agent_quarantined", "POST", "/agent/token", m.token, m.renewal("n3"))
	h.must(t, 200, "POST", "/settings/agents/"+m.id+"/quarantine/clear", "admin", nil)
	m.joined(h.must(t, 200, "POST", "/agent/token", m.token, m.renewal("n3")))
	l := m.connect()
	h.refused(t, 403, "agent_quarantined", "POST", "/agent/token", copied.token, copied.renewal("n4"))
	if got := l.closed(); got != wire.CloseClone {
		t.Errorf("closed with %d; want %d", got, wire.CloseClone)
	}
	h.saw(t, "agent.clone_detected", "agent.quarantine_cleared", "agent.clone_detected")
}

func TestARenewalCanBeAskedForWithoutBeingMade(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m := h.enrol("HQ", "")
	dry := func(of *host, nonce string) answer {
		return h.call(t, "POST", "/agent/token", of.token, of.dryRenewal(nonce))
	}
	if a := dry(m, "n1"); a.status != 200 || a.text("token") != "" || a.body["join_seq"] != 1.0 {
		t.Errorf("a dry run = %d %s", a.status, a.raw)
	}
	forged := m.renewal("n1")
	forged["dry_run"] = true
	h.refused(t, 401, "invalid_proof", "POST", "/agent/token", m.token, forged)
	real := m.dryRenewal("n1")
	delete(real, "dry_run") // somebody on the way makes a real request of it
	h.refused(t, 401, "invalid_proof", "POST", "/agent/token", m.token, real)
	old := *m
	m.joined(h.must(t, 200, "POST", "/agent/token", m.token, m.renewal("n2")))
	if a := dry(&old, "n3"); a.status != 403 || a.text("code") != "agent_quarantined" {
		t.Errorf("a dry run with an old counter = %d %s", a.status, a.raw)
	}
	if got := h.state(m.id); got != agents.Registered {
		t.Errorf("state = %s; a dry run changes nothing", got)
	}
}
