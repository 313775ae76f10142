package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// Moments at which the programs may die while they change a target.
var (
	planeChangeMoments = []string{"provision.send", "provision.sent"}
	agentChangeMoments = []string{"provision.begun", "provision.made"}
)

// staff is how many people are hired in each story, each of whom gets an account and a group.
const staff = 5

// upheaval makes up one to three deaths while access is provisioned.
func upheaval(seed int64) []kill {
	r := rand.New(rand.NewPCG(uint64(seed), 13))
	var kills []kill
	for range 1 + r.IntN(3) {
		n := 1 + r.IntN(2*staff)
		if r.IntN(2) == 0 {
			kills = append(kills, kill{"plane", planeChangeMoments[r.IntN(2)], n})
		} else {
			kills = append(kills, kill{"agent", agentChangeMoments[r.IntN(2)], n})
		}
	}
	return kills
}

// TestWhateverDiesEachChangeIsMadeOnce kills programs while five people get accounts and memberships in a real
// directory, whose own log of changes is read at the end. Most of its time is waiting for the leases of the dead to
// lapse, so several stories are told at once.
func TestWhateverDiesEachChangeIsMadeOnce(t *testing.T) {
	first, n := number("GRANTWRIGHT_SEED", 1), number("GRANTWRIGHT_CHANGE_SEEDS", 5)
	slapd := ldaptest.StartSlapd(t, ldaptest.Options{
		Org: ldaptest.Org{
			People: ldaptest.Staff(1),
			Groups: []ldaptest.Group{{Name: "crew", People: []string{"u000"}}},
		},
		Accesslog: true,
	})
	const lanes = 5
	for lane := range min(lanes, n) {
		t.Run(fmt.Sprintf("lane %d", lane+1), func(t *testing.T) {
			t.Parallel()
			s := &stage{House: harness.OpenBuilt(t, harness.MortalPrograms(t)), orders: map[string][]kill{}}
			told := int64(0)
			for seed := first + lane; seed < first+n; seed += lanes {
				told++
				kills := upheaval(seed)
				t.Run(
					fmt.Sprintf("seed %d: %v", seed, kills),
					func(t *testing.T) { s.provisions(t, slapd, seed, kills) },
				)
			}
			if s.fired.Load() < told {
				t.Errorf("only %d deaths in %d stories: the moments are not reached", s.fired.Load(), told)
			}
		})
	}
}

// provisions hires people under a rule, lets the programs die, and holds the directory's log against what was asked.
func (s *stage) provisions(t *testing.T, slapd *ldaptest.Server, seed int64, kills []kill) {
	slug := fmt.Sprintf("hire-%d", seed)
	c := s.Tenant(slug)
	agent := s.Invite(c, slug, "")
	s.StartAgent(c, agent)
	connector := s.writes(c, slapd, agent.ID)
	s.rule(t, c, connector)
	agent.Kill()

	disturbance := s.disturb(t, c, agent, kills)
	for i := range staff {
		s.hire(t, c, fmt.Sprintf("P%d", i), fmt.Sprintf("Seed%d", seed))
	}
	s.settled(t, c, len(kills))
	disturbance.end()
	s.calmDown(t, agent)
	s.onceEach(t, slapd, fmt.Sprintf(".seed%d,", seed)) // seed 5 is not seed 51
}

func (s *stage) writes(c *api.Client, slapd *ldaptest.Server, agent string) string {
	settings := slapd.AuthConfig()
	settings["bind_dn"] = slapd.AdminDN
	delete(settings, "bind_password")
	id := s.Connect(c, api.Connector{
		BusinessID:  "directory",
		Name:        "Directory",
		Type:        "ldap",
		Mode:        "agent",
		AgentID:     agent,
		Purpose:     "target",
		Connection:  settings,
		Credentials: map[string]any{"bind_password": slapd.AdminPass},
	})
	s.Sync(c, id, api.Sync{})
	return id
}

// rule gives everybody an account of the directory and a place in its one group.
func (s *stage) rule(t *testing.T, c *api.Client, connector string) {
	t.Helper()
	type entitlement struct {
		ID   string
		Name string `json:"display_name"`
	}
	groups := harness.All[entitlement](s.House, c, "/entitlements", nil)
	if len(groups) != 1 {
		t.Fatalf("the directory has %d groups", len(groups))
	}
	s.Expect("201", c, "POST", "/policies/access-grant", map[string]any{
		"name":       "everybody",
		"mode":       "enforce",
		"birthright": true,
		"subject": map[string]any{
			"match": "all",
			"rules": []any{map[string]any{"field": "kind", "op": "eq", "value": "human"}},
		},
		"resources": map[string]any{"entitlement_ids": []string{groups[0].ID}, "connector_ids": []string{connector}},
	})
}

// hire makes a person, however often nobody answers.
func (s *stage) hire(t *testing.T, c *api.Client, first, last string) {
	t.Helper()
	mail := strings.ToLower(first + "." + last + "@example.test")
	var saw string
	harness.Eventually(t, "hire "+mail, func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		status, _, body, err := c.Raw(
			ctx,
			"POST",
			api.Prefix+"/identities",
			map[string]any{"external_id": mail, "email": mail, "first_name": first, "last_name": last},
		)
		saw = fmt.Sprintf("%d %s %v", status, body, err)
		return err == nil && (status == 201 || status == 409) // the second time she is known
	}, &saw)
}

// leaseTime is longer than the lease of a lane, which is 75 s: whatever a dead process was changing is taken up again
// when it has passed.
const leaseTime = 90 * time.Second

// settled waits until all that was to be changed is verified. Each death may cost a lease.
func (s *stage) settled(t *testing.T, c *api.Client, deaths int) {
	t.Helper()
	saw := ""
	limit := harness.Patience + time.Duration(deaths)*leaseTime
	harness.Within(t, limit, "everything is provisioned", func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_, _, body, err := c.Raw(ctx, "GET", api.Prefix+"/accounts/provisioning-tasks?limit=100", nil)
		saw = fmt.Sprintf("%.1500s %v", body, err)
		done, err := api.Some[struct{}](ctx, c, "/accounts/provisioning-tasks?state=done", 1)
		return err == nil && done.Total == 2*staff
	}, &saw)
}

// onceEach reads from the directory's own log that nothing was done twice, and that nothing is missing.
func (s *stage) onceEach(t *testing.T, slapd *ldaptest.Server, mark string) {
	t.Helper()
	log, err := slapd.Admin(t).
		Search(goldap.NewSearchRequest("cn=accesslog", goldap.ScopeWholeSubtree, goldap.NeverDerefAliases, 0, 0, false,
			"(objectClass=auditWriteObject)", []string{"reqType", "reqDN", "reqMod"}, nil))
	must(t, err)
	made, joined := map[string]int{}, map[string]int{}
	for _, e := range log.Entries {
		dn := strings.ToLower(e.GetAttributeValue("reqDN"))
		if e.GetAttributeValue("reqType") == "add" && strings.Contains(dn, mark) {
			made[dn]++
		}
		for _, mod := range e.GetAttributeValues("reqMod") {
			if mod = strings.ToLower(mod); strings.HasPrefix(mod, "member:+ ") && strings.Contains(mod, mark) {
				joined[mod]++
			}
		}
	}
	for what, times := range map[string]map[string]int{"accounts": made, "memberships": joined} {
		if len(times) != staff {
			t.Errorf("%d %s were made; want %d: %v", len(times), what, staff, times)
		}
		for name, n := range times {
			if n != 1 {
				t.Errorf("%s was made %d times", name, n)
			}
		}
	}
}
