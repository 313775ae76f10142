package scenarios

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/targets/mishap"
)

// crowd is how many people the company has whose reading is interrupted.
func crowd() int {
	if os.Getenv("GRANTWRIGHT_E2E") == "long" {
		return 12000
	}
	return 2500
}

// interrupted starts reading the HR system slowly through an agent, lets something happen in the middle, and holds what
// is there at the end against the company.
func interrupted(t *testing.T, happens func(h *harness.House, a *harness.Agent)) {
	t.Parallel()
	h, s := open(t, crowd(), 100)
	agent := h.Agent(h.Admin, "site")
	c := s.state.PersonnelWithRoles()
	c.Mode, c.AgentID = "agent", agent.ID
	connector := h.Connect(h.Admin, c)
	s.hr.SetFaults(mishap.Faults{Delay: 100 * time.Millisecond})
	run := h.Begin(h.Admin, connector, api.Sync{ChunkSize: 50})
	half := h.Reach(h.Admin, connector, run, func(r api.Run) bool { return r.Counters.Identities >= int64(crowd()/4) })
	t.Logf("interrupted after %d people", half.Counters.Identities)

	happens(h, agent)

	s.hr.SetFaults(mishap.Faults{})
	whole(t, h, s, connector, h.Well(h.End(h.Admin, connector, run)))
	again := h.Sync(h.Admin, connector, api.Sync{})
	if k := again.Counters; k.Created != 0 || k.Updated != 0 {
		t.Errorf("a second reading created %d and updated %d records; want none", k.Created, k.Updated)
	}
	whole(t, h, s, connector, again)
}

// whole checks that all of the HR system is there, once.
func whole(t *testing.T, h *harness.House, s *samples, connector string, r api.Run) {
	t.Helper()
	n := int64(len(s.company.People))
	members := int64(0)
	for _, role := range s.company.Roles {
		members += int64(len(role.Members))
	}
	k := r.Counters
	if k.Identities != n || k.Accounts != n || k.Entitlements != int64(len(s.company.Roles)) || k.Grants != members {
		t.Errorf(
			"the run counted %+v; want %d people and accounts, %d roles, %d grants",
			k,
			n,
			len(s.company.Roles),
			members,
		)
	}
	for path, want := range map[string]int64{
		"/identities": n, "/identities?status=archived": 0, "/accounts": n, "/accounts?status=deleted,missing": 0,
		"/entitlements": int64(len(s.company.Roles)), "/entitlements/grants": members,
		"/entitlements/grants?status=missing,revoked": 0,
	} {
		if got := h.Total(h.Admin, path); got != want {
			t.Errorf("%s has %d items; want %d", path, got, want)
		}
	}
	seen := map[string]bool{}
	for _, p := range harness.All[struct {
		ExternalID string `json:"external_id"`
	}](h, h.Admin, "/identities", nil) {
		if seen[p.ExternalID] {
			t.Errorf("person %s is there twice", p.ExternalID)
		}
		seen[p.ExternalID] = true
	}
	for _, p := range s.company.People {
		if !seen[p.Number] {
			t.Errorf("person %s is missing", p.Number)
		}
	}
}

func TestAnAgentKilledInTheMiddleOfASyncGoesOnWhenItIsBack(t *testing.T) {
	interrupted(t, func(h *harness.House, a *harness.Agent) {
		a.Kill()
		h.StartAgent(h.Admin, a)
	})
}

func TestAControlPlaneKilledInTheMiddleOfASyncEndsItAfterItsRestart(t *testing.T) {
	interrupted(t, func(h *harness.House, _ *harness.Agent) {
		h.Plane.Kill()
		h.Start()
	})
}

func TestAPostgreSQLKilledInTheMiddleOfASyncLosesNothing(t *testing.T) {
	interrupted(t, func(h *harness.House, _ *harness.Agent) {
		killPostgres(t, h)
		// The service may mend it by itself, or end and leave the restart to whoever supervises it.
		select {
		case <-h.Plane.Done():
			h.Start()
		case <-time.After(10 * time.Second):
		}
	})
}

func killPostgres(t *testing.T, h *harness.House) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(h.Plane.Data, "postgres", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func TestAControlPlaneStoppedInTheMiddleOfASyncGoesOnAfterItsRestart(t *testing.T) {
	interrupted(t, func(h *harness.House, _ *harness.Agent) {
		h.StopPlane()
		h.Start()
	})
}
