package hub

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// group is three connected agents that stand in for each other.
type group struct {
	*house
	hosts map[string]*host
	lines map[string]*line
}

func newGroup(t *testing.T) *group {
	t.Helper()
	g := &group{house: newHouse(t), hosts: map[string]*host{}, lines: map[string]*line{}}
	for _, name := range []string{"A", "B", "C"} {
		m := g.enrol(name, "dc")
		m.name = "host-" + name
		g.hosts[m.id], g.lines[m.id] = m, m.connect()
	}
	return g
}

// connector is a new connector of the group.
func (g *group) connector() dispatch.Target {
	return dispatch.Target{
		Tenant:      g.system.Tenant,
		ConnectorID: uuid.NewString(),
		Type:        "ldap",
		Mode:        dispatch.Agent,
		AgentGroup:  "dc",
	}
}

// offered waits for an offer on any of the lines, takes it, and tells whose it was.
func (g *group) offered(t *testing.T) (agent string, f wire.Frame) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		for id, l := range g.lines {
			select {
			case f := <-l.frames:
				if f.Type == wire.TypeOffer {
					return id, f
				}
			default:
			}
		}
	}
	t.Fatal("nobody was offered the call")
	return "", f
}

// read has the connector read once, to a good end, and tells who did it.
func (g *group) read(t *testing.T, target dispatch.Target) string {
	t.Helper()
	target.Run, target.Attempt = uuid.NewString(), 1
	var got collector
	call := g.sync(ctx, target, got.emit)
	id, f := g.offered(t)
	g.lines[id].chunk(f, 1, true)
	g.lines[id].expect(wire.TypeAck)
	g.lines[id].finish(f, wire.Summary{Chunks: 1, Records: 1})
	if o := wait(t, call); o.err != nil {
		t.Fatal(o.err)
	}
	return id
}

func TestThreeAgentsShareTheWorkAndADrainingOneGetsNone(t *testing.T) {
	t.Parallel()
	g := newGroup(t)
	busy := map[string]int{}
	var calls []<-chan outcome[v1.TestResponse]
	var frames []func()
	test := func() string {
		calls = append(calls, g.test(ctx, g.connector(), nil))
		id, f := g.offered(t)
		busy[id]++
		frames = append(frames, func() { g.lines[id].finish(f, v1.TestResponse{Success: true}) })
		return id
	}
	for range 6 {
		test()
	}
	for id, n := range busy {
		if n != 2 {
			t.Errorf("%s has %d of 6 calls; want 2", g.hosts[id].name, n)
		}
	}
	var drained string
	for id, l := range g.lines {
		drained = id
		l.send(wire.Frame{Type: wire.TypeDrain}, struct{}{})
		break
	}
	waitFor(t, func() bool { return !g.hub.Serves(g.hosts[drained].target()) })
	for range 4 {
		if id := test(); id == drained {
			t.Error("the draining agent was given a call")
		}
	}
	for _, finish := range frames {
		finish()
	}
	for _, c := range calls {
		if o := wait(t, c); o.err != nil {
			t.Error(o.err)
		}
	}
}

func TestAConnectorStaysWithTheAgentThatReadItLast(t *testing.T) {
	t.Parallel()
	g := newGroup(t)
	c := g.connector()
	first := g.read(t, c)
	// The others are idle and this one is not; still it gets the connector again.
	g.test(ctx, g.hosts[first].target(), nil)
	if id, _ := g.offered(t); id != first {
		t.Fatal("a call for an agent went to another")
	}
	for range 3 {
		if got := g.read(t, c); got != first {
			t.Errorf("read by %s; want %s as before", g.hosts[got].name, g.hosts[first].name)
		}
	}
	g.lines[first].ws.Close()
	waitFor(t, func() bool { return !g.hub.Serves(g.hosts[first].target()) })
	second := g.read(t, c)
	if second == first {
		t.Fatal("the agent is gone")
	}
	g.lines[first] = g.hosts[first].connect()
	if got := g.read(t, c); got != second {
		t.Errorf("read by %s; want the one that read it last", g.hosts[got].name)
	}
}

func TestTheLastAgentIsKnownAfterARestartOfOurs(t *testing.T) {
	t.Parallel()
	g := newGroup(t)
	c := g.connector()
	var chosen string
	for id := range g.hosts {
		chosen = max(chosen, id) // of equals the first would be taken
	}
	err := g.db.As(ctx, g.system, func(tx *pg.Tx) error {
		const connector = `insert into connector (tenant_id, id, business_id, name, type, mode)
			values (current_tenant(), $1, 'AD', 'AD', 'ldap', 'agent')`
		if _, err := tx.Exec(ctx, connector, c.ConnectorID); err != nil {
			return err
		}
		const run = `
			insert into sync_run (tenant_id, id, connector_id, type, mode, incremental, chunk_size, status, executed_by)
			values (current_tenant(), $1, $2, 'ldap', 'agent', false, 500, 'succeeded',
			    jsonb_build_object('agent_id', $3::text))`
		_, err := tx.Exec(ctx, run, uuid.NewString(), c.ConnectorID, chosen)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := g.read(t, c); got != chosen {
		t.Errorf("read by %s; want the agent of the last good run", g.hosts[got].name)
	}
}

func TestAnAgentThatIsFullIsPassedOver(t *testing.T) {
	t.Parallel()
	g := newGroup(t)
	c := g.connector()
	last := g.read(t, c)
	for range 8 { // as many as it says it can take
		g.test(ctx, g.hosts[last].target(), nil)
		g.offered(t)
	}
	if got := g.read(t, c); got == last {
		t.Error("the full agent was chosen")
	}
}

func TestAnAgentThatDoesNotKnowTheTypeIsNotChosen(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, b := h.enrol("A", "dc"), h.enrol("B", "dc")
	a.types = []string{"rest"}
	a.connect()
	b.connect()
	for range 5 {
		if s := h.hub.peers.pick(dispatch.Target{Tenant: h.system.Tenant, Type: "ldap", AgentGroup: "dc"}); s == nil ||
			s.Key.Agent != b.id {
			t.Fatal("an agent was chosen that cannot run it, or none")
		}
	}
}
