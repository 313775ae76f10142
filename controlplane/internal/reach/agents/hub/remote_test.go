package hub

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// elsewhere asks through a process that does not hold the agent's socket.
func elsewhere(ctx context.Context, p *process, t dispatch.Target) <-chan outcome[v1.TestResponse] {
	d := &dispatch.Dispatcher{Agents: p.hub}
	return later(func() (v1.TestResponse, error) {
		return d.Test(ctx, t, v1.TestRequest{ConnectorBusinessID: "AD", AuthConfig: secretly}, nil)
	})
}

func (h *house) tasks() (states []string, sealed []byte) {
	h.t.Helper()
	err := h.db.As(ctx, h.system, func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select coalesce(array_agg(state), '{}'), coalesce(string_agg(request, ''), '')
			from agent_task`).
			Scan(&states, &sealed)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return states, sealed
}

func TestACallReachesAnAgentThatAnotherProcessHolds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	second := h.start()
	m := h.enrol("HQ", "dc")
	l := m.connect()
	if second.hub.Serves(m.target()) || !h.hub.Serves(m.target()) {
		t.Error("only the process with the socket serves")
	}
	if ok, err := second.hub.Online(ctx, m.target()); !ok || err != nil {
		t.Errorf("Online = %v, %v; want true", ok, err)
	}
	group := m.target()
	group.AgentID, group.AgentGroup = "", "dc"
	began := time.Now()
	call := elsewhere(ctx, second, group)
	f, offer := l.accept()
	if !bytes.Contains(offer.Request, []byte(canary)) {
		t.Errorf("request = %s", offer.Request)
	}
	states, sealed := h.tasks()
	if diff := cmp.Diff(
		[]string{"running"},
		states,
	); diff != "" || len(sealed) == 0 ||
		bytes.Contains(sealed, []byte(canary)) {
		t.Errorf("tasks (-want +got):\n%s%q", diff, sealed)
	}
	l.finish(f, v1.TestResponse{Success: true, Steps: []v1.TestStep{{Name: "tcp", OK: true}}})
	o := wait(t, call)
	if o.err != nil || !o.value.Success || o.value.ExecutedBy.AgentID != m.id || len(o.value.Steps) != 1 {
		t.Errorf("test = %+v, %v", o.value, o.err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("it took %s", took)
	}
	if states, _ := h.tasks(); len(states) != 0 {
		t.Errorf("tasks left: %v", states)
	}
}

func TestAnErrorCrossesProcessesWhole(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	second := h.start()
	m := h.enrol("HQ", "")
	l := m.connect()
	want := &v1.ErrorDetail{
		Class: v1.ClassAuth, Code: "http_401", Message: "refused", Phase: "users",
		Target: &v1.Target{Kind: "http", HTTP: &v1.HTTPResult{Method: "GET", URL: "https://x/Users", Status: 401}},
	}
	d := &dispatch.Dispatcher{Agents: second.hub}
	call := later(func() (v1.DiscoverResponse, error) { return d.Discover(ctx, m.target(), v1.DiscoverRequest{}, nil) })
	f, _ := l.accept()
	l.failWith(f, want)
	if diff := cmp.Diff(want, detail(t, wait(t, call).err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e := detail(t, d.Sync(ctx, m.target(), v1.SyncRequest{}, nil)); e.Code != "agent_elsewhere" || !e.Retryable {
		t.Errorf("sync = %+v; want agent_elsewhere", e)
	}
}

func TestACallThatIsGivenUpEndsInTheOtherProcessToo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	second := h.start()
	m := h.enrol("HQ", "")
	l := m.connect()
	given, giveUp := context.WithCancel(ctx)
	call := elsewhere(given, second, m.target())
	f, _ := l.accept()
	giveUp()
	if o := wait(t, call); !errors.Is(o.err, context.Canceled) {
		t.Errorf("err = %v; want cancelled", o.err)
	}
	l.expect(wire.TypeTaskCancel)
	l.failWith(f, &v1.ErrorDetail{Class: v1.ClassCancelled})
	// One whose end crosses with the giving up stays as done until it is swept; it holds nothing of the request. The
	// process that has the agent notes it when the agent's word has come.
	over := func() bool {
		states, request := h.tasks()
		return len(request) == 0 && !slices.ContainsFunc(states, func(s string) bool { return s != "done" })
	}
	for deadline := time.Now().Add(20 * time.Second); !over(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			states, request := h.tasks()
			t.Fatalf("tasks left: %v, %d bytes of requests", states, len(request))
		}
	}
}

func TestACallForAProcessThatDiedEndsSoon(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	second := h.start()
	m := h.enrol("HQ", "")
	m.connect()
	h.stop()
	// It died without a word: its session still stands.
	err := h.db.As(ctx, h.system, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `update agent_session set process_id = $1, last_seen_at = now()`, uuid.NewString())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	d := detail(t, wait(t, elsewhere(ctx, second, m.target())).err)
	if d.Class != v1.ClassAgentUnavailable || !d.Retryable ||
		time.Since(began) > second.hub.timing.Claim+2*time.Second {
		t.Errorf("err = %+v after %s", d, time.Since(began))
	}
}

func TestAnAgentThatMovesToAnotherProcessLeavesTheFirst(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	second := h.start()
	m := h.enrol("HQ", "")
	old := m.connect()
	m.connectTo(second)
	if got := old.closed(); got != wire.CloseSuperseded {
		t.Errorf("closed with %d; want %d", got, wire.CloseSuperseded)
	}
	waitFor(t, func() bool { return !h.hub.Serves(m.target()) })
	time.Sleep(2 * second.hub.timing.Check)
	if !second.hub.Serves(m.target()) || h.state(m.id) != agents.Online {
		t.Errorf("second serves: %v, state %s", second.hub.Serves(m.target()), h.state(m.id))
	}
}

func TestASecondHostIsFoundOutAcrossProcesses(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	second := h.start()
	m := h.enrol("HQ", "")
	first := m.connect()
	clone := *m
	clone.boot = uuid.NewString()
	if got := clone.knock(second, clone.hello()).closed(); got != wire.CloseClone {
		t.Errorf("the newcomer was closed with %d; want %d", got, wire.CloseClone)
	}
	if got := first.closed(); got != wire.CloseClone {
		t.Errorf("the first was closed with %d; want %d", got, wire.CloseClone)
	}
	if got := h.state(m.id); got != agents.Quarantined {
		t.Errorf("state = %s; want %s", got, agents.Quarantined)
	}
}

func TestARevocationReachesEveryProcess(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	second := h.start()
	m := h.enrol("HQ", "")
	l := m.connectTo(second)
	began := time.Now()
	h.must(t, 200, "POST", "/settings/agents/"+m.id+"/revoke", "admin", map[string]any{"reason": "gone"})
	if got := l.closed(); got != wire.CloseRevoked || time.Since(began) > 5*time.Second {
		t.Errorf("closed with %d after %s; want %d", got, time.Since(began), wire.CloseRevoked)
	}
}
