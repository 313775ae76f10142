package scenarios

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/targets/mishap"
)

// page is how many people the HR system gives at a time to those whose reading is disturbed.
const page = 100

func TestAnotherAgentOfTheGroupGoesOnWhereADeadOneStopped(t *testing.T) {
	t.Parallel()
	h, s := open(t, 2000, page)
	both := []*harness.Agent{h.Invite(h.Admin, "one", "branch"), h.Invite(h.Admin, "two", "branch")}
	for _, a := range both {
		h.StartAgent(h.Admin, a)
	}
	c := s.state.PersonnelWithRoles()
	c.Mode, c.AgentGroup = "agent", "branch"
	connector := h.Connect(h.Admin, c)
	s.hr.SetFaults(mishap.Faults{Delay: 100 * time.Millisecond})
	run := h.Begin(h.Admin, connector, api.Sync{ChunkSize: 50})
	half := h.Reach(
		h.Admin,
		connector,
		run,
		func(r api.Run) bool { return r.Counters.Identities >= 600 && r.Agent() != "" },
	)
	if half.Agent() == both[1].ID {
		both[0], both[1] = both[1], both[0]
	}
	both[0].Kill()
	s.hr.SetFaults(mishap.Faults{})
	end := h.Well(h.End(h.Admin, connector, run))
	if end.Agent() != both[1].ID || end.Resumes == 0 {
		t.Errorf(
			"the run ended with agent %s after %d resumes; want the other agent, %s",
			end.Agent(),
			end.Resumes,
			both[1].ID,
		)
	}
	// Each person comes with an account.
	if end.Reread > 2*page {
		t.Errorf("%d records were read again; want those of one page at most", end.Reread)
	}
	whole(t, h, s, connector, end)
}

// wire carries connections to an address, until it is cut.
type wire struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	cut   bool
	free  chan struct{} // closed while the wire carries
	conns map[net.Conn]bool
}

// lay makes a wire to a control plane.
func lay(t *testing.T, url string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{
		listener: l,
		to:       strings.TrimPrefix(url, "http://"),
		free:     make(chan struct{}),
		conns:    map[net.Conn]bool{},
	}
	close(w.free)
	t.Cleanup(func() {
		_ = l.Close()
		w.reset()
	})
	go w.serve()
	return w
}

func (w *wire) url() string { return "http://" + w.listener.Addr().String() }

func (w *wire) serve() {
	for {
		near, err := w.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", w.to)
		if err != nil || !w.hold(near, far) {
			_ = near.Close()
			continue
		}
		go w.carry(near, far)
		go w.carry(far, near)
	}
}

// hold notes the two ends of a connection; false: the wire is cut, and nobody is let in.
func (w *wire) hold(ends ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range ends {
		w.conns[c] = true
	}
	return !w.cut
}

func (w *wire) carry(from, to net.Conn) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		w.mu.Lock()
		free := w.free
		w.mu.Unlock()
		<-free // what was on its way when the wire was cut arrives when it is mended, if anybody still waits for it
		if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
			return
		}
	}
}

// silence keeps all connections open and carries nothing on them.
func (w *wire) silence() (mend func()) {
	free := make(chan struct{})
	w.mu.Lock()
	w.free = free
	w.mu.Unlock()
	return sync.OnceFunc(func() { close(free) })
}

// sever resets all connections and lets none in.
func (w *wire) sever() (mend func()) {
	w.mu.Lock()
	w.cut = true
	w.mu.Unlock()
	w.reset()
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.cut = false
	}
}

func (w *wire) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.conns {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Close()
	}
	clear(w.conns)
}

func TestANetworkThatIsCutForAWhileCostsNothingButTime(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	for name, cut := range map[string]func(*wire) func(){"silent": (*wire).silence, "reset": (*wire).sever} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, s := h.For(t), serve(t, 1500, page)
			c := h.Tenant(name)
			w := lay(t, h.Plane.URL())
			agent := h.InviteBy(c, name, "", w.url())
			h.StartAgent(c, agent)
			n := s.state.PersonnelWithRoles()
			n.Mode, n.AgentID = "agent", agent.ID
			connector := h.Connect(c, n)
			s.hr.SetFaults(mishap.Faults{Delay: 100 * time.Millisecond})
			run := h.Begin(c, connector, api.Sync{ChunkSize: 50})
			h.Reach(c, connector, run, func(r api.Run) bool { return r.Counters.Identities >= 400 })
			mend := cut(w)
			time.Sleep(20 * time.Second)
			if r, err := c.Run(harness.Context(t), connector, run); err != nil || r.Ended() {
				t.Errorf("without a network the run ended %s: %+v, %v", r.Status, r.Error, err)
			}
			mend()
			s.hr.SetFaults(mishap.Faults{})
			end := h.Well(h.End(c, connector, run))
			if end.Reread > 2*page {
				t.Errorf("%d records were read again; want those of one page at most", end.Reread)
			}
			if got := h.Total(c, "/identities"); got != 1500 || end.Counters.Identities != 1500 {
				t.Errorf("%d people are there and %d were counted; want 1500", got, end.Counters.Identities)
			}
		})
	}
}

func TestACancelledRunLetsGoOfATargetThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	h, s := open(t, 300, 0)
	agent := h.Agent(h.Admin, "site")
	for _, mode := range []string{"hosted", "agent"} {
		c := s.state.Personnel()
		c.BusinessID, c.Mode = mode, mode
		if mode == "agent" {
			c.AgentID = agent.ID
		}
		connector := h.Connect(h.Admin, c)
		s.hr.SetFaults(mishap.Faults{Delay: 10 * time.Minute})
		run := h.Begin(h.Admin, connector, api.Sync{})
		harness.Eventually(t, "the target is asked", func() bool { return s.hr.Requests() > 0 }, nil)
		began := time.Now()
		if err := h.Admin.Post(
			harness.Context(t),
			"/connectors/"+connector+"/sync-runs/"+run+"/cancel",
			nil,
			nil,
		); err != nil {
			t.Fatal(err)
		}
		if r := h.End(h.Admin, connector, run); r.Status != "cancelled" || time.Since(began) > 10*time.Second {
			t.Errorf("%s: the run is %s after %s; want cancelled within 10 s", mode, r.Status, time.Since(began))
		}
		s.hr.SetFaults(mishap.Faults{})
		h.Sync(h.Admin, connector, api.Sync{})
	}
}

func TestADrainingAgentFinishesItsRunAndGetsNoNewOne(t *testing.T) {
	t.Parallel()
	h, s := open(t, 1000, 50)
	first, second := h.Invite(h.Admin, "one", "branch"), h.Invite(h.Admin, "two", "branch")
	h.StartAgent(h.Admin, first)
	connect := func(name, agent string) string {
		c := s.state.Personnel()
		if c.BusinessID, c.Mode, c.AgentID = name, "agent", agent; agent == "" {
			c.AgentGroup = "branch"
		}
		return h.Connect(h.Admin, c)
	}
	group, other, own := connect("by-group", ""), connect("by-group-too", ""), connect("by-itself", first.ID)
	s.hr.SetFaults(mishap.Faults{Delay: 150 * time.Millisecond})
	long := h.Begin(h.Admin, group, api.Sync{ChunkSize: 50})
	h.Reach(h.Admin, group, long, func(r api.Run) bool { return r.Counters.Identities > 0 })

	if err := h.Admin.Post(harness.Context(t), "/settings/agents/"+first.ID+"/drain", nil, nil); err != nil {
		t.Fatal(err)
	}
	h.AwaitState(h.Admin, first, "draining")
	h.StartAgent(h.Admin, second)
	waits := h.Begin(h.Admin, own, api.Sync{})
	next := h.Sync(h.Admin, other, api.Sync{})
	if next.Agent() != second.ID {
		t.Errorf("the new run was read by %s; want the agent that does not drain, %s", next.Agent(), second.ID)
	}
	if end := h.Well(h.End(h.Admin, group, long)); end.Agent() != first.ID || end.Attempt != 1 {
		t.Errorf(
			"the run under way was ended by %s in attempt %d; want the draining agent in its first",
			end.Agent(),
			end.Attempt,
		)
	}
	s.hr.SetFaults(mishap.Faults{})
	if r, err := h.Admin.Run(harness.Context(t), own, waits); err != nil || r.Status != "waiting_agent" {
		t.Errorf("the run that only the draining agent can read is %s, %v; want waiting_agent", r.Status, err)
	}
	if err := h.Admin.Post(harness.Context(t), "/settings/agents/"+first.ID+"/resume", nil, nil); err != nil {
		t.Fatal(err)
	}
	if end := h.Well(h.End(h.Admin, own, waits)); end.Agent() != first.ID {
		t.Errorf("after it was resumed, its run was read by %s", end.Agent())
	}
}
