package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"github.com/grantwright/grantwright/agent/agenttest"
	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// The tests of this file run real agents against the real hub, over lines that fail.

// book is a target with numbered pages, and the connector that reads it. A checkpoint is the number of the last page
// read.
type book struct {
	connectorkit.Connector
	pages int
	turn  func(ctx context.Context, page int) error // before each page; may be nil

	mu      sync.Mutex
	reading int // readers at work
	read    int // pages read by all of them
	ended   []error
}

func (b *book) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) (err error) {
	b.mu.Lock()
	b.reading++
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.reading--
		b.ended = append(b.ended, err)
	}()
	from := 0
	if req.Options != nil && req.Options.Checkpoint != "" {
		if from, err = strconv.Atoi(req.Options.Checkpoint); err != nil {
			return err
		}
	}
	for n := from + 1; n <= b.pages; n++ {
		if b.turn != nil {
			if err := b.turn(ctx, n); err != nil {
				return err
			}
		}
		b.mu.Lock()
		b.read++
		b.mu.Unlock()
		p := v1.SyncResponse{Success: true, Page: &v1.Page{Checkpoint: strconv.Itoa(n)}}
		// Not all pages are small, so that frames are cut by the network.
		for i := range 1 + n%7*20 {
			p.Accounts = append(p.Accounts, v1.RemoteAccount{ExternalID: fmt.Sprintf("%d-%d", n, i)})
		}
		if err := emit(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (b *book) readers() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reading
}

// shelf stores chunks and reads on after a loss, as the sync engine does: a new attempt from the last checkpoint.
type shelf struct {
	h      *house
	target dispatch.Target
	stored func(n int) // after each chunk; may be nil

	mu         sync.Mutex
	ids        map[string]int // by account: how often it came
	chunks     int
	checkpoint string
	attempt    int
	by         []string // the agent of each attempt
	from       []string // the checkpoint it began at
	wrong      []string // chunks of an attempt that was over
}

func newShelf(h *house, target dispatch.Target) *shelf {
	target.Run = uuid.NewString()
	return &shelf{h: h, target: target, ids: map[string]int{}}
}

func (s *shelf) store(attempt int, page v1.SyncResponse) {
	s.mu.Lock()
	if attempt != s.attempt {
		s.wrong = append(s.wrong, fmt.Sprintf("attempt %d during %d", attempt, s.attempt))
	}
	for _, a := range page.Accounts {
		s.ids[a.ExternalID]++
	}
	if page.Page.Checkpoint != "" {
		s.checkpoint = page.Page.Checkpoint
	}
	s.chunks++
	n, stored := s.chunks, s.stored
	s.mu.Unlock()
	if stored != nil {
		stored(n)
	}
}

// read reads the target to its end in as many attempts as it takes.
func (s *shelf) read(ctx context.Context) error {
	for {
		if err := s.wait(ctx); err != nil {
			return err
		}
		s.mu.Lock()
		s.attempt++
		t := s.target
		t.Attempt = s.attempt
		s.from = append(s.from, s.checkpoint)
		req := v1.SyncRequest{Options: &v1.SyncOptions{ChunkSize: 50, Checkpoint: s.checkpoint}}
		s.mu.Unlock()
		t.Executor = func(by v1.ExecutedBy) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.by = append(s.by, by.AgentID)
		}
		err := s.h.dispatcher().Sync(ctx, t, req, func(_ context.Context, page v1.SyncResponse) error {
			s.store(t.Attempt, page)
			return nil
		})
		var d *v1.ErrorDetail
		if err == nil || !errors.As(err, &d) || d.Class != v1.ClassAgentUnavailable {
			return err
		}
	}
}

func (s *shelf) wait(ctx context.Context) error {
	for !s.h.hub.Serves(s.target) {
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// complete checks that every page of b is there, and that not more than so many were read twice.
func (s *shelf) complete(t *testing.T, b *book, twice int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	again := map[string]bool{}
	for n := 1; n <= b.pages; n++ {
		for i := range 1 + n%7*20 {
			id := fmt.Sprintf("%d-%d", n, i)
			if s.ids[id] == 0 {
				t.Fatalf("%s is missing after %d attempts", id, s.attempt)
			}
			if s.ids[id] > 1 {
				page, _, _ := strings.Cut(id, "-")
				again[page] = true
			}
		}
	}
	if len(again) > twice {
		t.Errorf("%d pages were stored twice in %d attempts; want at most %d", len(again), s.attempt, twice)
	}
	if len(s.wrong) > 0 {
		t.Errorf("chunks of attempts that were over were stored: %v", s.wrong)
	}
}

// site is an agent's host with a real agent.
type site struct {
	*house
	t    *testing.T
	id   string
	dir  string
	book *book
}

func (h *house) site(t *testing.T, name, group string, b *book) *site {
	t.Helper()
	made := h.must(t, 201, "POST", "/settings/agents", "admin", map[string]any{"name": name, "group": group})
	dir := filepath.Join(t.TempDir(), "data")
	id, err := agenttest.Enroll(ctx, dir, h.url, made.text("enrollment_token"))
	if err != nil {
		t.Fatal(err)
	}
	return &site{house: h, t: t, id: id, dir: dir, book: b}
}

// run starts the agent, on a way of its own to the control plane when url is not empty.
func (s *site) run(url string, adjust ...func(*agenttest.Options)) *agenttest.Agent {
	s.t.Helper()
	o := agenttest.Options{
		Dir:        s.dir,
		URL:        url,
		Connector:  s.book,
		Types:      []string{"ldap"},
		Hostname:   "host-" + s.id,
		Machine:    "machine-" + s.id,
		Log:        s.logger(),
		Ping:       100 * time.Millisecond,
		Silent:     800 * time.Millisecond,
		Beat:       200 * time.Millisecond,
		Base:       20 * time.Millisecond,
		Max:        100 * time.Millisecond,
		SpillAfter: 200 * time.Millisecond,
		SpoolBytes: 8 << 20,
	}
	for _, f := range adjust {
		f(&o)
	}
	a, err := agenttest.Start(o)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = a.Stop() })
	return a
}

func (s *site) target() dispatch.Target {
	return dispatch.Target{
		Tenant:      s.system.Tenant,
		ConnectorID: uuid.NewString(),
		Type:        "ldap",
		Mode:        dispatch.Agent,
		AgentID:     s.id,
	}
}

// badLine is a toxiproxy before the control plane.
func (h *house) badLine(t *testing.T) (p *toxiproxy.Proxy, url string) {
	t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p = toxiproxy.NewProxy(server, "line", "127.0.0.1:0", strings.TrimPrefix(h.url, "http://"))
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p, "http://" + p.Listen
}

func poison(t testing.TB, p *toxiproxy.Proxy, kind, stream, attributes string) {
	t.Helper()
	text := fmt.Sprintf(`{"name":%q,"type":%q,"stream":%q,"attributes":{%s}}`, kind+stream, kind, stream, attributes)
	if _, err := p.Toxics.AddToxicJson(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
}

// soon is a context for a read that must end.
func soon(t *testing.T) context.Context {
	t.Helper()
	limited, cancel := context.WithTimeout(ctx, 25*time.Second)
	t.Cleanup(cancel)
	return limited
}

func TestARunComesThroughEveryKindOfBadLine(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for name, tt := range map[string]struct{ kind, attributes string }{
		"slow":               {"latency", `"latency":40,"jitter":30`},
		"in small pieces":    {"slicer", `"average_size":700,"size_variation":600,"delay":20`},
		"narrow":             {"bandwidth", `"rate":256`},
		"cut after some KiB": {"limit_data", `"bytes":60000`},
		"reset":              {"reset_peer", `"timeout":300`},
		"slow to close":      {"slow_close", `"delay":200`},
	} {
		t.Run(name, func(t *testing.T) {
			p, url := h.badLine(t)
			s := h.site(t, name, "", &book{pages: 60})
			for _, stream := range []string{"upstream", "downstream"} {
				poison(t, p, tt.kind, stream, tt.attributes)
			}
			// One agent keeps its task over a short loss, and then nothing is stored twice.
			s.run(url)
			shelf := newShelf(h, s.target())
			healed := time.AfterFunc(4*time.Second, func() { p.Toxics.ResetToxics(ctx) })
			defer healed.Stop()
			if err := shelf.read(soon(t)); err != nil {
				t.Fatal(err)
			}
			shelf.complete(t, s.book, shelf.attempt-1)
		})
	}
}

func TestAnotherAgentTakesOverWhenTheFirstIsCutOff(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p, url := h.badLine(t)
	half := make(chan struct{})
	first := h.site(t, "A", "dc", &book{pages: 100, turn: func(ctx context.Context, page int) error {
		if page < 50 {
			return nil
		}
		if page == 50 {
			close(half)
		}
		<-ctx.Done() // a target that hangs
		return ctx.Err()
	}})
	second := h.site(t, "B", "dc", &book{pages: 100})
	a := first.run(url, func(o *agenttest.Options) { o.Silent = 30 * time.Second })
	h.eventually(first.id, agents.Online)
	target := first.target()
	target.AgentID, target.AgentGroup = "", "dc"
	shelf := newShelf(h, target)
	done := later(func() (struct{}, error) { return struct{}{}, shelf.read(soon(t)) })
	<-half
	second.run("")
	h.eventually(second.id, agents.Online)
	p.Stop()
	cut := time.Now()
	if o := wait(t, done); o.err != nil {
		t.Fatal(o.err)
	}
	if took := time.Since(cut); took < h.hub.timing.Lapse/2 || took > h.hub.timing.Lapse+15*time.Second {
		t.Errorf("read to the end %s after the cut; want soon after the lease of %s", took, h.hub.timing.Lapse)
	}
	shelf.complete(t, second.book, 1)
	from, err := strconv.Atoi(shelf.from[1])
	if err != nil || from < 1 || from > 49 || second.book.read != 100-from ||
		!slices.Equal(shelf.by, []string{first.id, second.id}) {
		t.Errorf(
			"attempts by %v from %q, the second read %d pages; want it to go on from the checkpoint",
			shelf.by,
			shelf.from,
			second.book.read,
		)
	}
	// The first has not noticed that its task has moved on. It learns when it is back, and lets go of its target.
	if first.book.readers() != 1 {
		t.Fatal("the first agent does not read any more")
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return first.book.readers() == 0 && a.Busy() == 0 })
	h.eventually(first.id, agents.Online)
	shelf.complete(t, second.book, 1)
}

func TestAStaleAttemptIsFencedAndItsAgentStopsReading(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	started := make(chan struct{}, 9)
	slow := &book{pages: 1 << 30, turn: func(ctx context.Context, page int) error {
		if page == 1 {
			started <- struct{}{}
		}
		select {
		case <-time.After(2 * time.Millisecond):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}
	first, second := h.site(t, "A", "dc", slow), h.site(t, "B", "dc", &book{pages: 20})
	first.run("")
	h.eventually(first.id, agents.Online)
	target := first.target()
	target.Run, target.Attempt = uuid.NewString(), 1
	running, stop := context.WithCancel(ctx)
	defer stop()
	old := h.sync(running, target, func(context.Context, v1.SyncResponse) error { return nil })
	<-started
	// The caller of the first attempt loses its lease without a word to the agent, as a process that is stopped does.
	key := session.Key{Tenant: h.system.Tenant, Agent: first.id}
	c := h.hub.peers.callOf(h.hub.peers.sessionOf(key), target.Run)
	h.hub.peers.End(c)
	second.run("")
	h.eventually(second.id, agents.Online)
	target.AgentID, target.Attempt = second.id, 2
	if o := wait(t, h.sync(ctx, target, func(context.Context, v1.SyncResponse) error { return nil })); o.err != nil {
		t.Fatal(o.err)
	}
	waitFor(t, func() bool { return slow.readers() == 0 })
	stop()
	detailOrCancelled(t, wait(t, old).err)
}

func detailOrCancelled(t *testing.T, err error) {
	t.Helper()
	var d *v1.ErrorDetail
	if !errors.As(err, &d) && !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// cable is a line that can be cut so that neither end is told: what is sent is lost, and nothing is closed.
type cable struct {
	net.Listener
	to string

	mu       sync.Mutex
	up, down bool // what passes
}

func (h *house) cable(t *testing.T) (c *cable, url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c = &cable{Listener: l, to: strings.TrimPrefix(h.url, "http://"), up: true, down: true}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", c.to)
			if err != nil {
				in.Close()
				continue
			}
			t.Cleanup(func() { in.Close(); out.Close() })
			go c.carry(out, in, &c.up)
			go c.carry(in, out, &c.down)
		}
	}()
	return c, "http://" + l.Addr().String()
}

func (c *cable) set(up, down bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.up, c.down = up, down
}

// carry copies while the cable is whole. A half-open connection's end is not told to the other side either.
func (c *cable) carry(to io.Writer, from net.Conn, passes *bool) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		c.mu.Lock()
		whole := *passes
		c.mu.Unlock()
		if err != nil {
			if whole {
				to.(net.Conn).Close()
			}
			return
		}
		if whole {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
	}
}

func TestACutCableIsNoticedAtBothEnds(t *testing.T) {
	t.Parallel()
	// The numbers of production: noticed within 60 s by either end, with room for two lost pings.
	if p := agents.DefaultTiming(); p.Silent > 60*time.Second || p.Ping*2 >= p.Silent {
		t.Errorf("ping every %s, dead after %s", p.Ping, p.Silent)
	}
	for name, way := range map[string][2]bool{"both ways": {false, false}, "towards us": {false, true},
		"towards the agent": {true, false}} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			c, url := h.cable(t)
			s := h.site(t, "A", "", &book{pages: 5})
			a := s.run(url)
			h.eventually(s.id, agents.Online)
			waitFor(t, func() bool { return a.State() == "online" })
			h.must(
				t,
				200,
				"POST",
				"/settings/agents/"+s.id+"/drain",
				"admin",
				nil,
			) // and so nothing but pings is under way
			c.set(way[0], way[1])
			cut := time.Now()
			var ours, theirs time.Duration
			for ours == 0 || theirs == 0 {
				took := time.Since(cut)
				if ours == 0 && h.hub.peers.sessionOf(session.Key{Tenant: h.system.Tenant, Agent: s.id}) == nil {
					ours = took
				}
				if theirs == 0 && a.State() != "online" {
					theirs = took
				}
				if took > 8*time.Second {
					t.Fatalf("after %s: noticed by us after %s, by the agent after %s", took, ours, theirs)
				}
				time.Sleep(5 * time.Millisecond)
			}
			// The first to notice closes, and tells where it still can; the other notices by itself otherwise.
			limit := h.hub.timing.Silent + 2*time.Second
			if ours > limit || theirs > limit {
				t.Errorf("noticed by us after %s, by the agent after %s; want both within %s", ours, theirs, limit)
			}
			c.set(true, true)
			h.eventually(s.id, agents.Draining)
		})
	}
}

func TestACancelReachesTheTargetAlsoWhenNothingIsTaken(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for name, tt := range map[string]struct {
		spool int64
		turn  func(context.Context, int) error
	}{
		"waiting for room":       {0, nil},
		"with a full spool":      {64 << 10, nil},
		"waiting for the target": {0, func(ctx context.Context, n int) error { <-ctx.Done(); return ctx.Err() }},
	} {
		t.Run(name, func(t *testing.T) {
			s := h.site(t, name, "", &book{pages: 1 << 30, turn: tt.turn})
			a := s.run("", func(o *agenttest.Options) { o.SpoolBytes = tt.spool })
			h.eventually(s.id, agents.Online)
			target := s.target()
			target.Run, target.Attempt = uuid.NewString(), 1
			running, cancel := context.WithCancel(ctx)
			call := h.sync(running, target, func(ctx context.Context, _ v1.SyncResponse) error {
				<-ctx.Done() // a database that hangs
				return ctx.Err()
			})
			waitFor(t, func() bool { return s.book.readers() == 1 })
			time.Sleep(500 * time.Millisecond)
			cancel()
			asked := time.Now()
			waitFor(t, func() bool { return s.book.readers() == 0 })
			if took := time.Since(asked); took > 2*time.Second {
				t.Errorf("the target was left alone after %s", took)
			}
			if o := wait(t, call); !errors.Is(o.err, context.Canceled) {
				t.Errorf("err = %v; want cancelled", o.err)
			}
			waitFor(t, func() bool { return a.Busy() == 0 && a.Spooled() == 0 })
		})
	}
}

func TestAPausedControlPlaneDoesNotStopTheReading(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s := h.site(t, "A", "", &book{pages: 100})
	a := s.run("")
	h.eventually(s.id, agents.Online)
	shelf := newShelf(h, s.target())
	hold, held := make(chan struct{}), make(chan struct{})
	shelf.stored = func(n int) {
		if n == 5 {
			close(held)
			<-hold
		}
	}
	done := later(func() (struct{}, error) { return struct{}{}, shelf.read(soon(t)) })
	<-held
	waitFor(t, func() bool { return s.book.readers() == 0 && a.Spooled() > 0 })
	waitFor(t, func() bool {
		stats, _ := h.must(t, 200, "GET", "/settings/agents/"+s.id, "admin", nil).body["stats"].(map[string]any)
		spooled, _ := stats["spool_bytes"].(float64)
		return spooled > 0
	})
	close(hold)
	if o := wait(t, done); o.err != nil {
		t.Fatal(o.err)
	}
	shelf.complete(t, s.book, 0)
	if a.Spooled() != 0 {
		t.Errorf("%d bytes are left in the spool", a.Spooled())
	}
}

// TestARunIsCompleteWhateverHappensToItsAgents cuts lines and stops agents at moments drawn by a seed.
func TestARunIsCompleteWhateverHappensToItsAgents(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			draw := rand.New(rand.NewPCG(seed, 20))
			b := &book{pages: 120}
			type end struct {
				*site
				line  *toxiproxy.Proxy
				url   string
				agent *agenttest.Agent
			}
			var ends []*end
			for _, name := range []string{"A", "B"} {
				e := &end{site: h.site(t, name, "dc", b)}
				e.line, e.url = h.badLine(t)
				e.agent = e.run(e.url)
				ends = append(ends, e)
			}
			target := ends[0].target()
			target.AgentID, target.AgentGroup = "", "dc"
			shelf := newShelf(h, target)
			harm := make(chan func(), 16)
			harmed := make(chan struct{})
			go func() {
				defer close(harmed)
				for f := range harm {
					f()
				}
			}()
			struck, next := 0, 1+draw.IntN(20)
			shelf.stored = func(n int) {
				if n < next || struck >= 8 {
					return
				}
				struck++
				next = n + 1 + draw.IntN(25)
				e, pause := ends[draw.IntN(2)], time.Duration(draw.IntN(1200))*time.Millisecond
				switch draw.IntN(3) {
				case 0: // the line breaks
					harm <- func() { e.line.Stop(); time.Sleep(pause); _ = e.line.Start() }
				case 1: // the line resets each connection after a moment
					harm <- func() {
						poison(t, e.line, "reset_peer", "upstream", `"timeout":10`)
						time.Sleep(pause)
						e.line.Toxics.ResetToxics(ctx)
					}
				case 2: // the agent is restarted
					harm <- func() {
						if err := e.agent.Stop(); err != nil {
							t.Errorf("the agent ended: %v", err)
						}
						e.agent = e.run(e.url)
					}
				}
			}
			err := shelf.read(soon(t))
			close(harm)
			<-harmed
			if err != nil {
				t.Fatal(err)
			}
			shelf.complete(t, b, 2*(shelf.attempt-1))
			if struck < 3 {
				t.Errorf("only %d faults struck", struck)
			}
			for _, e := range ends {
				if got := h.state(e.id); got == agents.Quarantined {
					t.Errorf("agent %s was taken for a copy", e.id)
				}
			}
			waitFor(t, func() bool { return b.readers() == 0 })
		})
	}
}
