package scenarios

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/rig"
	"github.com/grantwright/grantwright/e2e/targets/mishap"
)

// examination is what `grantwright-agent doctor --json` prints.
type examination struct {
	Enrolled bool `json:"enrolled"`
	OK       bool `json:"ok"`
	Steps    []struct {
		Name   string `json:"name"`
		Status string `json:"status"`
		Detail string `json:"detail"`
		Mend   string `json:"mend"`
	} `json:"steps"`
}

// ailment is something that keeps an agent from its control plane.
type ailment struct {
	name   string
	args   []string
	code   int    // exit code
	failed string // the step that finds it; empty: none
}

// examine calls the doctor for people and for programs, and checks that both say the same.
func (a ailment) examine(t *testing.T, h *harness.House, agent *harness.Agent, secrets ...string) {
	t.Helper()
	text, code := h.Command(agent, append([]string{"doctor"}, a.args...)...)
	raw, again := h.Command(agent, append([]string{"doctor", "--json"}, a.args...)...)
	var e examination
	if err := json.Unmarshal([]byte(raw), &e); err != nil {
		t.Fatalf("%s: %v: %s", a.name, err, raw)
	}
	if code != a.code || again != a.code || e.OK != (a.failed == "") {
		t.Errorf("%s: exit codes %d and %d, ok %v; want %d:\n%s", a.name, code, again, e.OK, a.code, text)
	}
	first := ""
	for _, s := range e.Steps {
		if s.Status == "FAIL" && first == "" {
			first = s.Name
		}
		if s.Status == "FAIL" && (s.Mend == "" || s.Detail == "" || !strings.Contains(text, s.Mend)) {
			t.Errorf(
				"%s: step %s failed with %q; the mend is %q, and must stand in the text:\n%s",
				a.name,
				s.Name,
				s.Detail,
				s.Mend,
				text,
			)
		}
		if s.Status == "SKIP" && s.Detail == "" {
			t.Errorf("%s: step %s was skipped without a word", a.name, s.Name)
		}
		if !strings.Contains(text, s.Name) {
			t.Errorf("%s: step %s is not in the text", a.name, s.Name)
		}
	}
	if first != a.failed {
		t.Errorf("%s: the first step that failed is %q; want %q:\n%s", a.name, first, a.failed, text)
	}
	for _, secret := range secrets {
		if strings.Contains(text+raw, secret) {
			t.Errorf("%s: the doctor tells a secret", a.name)
		}
	}
}

func TestTheDoctorFindsWhatKeepsAnAgentFromItsControlPlane(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	agent := h.Agent(h.Admin, "site")
	token := agentToken(t, agent)
	stranger := httptest.NewUnstartedServer(http.NotFoundHandler())
	stranger.Config.ErrorLog = log.New(io.Discard, "", 0) // of refused handshakes
	stranger.StartTLS()
	defer stranger.Close()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>Welcome</title>")
	}))
	defer page.Close()
	for _, a := range []ailment{
		{name: "healthy", code: 0},
		{name: "nobody listens", args: []string{"--url", "http://127.0.0.1:1"}, code: 5, failed: "tcp"},
		{name: "a name that is none", args: []string{"--url", "https://control-plane.invalid"}, code: 5, failed: "dns"},
		{name: "a certificate of nobody we know", args: []string{"--url", stranger.URL}, code: 6, failed: "tls"},
		{name: "a web page", args: []string{"--url", page.URL}, code: 1, failed: "http"},
	} {
		a.examine(t, h, agent, token)
	}
	h.StopPlane()
	ailment{name: "the control plane is down", code: 5, failed: "tcp"}.examine(t, h, agent, token)
	h.Start()
	none := &harness.Agent{Agent: &rig.Agent{Bin: agent.Bin, Log: agent.Log, Data: filepath.Join(h.Dir, "no owner")}}
	if out, code := h.Command(none, "doctor"); code != 3 || !strings.Contains(out, "enroll") {
		t.Errorf("on a host that is not enrolled the doctor ended with exit code %d:\n%s", code, out)
	}
}

func TestAnOperatorDrainsAnAgentOnItsOwnHost(t *testing.T) {
	t.Parallel()
	h, s := open(t, 600, 50)
	agent := h.Agent(h.Admin, "site")
	c := s.state.Personnel()
	c.Mode, c.AgentID = "agent", agent.ID
	connector := h.Connect(h.Admin, c)
	if out, code := h.Command(agent, "status"); code != 0 || !strings.Contains(out, "online") {
		t.Errorf("the status of an agent that works is %d:\n%s", code, out)
	}
	s.hr.SetFaults(mishap.Faults{Delay: 200 * time.Millisecond})
	run := h.Begin(h.Admin, connector, api.Sync{ChunkSize: 50})
	h.Reach(h.Admin, connector, run, func(r api.Run) bool { return r.Counters.Identities > 0 })
	out, code := h.Command(agent, "drain", "--wait", "2m")
	if r, err := h.Admin.Run(
		harness.Context(t),
		connector,
		run,
	); code != 0 || err != nil ||
		!slices.Contains([]string{"evaluating", "applying", "succeeded"}, r.Status) {
		t.Errorf(
			"drained with exit code %d while the run is %s, %v; want it read to its end:\n%s",
			code,
			r.Status,
			err,
			out,
		)
	}
	h.Well(h.End(h.Admin, connector, run))
	h.AwaitState(h.Admin, agent, "draining")
	s.hr.SetFaults(mishap.Faults{})
	run = h.Begin(h.Admin, connector, api.Sync{})
	h.Reach(h.Admin, connector, run, func(r api.Run) bool { return r.Status == "waiting_agent" })
	if out, code := h.Command(agent, "drain", "--undo"); code != 0 {
		t.Errorf("drain --undo ended with exit code %d:\n%s", code, out)
	}
	h.Well(h.End(h.Admin, connector, run))
}
