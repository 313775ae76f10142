package scenarios

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

func TestARunWaitsForAnAgentThatIsAwayAndATestSaysSo(t *testing.T) {
	t.Parallel()
	h, s := open(t, 200, 0)
	agent := h.Invite(h.Admin, "site", "")
	c := s.state.Personnel()
	c.Mode, c.AgentID = "agent", agent.ID
	connector := h.Connect(h.Admin, c)
	verdict, err := h.Admin.Test(harness.Context(t), connector)
	if err != nil || verdict.Success || verdict.Error == nil || verdict.Error.Class != "agent_unavailable" {
		t.Errorf("the test said %+v, %v; want agent_unavailable", verdict.Error, err)
	}
	run := h.Begin(h.Admin, connector, api.Sync{})
	h.Reach(h.Admin, connector, run, func(r api.Run) bool { return r.Status == "waiting_agent" })
	h.StartAgent(h.Admin, agent)
	if r := h.Well(h.End(h.Admin, connector, run)); r.Counters.Identities != 200 {
		t.Errorf("%d people were read; want 200", r.Counters.Identities)
	}
	if verdict, err := h.Admin.Test(
		harness.Context(t),
		connector,
	); err != nil || !verdict.Success ||
		verdict.ExecutedBy.AgentID != agent.ID {
		t.Errorf("with the agent there the test said %+v, %v", verdict, err)
	}
	agent.Kill()
	h.AwaitState(h.Admin, agent, "offline")
}

func TestAnotherAgentOfTheGroupStandsIn(t *testing.T) {
	t.Parallel()
	h, s := open(t, 200, 0)
	first, second := h.Invite(h.Admin, "one", "branch"), h.Invite(h.Admin, "two", "branch")
	h.StartAgent(h.Admin, first)
	c := s.state.Directory()
	c.Mode, c.AgentGroup = "agent", "branch"
	connector := h.Connect(h.Admin, c)
	h.Sync(h.Admin, connector, api.Sync{})
	first.Kill()
	h.StartAgent(h.Admin, second)
	h.Sync(h.Admin, connector, api.Sync{})
}

func TestARevokedAgentIsCutOffForGood(t *testing.T) {
	t.Parallel()
	h, s := open(t, 150, 0)
	agent := h.Agent(h.Admin, "site")
	c := s.state.Directory()
	c.Mode, c.AgentID = "agent", agent.ID
	connector := h.Connect(h.Admin, c)
	if err := h.Admin.Post(
		harness.Context(t),
		"/settings/agents/"+agent.ID+"/revoke",
		map[string]string{"reason": "lost laptop"},
		nil,
	); err != nil {
		t.Fatal(err)
	}
	select {
	case <-agent.Done():
		if agent.Err() == nil {
			t.Error("the revoked agent ended with exit code 0")
		}
	case <-time.After(harness.Patience):
		t.Fatal("the revoked agent goes on")
	}
	if verdict, err := h.Admin.Test(harness.Context(t), connector); err == nil && verdict.Success {
		t.Error("a connector of the revoked agent still works")
	}
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-agent.Done():
	case <-time.After(harness.Patience):
		t.Error("the revoked agent goes on after a restart")
	}
}

func TestTokensOpenOnlyTheDoorsOfTheirOwnKindAndTenant(t *testing.T) {
	t.Parallel()
	h, s := open(t, 150, 0)
	ctx := harness.Context(t)
	agent := h.Agent(h.Admin, "site")
	connector := h.Connect(h.Admin, s.state.Personnel())
	h.Sync(h.Admin, connector, api.Sync{})
	var invited api.Agent
	if err := h.Admin.Post(ctx, "/settings/agents", map[string]string{"name": "second"}, &invited); err != nil {
		t.Fatal(err)
	}
	other := h.Tenant("other")
	ask := func(token, method, path string, want ...int) {
		t.Helper()
		c := api.New(h.Plane.URL())
		c.SetToken(token)
		var payload any
		if method == http.MethodPost {
			payload = api.Sync{}
		}
		status, _, body, err := c.Raw(ctx, method, api.Prefix+path, payload)
		for _, w := range want {
			if err == nil && status == w {
				return
			}
		}
		t.Errorf("%s %s answered %d %s, %v; want one of %v", method, path, status, body, err, want)
	}
	// Another tenant's administrator sees nothing of this one.
	ask(other.Token(), http.MethodGet, "/connectors/"+connector, 404)
	ask(other.Token(), http.MethodPost, "/connectors/"+connector+"/sync", 404)
	ask(other.Token(), http.MethodGet, "/settings/agents/"+agent.ID, 404)
	for _, list := range append([]string{"/connectors", "/settings/agents"}, lists...) {
		if n := h.Total(other, list); n != 0 {
			t.Errorf("the other tenant sees %d items in %s", n, list)
		}
	}
	// A user's token is no agent's, an agent's no user's, and an enrolment token neither.
	ask(h.Admin.Token(), http.MethodGet, "/agent", 401, 403)
	ask(invited.Token, http.MethodGet, "/identities", 401, 403)
	ask(invited.Token, http.MethodGet, "/agent", 401, 403)
	ask(agentToken(t, agent), http.MethodGet, "/identities", 401, 403)
	ask(h.Admin.Token()+"x", http.MethodGet, "/identities", 401)
	ask("", http.MethodGet, "/identities", 401)
}

// agentToken finds the access token in an agent's files.
func agentToken(t *testing.T, a *harness.Agent) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(a.Data, "agent.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.FieldsFunc(string(raw), func(r rune) bool { return r == '"' }) {
		if strings.HasPrefix(word, "eyJ") && strings.Count(word, ".") == 2 {
			return word
		}
	}
	t.Fatal("the agent keeps no token")
	return ""
}

func TestAnEnrolmentTokenWorksOnce(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	ctx := harness.Context(t)
	var invited api.Agent
	if err := h.Admin.Post(ctx, "/settings/agents", map[string]string{"name": "site"}, &invited); err != nil {
		t.Fatal(err)
	}
	agent := h.Invite(h.Admin, "elsewhere", "")
	agent.Data = filepath.Join(h.Dir, "agent-first")
	if err := agent.Enroll(ctx, h.Plane.URL(), invited.Token); err != nil {
		t.Fatal(err)
	}
	agent.Data = filepath.Join(h.Dir, "agent-thief")
	err := agent.Enroll(ctx, h.Plane.URL(), invited.Token)
	if err == nil || strings.Contains(err.Error(), invited.Token) {
		t.Errorf("the token was used a second time, or told: %v", err)
	}
}
