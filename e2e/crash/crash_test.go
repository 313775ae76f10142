package crash

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

func number(name string, def int64) int64 {
	if n, err := strconv.ParseInt(os.Getenv(name), 10, 64); err == nil {
		return n
	}
	return def
}

// Chunks and pages are small, so that a reading has many moments to die in.
const (
	chunk = 20
	page  = 50
)

// lanes are how many stories are told at once, each in a deployment of its own: most of their time is waiting for
// leases of the dead to lapse.
const lanes = 4

func TestWhateverDiesTheResultIsThatOfAnUndisturbedReading(t *testing.T) {
	first, n := number("GRANTWRIGHT_SEED", 1), number("GRANTWRIGHT_SEEDS", 10)
	for lane := range min(lanes, n) {
		t.Run(fmt.Sprintf("lane %d", lane+1), func(t *testing.T) {
			t.Parallel()
			s := open(t, 400)
			calm, told := map[string][]string{}, int64(0)
			for seed := first + lane; seed < first+n; seed += lanes {
				story := tell(seed)
				told++
				t.Run(story.String(), func(t *testing.T) {
					if calm[story.source] == nil {
						calm[story.source] = s.undisturbed(t, story.source)
					}
					s.play(t, story, calm[story.source])
				})
			}
			if s.fired.Load() < told {
				t.Errorf("only %d deaths in %d stories: the moments are not reached", s.fired.Load(), told)
			}
		})
	}
}

// undisturbed is what is known after a reading that nobody disturbs.
func (s *stage) undisturbed(t *testing.T, source string) []string {
	t.Helper()
	c := s.Tenant("calm-" + source)
	s.Sync(c, s.connect(t, c, source, ""), api.Sync{ChunkSize: chunk})
	return s.picture(t, c)
}

// play tells a story in a tenant of its own and compares its end.
func (s *stage) play(t *testing.T, story story, calm []string) {
	slug := fmt.Sprintf("seed-%d", story.seed)
	c := s.Tenant(slug)
	hosted := story.source == "workspace"
	var agent *harness.Agent
	id := ""
	if !hosted {
		agent = s.Invite(c, slug, "")
		id = agent.ID
	}
	connector := s.connect(t, c, story.source, id)
	disturbance := s.disturb(t, c, agent, story.kills)
	run := s.Begin(c, connector, api.Sync{ChunkSize: chunk})
	for _, k := range story.kills {
		if k.moment == "" {
			disturbance.add(func(ctx context.Context) { s.strike(ctx, c, connector, run, k) })
		}
	}
	end := s.await(t, c, connector, run)
	for range story.kills { // a run in which two processes died without progress waits for a person
		if end.Error == nil || end.Error.Code != "process_died" {
			break
		}
		end = s.await(t, c, connector, s.tryAgain(t, c, connector))
	}
	disturbance.end()
	s.calmDown(t, agent)
	s.Well(end)
	if diff := cmp.Diff(calm, s.picture(t, c)); diff != "" {
		t.Errorf("what is known differs (-undisturbed +this):\n%.3000s", diff)
	}
	s.check(t, c, connector, story.source, end)
}

// tryAgain clears the quarantine of a connector and begins a run, as often as it takes: the control plane may just be
// dying.
func (s *stage) tryAgain(t *testing.T, c *api.Client, connector string) string {
	t.Helper()
	var failure error
	for deadline := time.Now().Add(harness.Patience); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		_ = c.Post(ctx, "/connectors/"+connector+"/quarantine/clear", nil, nil) // it may be cleared already
		started, err := c.Start(ctx, connector, api.Sync{ChunkSize: chunk})
		cancel()
		if err == nil {
			return started.RunID
		}
		failure = err
	}
	t.Fatalf("no run begins after the quarantine: %v", failure)
	return ""
}

// order lines up the deaths at moments, program by program.
func (s *stage) order(kills []kill) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.orders)
	for _, k := range kills {
		if k.moment != "" {
			s.orders[k.program] = append(s.orders[k.program], k)
		}
	}
}

// restart gives the control plane its first order.
func (s *stage) restart(t *testing.T, ctx context.Context) {
	t.Helper()
	s.StopPlane()
	s.Plane.Env = s.next("plane")
	must(t, s.Plane.Start(ctx))
}

// calmDown leaves the control plane alive and without orders.
func (s *stage) calmDown(t *testing.T, agent *harness.Agent) {
	t.Helper()
	if agent != nil {
		agent.Kill()
	}
	select {
	case <-s.Plane.Done():
	default:
		if s.Plane.Env == nil {
			return
		}
		s.StopPlane()
	}
	s.Plane.Env = nil
	s.Start()
}

// largestPage is the number of records of a source that one page can have, and so the number that are read again after
// a death. A person is an identity and an account. A group or security role comes with its memberships.
func (s *stage) largestPage(source string) int64 {
	var sizes []int
	switch source {
	case "hr":
		for _, r := range s.company.Roles {
			sizes = append(sizes, len(r.Members))
		}
	default:
		system := s.company.Directory
		if source == "workspace" {
			system = s.company.SaaS
		}
		for _, g := range system.Groups {
			sizes = append(sizes, len(g.Members)+len(g.Groups))
		}
	}
	slices.Sort(sizes)
	largest := page
	for _, n := range sizes[max(0, len(sizes)-page):] { // in whatever order the source lists them
		largest += n
	}
	return int64(max(largest, 2*page))
}

// check holds the run's own figures against those of the store: nothing is counted twice, however often it was begun.
func (s *stage) check(t *testing.T, c *api.Client, connector, source string, end api.Run) {
	t.Helper()
	for path, want := range map[string]int64{"/accounts": end.Counters.Accounts,
		"/entitlements": end.Counters.Entitlements} {
		if got := s.Total(c, path+"?connector_id="+connector); got != want {
			t.Errorf("%s has %d items; the run counted %d", path, got, want)
		}
	}
	if most := int64(end.Resumes+end.Attempt) * (s.largestPage(source) + chunk); end.Reread > most {
		t.Errorf("%d records were read twice after %d resumes; want %d at most", end.Reread, end.Resumes, most)
	}
	created := int64(0)
	for _, kind := range []string{"identities", "accounts", "entitlements", "grants"} {
		created += end.Report[kind].Created
	}
	if created != end.Counters.Created {
		t.Errorf("the report has %d records created, the counters %d", created, end.Counters.Created)
	}
}
