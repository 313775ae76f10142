package scenarios

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/e2e/harness"
)

const nora = "nora.quinn@mercy.test"

func TestANurseJoinsMovesAndLeaves(t *testing.T) {
	t.Parallel()
	h := openHospital(t, openLDAP)
	h.excepts()
	h.joins()
	h.moves()
	h.leaves()
}

func TestANurseJoinsWhileTheAgentDies(t *testing.T) {
	t.Parallel()
	h := openHospital(t, openLDAP)
	h.hire(9, "Nora", "Quinn", "Nursing", "Registered Nurse")
	h.hrSays()
	h.agent.Kill()
	h.sees("her health records", func() bool { return fmt.Sprint(h.chartOf(nora).groups) == "[Nurses of the wards]" })
	h.StartAgent(h.admin, h.agent)
	h.hasStarted()
	h.leaves()
}

func TestANurseJoinsMovesAndLeavesInADomain(t *testing.T) {
	t.Parallel()
	h := openHospital(t, ldaptest.StartSambaAD)
	h.joins()
	h.moves()
	h.leaves()
}

func openLDAP(t testing.TB, o ldaptest.Org) *ldaptest.Server {
	return ldaptest.StartSlapd(t, ldaptest.Options{Org: o, MemberOf: true, Refint: true, PPolicy: true})
}

// excepts: the pack of hospitals came with mitigating controls, and its policies allow them. The plan of another pack
// shows violations, and what is only kept.
func (h *hospital) excepts() {
	h.t.Helper()
	type named struct {
		ID       string
		Name     string
		Controls []string `json:"mitigation_policy_ids"`
		Origin   struct {
			Pack string `json:"pack_id"`
		}
	}
	controls := harness.Read[struct{ Items []named }](h.House, h.Expect("200", h.admin, "GET", "/policies/mitigation",
		nil)).Items
	if len(controls) != 1 || controls[0].Name != "Log of double checks" ||
		controls[0].Origin.Pack != "healthcare-provider" {
		h.t.Fatalf("the pack has brought the controls %+v", controls)
	}
	policies := harness.Read[struct{ Items []named }](h.House, h.Expect("200", h.admin, "GET",
		"/policies/separation-of-duties", nil)).Items
	for _, p := range policies {
		if len(p.Controls) != 1 || p.Controls[0] != controls[0].ID {
			h.t.Errorf("the policy %s allows the controls %v", p.Name, p.Controls)
		}
	}
	plan := harness.Read[struct {
		Skip []struct{ Kind, Reason string }
		Add  []struct{ Kind string }

		Separation struct {
			People    int   `json:"people_total"`
			Conflicts []any `json:"role_conflicts"`
		}
	}](h.House, h.Expect("200", h.admin, "POST", "/sector-packs/baseline/plan", map[string]any{}))
	kept, added := map[string]string{}, map[string]int{}
	for _, o := range plan.Skip {
		kept[o.Kind] = o.Reason
	}
	for _, o := range plan.Add {
		added[o.Kind]++
	}
	if len(policies) != 2 || plan.Separation.People == 0 || len(plan.Separation.Conflicts) != 0 ||
		kept["certification_template"] != "kept_until_reviews" || kept["report_section"] != "kept_until_reports" ||
		added["mitigation_policy"] != 1 {
		h.t.Errorf("%d policies, and the plan keeps %v and adds %v with %+v", len(policies), kept, added,
			plan.Separation)
	}
}

// joins: HR says that a nurse starts, and a moment later she can work.
func (h *hospital) joins() {
	h.t.Helper()
	h.hire(9, "Nora", "Quinn", "Nursing", "Registered Nurse")
	h.hrSays()
	h.hasStarted()
	h.everyGrantExplainsItself()
}

func (h *hospital) hasStarted() {
	h.t.Helper()
	h.sees("an account in the group of all staff, and one that reads records", func() bool {
		login, chart := h.loginOf(nora), h.chartOf(nora)
		return login.dn != "" && !login.disabled && fmt.Sprint(login.groups) == "[All-Staff]" &&
			chart.active && fmt.Sprint(chart.groups) == "[Nurses of the wards]"
	})
}

// moves: she goes to Billing. What she needs there comes at once; the records of her ward end after their grace.
func (h *hospital) moves() {
	h.t.Helper()
	h.hire(9, "Nora", "Quinn", "Billing", "Clerk")
	h.hrSays()
	h.sees("the billing office beside her ward", func() bool { return len(h.chartOf(nora).groups) == 2 })
	id, _ := h.hrKnows(nora)
	ending := h.grantsOf(id, "ending")
	if len(ending) != 1 || !strings.HasPrefix(ending[0].Entitlement.Display, "Nurse") || ending[0].EndsAt == nil ||
		time.Until(*ending[0].EndsAt) < 6*24*time.Hour {
		h.t.Errorf("with an end are %+v; want the records of the ward, in a week", ending)
	}
	h.Exec(`update access_reason set ends_at = now() where state = 'active' and ends_at is not null`) // a week later
	h.sees("the ward's records gone", func() bool { return fmt.Sprint(h.chartOf(nora).groups) == "[Billing office]" })
	if l := h.loginOf(nora); l.disabled || fmt.Sprint(l.groups) != "[All-Staff]" {
		h.t.Errorf("what everybody has was touched: %+v", l)
	}
}

// leaves: HR says that she has left, and every door is shut.
func (h *hospital) leaves() {
	h.t.Helper()
	h.hire(9, "Nora", "Quinn", "Billing", "Clerk", "lastWorkingDay", time.Now().AddDate(0, 0, -2).Format(time.DateOnly))
	h.hrSays()
	h.sees("everything disabled", func() bool {
		return h.loginOf(nora).disabled && !h.chartOf(nora).active
	})
	id, status := h.hrKnows(nora)
	if status != "deactivated" {
		h.t.Errorf("she is %s", status)
	}
	h.sees("nothing left to do", func() bool {
		return h.Total(
			h.admin,
			"/accounts/provisioning-tasks?state=queued,blocked,running,verifying,retrying&identity_id="+id,
		) == 0
	})
	if n := h.Total(h.admin, "/accounts/provisioning-tasks?state=failed,manual"); n != 0 {
		h.t.Errorf(
			"%d tasks failed: %s",
			n,
			h.Expect("200", h.admin, "GET", "/accounts/provisioning-tasks?state=failed,manual", nil).Body,
		)
	}
	if d := h.loginOf("given0.family0@mercy.test"); d.disabled || d.dn == "" {
		h.t.Errorf("somebody else was touched: %+v", d)
	}
}

// sees waits for what the target systems themselves show.
func (h *hospital) sees(what string, is func() bool) {
	h.t.Helper()
	saw := ""
	harness.Eventually(h.t, what, func() bool {
		if is() {
			return true
		}
		saw = fmt.Sprintf("%+v %+v; tasks: %s", h.loginOf(nora), h.chartOf(nora), h.tasks())
		return false
	}, &saw)
}

// tasks tells briefly what is to be done.
func (h *hospital) tasks() string {
	var told []string
	for _, task := range harness.All[struct {
		Operation, State string
		Advice           *string
		Error            *struct{ Message string }
	}](h.House, h.admin, "/accounts/provisioning-tasks",
		url.Values{"state": {"queued,blocked,running,verifying,retrying,failed,manual"}}) {
		one := task.Operation + " " + task.State
		if task.Error != nil {
			one += " (" + task.Error.Message + ")"
		}
		told = append(told, one)
	}
	return strings.Join(told, ", ")
}

type heldGrant struct {
	ID          string
	Status      string
	EndsAt      *time.Time `json:"ends_at"`
	Entitlement struct{ Display string }
}

func (h *hospital) grantsOf(identity, status string) []heldGrant {
	h.t.Helper()
	return harness.All[heldGrant](h.House, h.admin, "/identities/"+identity+"/grants", url.Values{"status": {status}})
}

func (h *hospital) everyGrantExplainsItself() {
	h.t.Helper()
	id, _ := h.hrKnows(nora)
	var grants []heldGrant
	h.sees("both grants verified", func() bool { grants = h.grantsOf(id, "active"); return len(grants) == 2 })
	for _, g := range grants {
		told := harness.Read[struct {
			Story   []string
			Reasons []struct{ Kind, State string }
		}](h.House, h.Expect("200", h.admin, "GET", "/entitlements/grants/"+g.ID+"/explain", nil))
		if len(told.Reasons) != 1 || told.Reasons[0].Kind != "birthright" || told.Reasons[0].State != "active" {
			h.t.Errorf("%s stands on %+v", g.Entitlement.Display, told.Reasons)
		}
	}
}
