package crash

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/process"
	"github.com/grantwright/grantwright/e2e/rig"
	"github.com/grantwright/grantwright/e2e/targets/hrrest"
	"github.com/grantwright/grantwright/e2e/targets/ldapdir"
	"github.com/grantwright/grantwright/e2e/targets/people"
	"github.com/grantwright/grantwright/e2e/targets/scimsvc"
)

// stage is a deployment whose programs may die, and the systems it reads.
type stage struct {
	*harness.House
	company people.Company
	state   rig.State

	mu     sync.Mutex
	orders map[string][]kill // deaths still to come, by program
	fired  atomic.Int64
}

func open(t *testing.T, n int) *stage {
	t.Helper()
	s := &stage{
		House:   harness.OpenBuilt(t, harness.MortalPrograms(t)),
		company: people.NewCompany(11, n),
		orders:  map[string][]kill{},
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	directory, err := ldapdir.Start(
		ctx,
		ldapdir.Config{System: s.company.Directory, Password: "reader-of-the-directory"},
	)
	must(t, err)
	workspace, err := scimsvc.Start(
		ctx,
		scimsvc.Config{
			System:     s.company.SaaS,
			Domain:     s.company.Domain,
			Token:      "reader-of-the-workspace",
			MaxResults: page,
		},
	)
	must(t, err)
	hr, err := hrrest.Start(ctx, hrrest.Config{Company: s.company, Key: "reader-of-hr", MaxPage: page})
	must(t, err)
	s.state.LDAP.Addr, s.state.LDAP.BaseDN, s.state.LDAP.BindDN, s.state.LDAP.BindPassword = directory.Addr(),
		directory.BaseDN(), directory.ReaderDN(), "reader-of-the-directory"
	s.state.SCIM.BaseURL, s.state.SCIM.Token = workspace.BaseURL(), "reader-of-the-workspace"
	s.state.REST.BaseURL, s.state.REST.Header, s.state.REST.APIKey = hr.BaseURL(), hrrest.KeyHeader, "reader-of-hr"
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// connect makes the connector of a source, read through an agent unless it is hosted.
func (s *stage) connect(t *testing.T, c *api.Client, source string, agent string) string {
	t.Helper()
	made := map[string]func() api.Connector{
		"hr": s.state.PersonnelWithRoles, "directory": s.state.Directory, "workspace": s.state.Workspace,
	}[source]()
	if agent != "" {
		made.Mode, made.AgentID = "agent", agent
	}
	return s.Connect(c, made)
}

// next takes the coming death of a program as its environment.
func (s *stage) next(program string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.orders[program]) == 0 {
		return nil
	}
	k := s.orders[program][0]
	s.orders[program] = s.orders[program][1:]
	return []string{crashpoint.Variable + "=" + k.moment + ":" + strconv.Itoa(k.n)}
}

// disturbance is what goes on beside a story: programs die and are started again.
type disturbance struct {
	stop context.CancelFunc
	add  func(work func(context.Context)) // begins work that ends with the disturbance
	work sync.WaitGroup
}

// disturb starts the programs so that they die as ordered, and starts them again whenever they do. agent may be nil.
// The disturbance ends with the test at the latest, so that a story that fails leaves none to the next one.
func (s *stage) disturb(t *testing.T, c *api.Client, agent *harness.Agent, kills []kill) *disturbance {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	d := &disturbance{stop: stop}
	d.add = func(work func(context.Context)) { d.work.Go(func() { work(ctx) }) }
	t.Cleanup(d.end)
	s.order(kills)
	s.restart(t, ctx)
	if agent != nil {
		agent.Env = s.next("agent")
		s.StartAgent(c, agent)
	}
	d.add(func(ctx context.Context) {
		s.supervise(ctx, t, "plane", func() *process.Child { return s.Plane.Child }, func(env []string) error {
			s.Plane.Env = env
			return s.Plane.Start(harness.Context(t))
		})
	})
	if agent != nil {
		d.add(func(ctx context.Context) {
			s.supervise(ctx, t, "agent", func() *process.Child { return agent.Child }, func(env []string) error {
				agent.Env = env
				return agent.Start()
			})
		})
	}
	return d
}

// end lets nothing more be started again, and waits until all that goes on has ended. Once more is harmless.
func (d *disturbance) end() {
	d.stop()
	d.work.Wait()
}

// supervise starts a program again whenever it dies, as a service manager does, until ctx ends.
func (s *stage) supervise(
	ctx context.Context,
	t *testing.T,
	program string,
	child func() *process.Child,
	start func(env []string) error,
) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-child().Done():
		}
		if ctx.Err() != nil {
			return
		}
		s.fired.Add(1)
		if err := start(s.next(program)); err != nil && ctx.Err() == nil && !over(child()) {
			t.Errorf("%s does not start again: %v", program, err)
			return
		}
	}
}

// over reports whether a program has ended: it may come to its moment before it answers for the first time, and is then
// started again like any other that died.
func over(c *process.Child) bool {
	select {
	case <-c.Done():
		return true
	default:
		return false
	}
}

// postmaster is the process of the private database.
func (s *stage) postmaster() (int, error) {
	raw, err := os.ReadFile(filepath.Join(s.Plane.Data, "postgres", "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	return strconv.Atoi(first)
}

// strike kills from outside once a run has so many chunks.
func (s *stage) strike(ctx context.Context, c *api.Client, connector, run string, k kill) {
	for ctx.Err() == nil {
		r, err := c.Run(ctx, connector, run)
		if err == nil && (r.Ended() || r.Chunks >= k.n) {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	switch k.program {
	case "plane":
		s.Plane.Kill()
	case "postgres":
		if pid, err := s.postmaster(); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
			s.fired.Add(1)
		}
	}
}

// await waits for the end of a run, however often nobody answers meanwhile.
func (s *stage) await(t *testing.T, c *api.Client, connector, run string) api.Run {
	t.Helper()
	last, failure := api.Run{}, ""
	for deadline := time.Now().Add(harness.Patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		r, err := c.Run(ctx, connector, run)
		cancel()
		if err != nil {
			failure = err.Error()
			continue
		}
		if last = r; r.Ended() || r.Status == "held" {
			return r
		}
	}
	t.Fatalf(
		"the run does not end: %s in phase %s, attempt %d, %d chunks; last failure: %s",
		last.Status,
		last.Phase,
		last.Attempt,
		last.Chunks,
		failure,
	)
	return last
}

// picture is all that a tenant knows, without ids, times and versions, each a line.
func (s *stage) picture(t *testing.T, c *api.Client) []string {
	t.Helper()
	type named struct {
		ID         string `json:"id"`
		ExternalID string `json:"external_id"`
		Name       string `json:"display_name"`
		Status     string `json:"status"`
		IdentityID string `json:"identity_id"`
		Email      string `json:"email"`
		Manager    string `json:"manager_external_id"`
	}
	var lines []string
	names := map[string]string{"": "nobody"}
	for _, list := range []string{"/identities", "/accounts", "/entitlements"} {
		for _, x := range harness.All[named](s.House, c, list, nil) {
			names[x.ID] = x.ExternalID
			lines = append(
				lines,
				strings.Join(
					[]string{list, x.ExternalID, x.Name, x.Status, names[x.IdentityID], x.Email, x.Manager},
					" | ",
				),
			)
		}
	}
	for _, g := range harness.All[struct {
		Account     string `json:"account_id"`
		Entitlement string `json:"entitlement_id"`
		Directness  string `json:"directness"`
		Status      string `json:"status"`
	}](s.House, c, "/entitlements/grants", nil) {
		lines = append(
			lines,
			strings.Join([]string{"/grants", names[g.Account], names[g.Entitlement], g.Directness, g.Status}, " | "),
		)
	}
	slices.Sort(lines)
	return lines
}
