package harness

import (
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/process"
	"github.com/grantwright/grantwright/e2e/rig"
)

// Agent is an enrolled agent.
type Agent struct {
	*rig.Agent
	ID string
}

// Invite registers an agent and enrols it on a host of its own, without starting it.
func (h *House) Invite(c *api.Client, name, group string) *Agent {
	h.t.Helper()
	return h.InviteBy(c, name, group, h.Plane.URL())
}

// InviteBy is Invite for an agent that reaches the control plane by another address.
func (h *House) InviteBy(c *api.Client, name, group, url string) *Agent {
	h.t.Helper()
	ctx := Context(h.t)
	var invited api.Agent
	payload := map[string]any{"name": name}
	if group != "" {
		payload["group"] = group
	}
	h.check(c.Post(ctx, "/settings/agents", payload, &invited))
	a := &Agent{
		ID:    invited.ID,
		Agent: &rig.Agent{Bin: h.Plane.Bin, Data: filepath.Join(h.Dir, "agent-"+name), Log: h.log("agent-" + name)},
	}
	h.check(a.Enroll(ctx, url, invited.Token))
	h.t.Cleanup(func() {
		if a.Child == nil {
			return
		}
		a.Kill()
		if h.t.Failed() {
			h.t.Logf("end of the log of agent %s:\n%s", name, strings.Join(a.Tail(15), "\n"))
		}
	})
	return a
}

// Agent invites an agent, starts it and waits until it is online.
func (h *House) Agent(c *api.Client, name string) *Agent {
	h.t.Helper()
	a := h.Invite(c, name, "")
	h.StartAgent(c, a)
	return a
}

// StartAgent starts an agent, again too, and waits until it is online.
func (h *House) StartAgent(c *api.Client, a *Agent) {
	h.t.Helper()
	began := time.Now()
	h.check(a.Start())
	h.await(c, a, "connected", func(now api.Agent) bool { return now.Online(began) })
}

// AwaitState waits until the service says that an agent is in this state.
func (h *House) AwaitState(c *api.Client, a *Agent, state string) {
	h.t.Helper()
	h.await(c, a, state, func(now api.Agent) bool { return now.State == state })
}

func (h *House) await(c *api.Client, a *Agent, what string, is func(api.Agent) bool) {
	h.t.Helper()
	var last string
	Eventually(h.t, "agent "+what, func() bool {
		now, err := c.Agent(Context(h.t), a.ID)
		if err != nil {
			last = err.Error()
			return false
		}
		last = now.State
		return is(now)
	}, &last)
}

// Eventually fails the test when something does not become true within Patience. saw tells what was seen last.
func Eventually(t testing.TB, what string, true func() bool, saw *string) {
	t.Helper()
	Within(t, Patience, what, true, saw)
}

// Within is Eventually with a limit of its own, for what takes longer by design.
func Within(t testing.TB, limit time.Duration, what string, true func() bool, saw *string) {
	t.Helper()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if true() {
			return
		}
	}
	seen := ""
	if saw != nil {
		seen = "; last seen: " + *saw
	}
	t.Fatalf("waited %s for: %s%s", limit, what, seen)
}

// Connect makes a connector and answers its id.
func (h *House) Connect(c *api.Client, n api.Connector) string {
	h.t.Helper()
	id, err := c.CreateConnector(Context(h.t), n)
	h.check(err)
	return id
}

// Begin starts a run and answers its id.
func (h *House) Begin(c *api.Client, connector string, s api.Sync) string {
	h.t.Helper()
	started, err := c.Start(Context(h.t), connector, s)
	h.check(err)
	return started.RunID
}

// End waits for the end of a run, whatever it is.
func (h *House) End(c *api.Client, connector, run string) api.Run {
	h.t.Helper()
	r, err := c.Follow(Context(h.t), connector, run, 50*time.Millisecond, nil)
	h.check(err)
	return r
}

// Reach waits until a run is so far, or over.
func (h *House) Reach(c *api.Client, connector, run string, far func(api.Run) bool) api.Run {
	h.t.Helper()
	var r api.Run
	var saw string
	Eventually(h.t, "run gets far enough", func() bool {
		var err error
		r, err = c.Run(Context(h.t), connector, run)
		if err != nil {
			saw = err.Error()
			return false
		}
		saw = r.Status
		return r.Ended() || far(r)
	}, &saw)
	if r.Ended() {
		h.t.Fatalf(
			"the run was %s before it was far enough (%+v); the target is too quick for this test",
			r.Status,
			r.Error,
		)
	}
	return r
}

// Rest waits until a run is over or waits for somebody's decision.
func (h *House) Rest(c *api.Client, connector, run string) api.Run {
	h.t.Helper()
	var r api.Run
	var saw string
	Eventually(h.t, "the run comes to rest", func() bool {
		now, err := c.Run(Context(h.t), connector, run)
		if err != nil {
			saw = err.Error()
			return false
		}
		r, saw = now, now.Status+" in phase "+now.Phase
		return r.Ended() || r.Status == "held"
	}, &saw)
	return r
}

// Try runs until the run is over or held, whatever comes of it.
func (h *House) Try(c *api.Client, connector string, s api.Sync) api.Run {
	h.t.Helper()
	return h.Rest(c, connector, h.Begin(c, connector, s))
}

// Sync runs to the end, which must be good.
func (h *House) Sync(c *api.Client, connector string, s api.Sync) api.Run {
	h.t.Helper()
	return h.Well(h.Try(c, connector, s))
}

// Well fails the test unless a run has succeeded.
func (h *House) Well(r api.Run) api.Run {
	h.t.Helper()
	if r.Status != "succeeded" {
		h.t.Fatalf("the run is %s with %d holds: %+v, %+v", r.Status, r.Holds, r.Error, r.Warnings)
	}
	return r
}

// Total is how many items a list has.
func (h *House) Total(c *api.Client, path string) int64 {
	h.t.Helper()
	page, err := api.Some[struct{}](Context(h.t), c, path, 1)
	h.check(err)
	return page.Total
}

// All reads a list to its end.
func All[T any](h *House, c *api.Client, path string, query url.Values) []T {
	h.t.Helper()
	all, err := api.All[T](Context(h.t), c, path, query)
	h.check(err)
	return all
}

// NoSecret fails the test when one of the words stands in any file below the deployment's directory, the logs included.
// The place where secrets belong holds them encrypted, so it is searched as well.
func (h *House) NoSecret(words ...string) {
	h.t.Helper()
	err := filepath.WalkDir(h.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // files of the database come and go
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		text := string(raw)
		for _, word := range words {
			if strings.Contains(text, word) {
				h.t.Errorf("a secret stands in %s", strings.TrimPrefix(path, h.Dir))
			}
		}
		return nil
	})
	h.check(err)
}

// Command runs a command of the agent's program on its data directory, beside the agent, and answers what it prints and
// its exit code.
func (h *House) Command(a *Agent, args ...string) (out string, code int) {
	h.t.Helper()
	out, err := process.Run(Context(h.t), process.Spec{
		Name: "grantwright-agent " + args[0], Path: filepath.Join(a.Bin, rig.AgentProgram), Log: a.Log, Env: a.Env,
		Args: append([]string{args[0], "--data", a.Data}, args[1:]...),
	}, "")
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out, exit.ExitCode()
	}
	h.check(err)
	return out, 0
}
