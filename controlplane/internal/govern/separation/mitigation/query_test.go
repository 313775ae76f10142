package mitigation_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit/chain"
)

// rule is a condition of one rule.
func rule(field, op string, value any) map[string]any {
	return map[string]any{"field": field, "op": op, "value": value}
}

// query is a stored query.
func query(about, expect string, condition map[string]any, more ...string) map[string]any {
	q := map[string]any{"about": about, "expect": expect, "condition": condition}
	if len(more) > 0 {
		q["connector_ids"] = more
	}
	return q
}

// automatic makes a control whose evidence is a stored query.
func (h *house) automatic(q map[string]any) string {
	h.T.Helper()
	return h.control(map[string]any{"evidence": map[string]any{"kind": "automatic_query", "cadence": "P30D",
		"grace": "P7D", "query": q}})
}

// synced notes a full sync of the system so long before the clock.
func (h *house) synced(ago time.Duration) {
	h.T.Helper()
	h.Exec(`insert into sync_position (tenant_id, connector_id, run_id, settings_digest, full_at)
		values (current_tenant(), $1, $2, '', $3)
		on conflict (tenant_id, connector_id) do update set full_at = excluded.full_at`, h.System,
		separationtest.NewID(), h.now().Add(-ago))
}

// scanned notes a complete scan so long before the clock.
func (h *house) scanned(ago time.Duration) {
	h.T.Helper()
	at := h.now().Add(-ago)
	h.Exec(`insert into separation_scan (tenant_id, id, state, cause, finished_at, completed_at, completed_people)
		values (current_tenant(), $1, 'completed', 'night', $2, $2, 4)
		on conflict (tenant_id) do update set completed_at = excluded.completed_at`, separationtest.NewID(), at)
}

// loggedIn notes when Ann's account was last used.
func (h *house) loggedIn(ago time.Duration) {
	h.T.Helper()
	h.Exec(`update account set last_login_at = $2 where id = $1`, h.Account, h.now().Add(-ago))
}

// last is the latest evidence of a mitigation.
func (h *house) last(id string) map[string]any {
	h.T.Helper()
	items := h.Must(200, "admin", "GET", path+"/"+id+"/evidence", nil).Items()
	if len(items) == 0 {
		h.T.Fatal("there is no evidence")
	}
	return items[0]
}

// unused is the query that Ann's account was not used in the last 30 days.
func (h *house) unused() map[string]any {
	return query("accounts", "none", rule("account.last_login_at", "after", "-P30D"), h.System)
}

func TestQueryThatPassesNeedsNobody(t *testing.T) {
	h := open(t)
	id := h.propose(h.automatic(h.unused()), "P90D")
	h.approve(id)
	h.pass(29 * day)
	h.is(id, "active", "mitigated")
	if n := len(h.Must(200, "admin", "GET", path+"/"+id+"/evidence", nil).Items()); n != 0 {
		t.Errorf("%d pieces of evidence before it is due; want none", n)
	}
	h.loggedIn(40 * day)
	h.synced(day)
	h.pass(day)
	h.is(id, "active", "mitigated")
	e := h.last(id)
	r := e["result"].(map[string]any)
	if e["kind"] != "automatic_query" || e["verdict"] != "accepted" || r["outcome"] != "passed" ||
		r["looked_at"] != 1.0 || r["found"] != 0.0 || r["control_version"] != 1.0 || len(r["problems"].([]any)) != 0 {
		t.Errorf("the evidence is %v", e)
	}
	if s := r["sources"].([]any); len(s) != 1 || s[0].(map[string]any)["last_full_sync_at"] == nil {
		t.Errorf("the sources are %v", s)
	}
	h.sealed(id, e)
	h.pass(29 * day)
	h.synced(day)
	h.pass(day)
	h.is(id, "active", "mitigated")
	want := []string{"mitigation.approved", "mitigation.proposed", "mitigation.query_passed", "mitigation.query_passed"}
	if got := h.Strings(`select action from audit_event where action ~ '^mitigation[.]' order by 1`); !slices.Equal(
		got, want) {
		t.Errorf("audited %v; want %v", got, want)
	}
}

// sealed checks that the hash of evidence is that of its result as the API shows it.
func (h *house) sealed(id string, e map[string]any) {
	h.T.Helper()
	d := json.NewDecoder(bytes.NewReader(h.Raw("admin", path+"/"+id+"/evidence/"+e["id"].(string))))
	d.UseNumber()
	var whole map[string]any
	if err := d.Decode(&whole); err != nil {
		h.T.Fatal(err)
	}
	canonical, err := chain.CanonicalValue(whole["result"])
	if err != nil {
		h.T.Fatal(err)
	}
	sum := sha256.Sum256(canonical)
	if got := hex.EncodeToString(sum[:]); got != whole["sha256"] {
		h.T.Errorf("the hash is %v; want %s of %s", whole["sha256"], got, canonical)
	}
}

func TestQueryThatFailsAsksPeopleAndLapses(t *testing.T) {
	h := open(t)
	id := h.propose(h.automatic(h.unused()), "P90D")
	h.approve(id)
	h.pass(29 * day)
	h.loggedIn(3 * day)
	h.synced(day)
	h.pass(day)
	h.is(id, "evidence_due", "mitigated")
	e := h.last(id)
	r := e["result"].(map[string]any)
	if e["verdict"] != "rejected" || r["outcome"] != "failed" || r["found"] != 1.0 ||
		e["comment"] != "The query found 1 account and expects none." {
		t.Errorf("the evidence is %v", e)
	}
	if x := r["examples"].([]any); len(x) != 1 || x[0].(map[string]any)["id"] != h.Account {
		t.Errorf("the examples are %v", x)
	}
	// People can give other evidence, which another person reviews.
	h.Must(201, "bob", "POST", path+"/"+id+"/evidence", map[string]any{"text": "It was the auditor's test."})
	h.is(id, "active", "mitigated")
	// The next failure is left alone.
	h.pass(29 * day)
	h.loggedIn(day)
	h.synced(day)
	h.pass(2 * day)
	h.is(id, "evidence_due", "mitigated")
	if e := h.last(id); e["verdict"] != "rejected" {
		t.Errorf("the evidence is %v", e)
	}
	h.pass(2 * day)
	h.is(id, "evidence_overdue", "mitigated")
	h.pass(8 * day)
	h.is(id, "lapsed", "open")
}

// TestQueryThatCannotBeAnsweredNeverPasses: each of these finds nothing, as the query expects, for a reason that proves
// nothing.
func TestQueryThatCannotBeAnsweredNeverPasses(t *testing.T) {
	h := open(t)
	nobody := separationtest.NewID()
	none := func(field, op string, value any) map[string]any {
		return query("person", "none", rule(field, op, value))
	}
	other := query("violations", "none", map[string]any{})
	for _, c := range []struct {
		name    string
		query   map[string]any
		arrange func()
		code    string
	}{
		{"the system was never synced", h.unused(), func() {}, "source_never_synced"},
		{"the last full sync is old", h.unused(), func() { h.synced(31 * day) }, "source_stale"},
		{"the system is disconnected", h.unused(), func() {
			h.synced(day)
			h.Exec(`update connector set status = 'disabled'`)
		}, "source_disconnected"},
		{"the system reports no sign-ins", h.unused(), func() { h.synced(day) }, "unknown_field"},
		{"a missing sign-in is no sign-in", query("accounts", "none", rule("account.last_login_at", "exists", true),
			h.System), func() { h.synced(day) }, "unknown_field"},
		{"the person has no account there", h.unused(), func() {
			h.synced(day)
			h.Exec(`update account set status = 'deleted'`)
		}, "no_subjects"},
		{"the person has no such attribute", none("attributes.payments_limit", "gt", 1000), func() {}, "unknown_field"},
		{"a rule that decides alone does not hide it", query("person", "none", map[string]any{"match": "all",
			"rules": []any{rule("department", "eq", "x"), rule("attributes.payments_limit", "gt", 1000)}}), func() {},
			"unknown_field"},
		{"no such role", query("person", "none", map[string]any{"op": "has_role", "value": "treasurer"}), func() {},
			"unknown_reference"},
		{"no such entitlement", query("person", "none", map[string]any{"op": "has_entitlement", "value": nobody}),
			func() {}, "unknown_reference"},
		{"the person has no manager", query("manager", "none", rule("status", "ne", "active")), func() {},
			"no_subjects"},
		{"the source of the person is stale", none("department", "eq", "x"), func() {
			h.synced(31 * day)
			h.Exec(`update identity set source_connector_id = $2 where id = $1`, h.Ann, h.System)
		}, "source_stale"},
		{"no scan", other, func() { h.synced(day) }, "scan_stale"},
		{"an old scan", other, func() { h.synced(day); h.scanned(31 * day) }, "scan_stale"},
		{"a stale system of the policy", other, func() { h.synced(31 * day); h.scanned(day) }, "source_stale"},
		{"a disabled policy", other, func() {
			h.synced(day)
			h.scanned(day)
			h.Exec(`update separation_policy set enabled = false`)
		}, "policy_not_evaluated"},
		{"a blind policy", other, func() {
			h.synced(day)
			h.scanned(day)
			h.Exec(`update entitlement set removed_at = now() where name = 'PAY-RUN'`)
		}, "policy_blind"},
		{"a policy that was changed since", other, func() {
			h.synced(day)
			h.scanned(day)
			h.Exec(`update separation_policy set updated_at = $1`, h.now())
		}, "scan_stale"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.T = t
			id := h.propose(h.automatic(c.query), "P90D")
			h.approve(id)
			h.pass(29 * day)
			h.Exec(`delete from sync_position`)
			h.Exec(`delete from separation_scan`)
			c.arrange()
			h.pass(day)
			e := h.last(id)
			r := e["result"].(map[string]any)
			if e["verdict"] != "unanswered" || r["outcome"] != "unanswered" || r["found"] != 0.0 {
				t.Errorf("the evidence is %v", e)
			}
			problems := r["problems"].([]any)
			if len(problems) == 0 || problems[0].(map[string]any)["code"] != c.code ||
				!strings.HasPrefix(e["comment"].(string), "The query could not be answered. ") {
				t.Errorf("%v, with %v; want %s", e["comment"], problems, c.code)
			}
			if m := h.Must(200, "admin", "GET", path+"/"+id, nil); m.Text("state") != "evidence_due" {
				t.Errorf("the mitigation is %s; want evidence_due", m.Text("state"))
			}
			h.sealed(id, e)
			h.Must(200, "admin", "POST", path+"/"+id+"/withdraw", map[string]any{"reason": "enough"})
			h.Exec(`update connector set status = 'active'`)
			h.Exec(`update account set status = 'active', last_login_at = null`)
			h.Exec(`update identity set source_connector_id = null`)
			h.Exec(`update separation_policy set enabled = true, updated_at = '2000-01-01'`)
			h.Exec(`update entitlement set removed_at = null`)
		})
	}
}

func TestQueriesAboutEachSubject(t *testing.T) {
	h := open(t)
	boss := h.Person("boss", "")
	h.Exec(`update identity set manager_id = $2 where id = $1`, h.Ann, boss)
	h.Exec(`update separation_policy set updated_at = '2000-01-01'`)
	eve := h.Person("eve", "")
	account := h.World.House.Account(h.System, "eve", eve)
	violates := func() {
		h.Exec(`insert into violation (tenant_id, id, policy_id, policy_version, identity_id, severity, grade, conflict,
			    entitlement_ids, fingerprint, detected_by)
			values (current_tenant(), $1, $2, 1, $3, 'high', 'potential', '{}', '{}', 'x', 'scan')`,
			separationtest.NewID(), h.Policy, eve)
	}
	for _, c := range []struct {
		name          string
		query         map[string]any
		outcome       string
		looked, found float64
		arrange       func()
	}{
		{"the manager is active", query("manager", "some", rule("status", "eq", "active")), "passed", 1, 1, nil},
		{"the manager has left", query("manager", "some", rule("status", "eq", "active")), "failed", 1, 0, func() {
			h.Exec(`update identity set status = 'deactivated' where id = $1`, boss)
		}},
		{"no other violation", query("violations", "none", nil), "passed", 4, 0, nil},
		{"another violation", query("violations", "none", nil), "failed", 4, 1, violates},
		{"at most one other", map[string]any{"about": "violations", "expect": "at_most", "at_most": 1}, "passed", 4, 1,
			nil},
		{"of a department", query("violations", "none", rule("department", "eq", "Sales")), "passed", 4, 0, nil},
		{"the grants of the violation", query("grants", "none", rule("grant.permanent", "eq", true)), "failed", 2, 2,
			nil},
		{"never used, where others are", h.unused(), "passed", 1, 0, func() {
			h.Exec(`update account set last_login_at = now() where id = $1`, account)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h.T = t
			id := h.propose(h.automatic(c.query), "P90D")
			h.approve(id)
			h.pass(29 * day)
			h.synced(day)
			h.scanned(day)
			if c.arrange != nil {
				c.arrange()
			}
			h.pass(day)
			r := h.last(id)["result"].(map[string]any)
			if r["outcome"] != c.outcome || r["looked_at"] != c.looked || r["found"] != c.found {
				t.Errorf("the result is %v; want %s with %v of %v", r, c.outcome, c.found, c.looked)
			}
			h.Must(200, "admin", "POST", path+"/"+id+"/withdraw", map[string]any{"reason": "enough"})
		})
	}
}

func TestExamplesAreShownToThoseWhoSeeThePeople(t *testing.T) {
	h := open(t)
	h.Exec(`update separation_policy set updated_at = '2000-01-01'`)
	eve := h.Person("eve", "")
	h.Exec(`insert into violation (tenant_id, id, policy_id, policy_version, identity_id, severity, grade, conflict,
		    entitlement_ids, fingerprint, detected_by)
		values (current_tenant(), $1, $2, 1, $3, 'high', 'potential', '{}', '{}', 'x', 'scan')`,
		separationtest.NewID(), h.Policy, eve)
	id := h.propose(h.automatic(query("violations", "none", nil)), "P90D")
	h.approve(id)
	h.pass(29 * day)
	h.synced(day)
	h.scanned(day)
	h.pass(day)
	e := h.last(id)
	if x := e["result"].(map[string]any)["examples"].([]any); len(x) != 1 || e["hidden_examples"] != 0.0 {
		t.Errorf("an administrator sees %v, %v hidden", x, e["hidden_examples"])
	}
	own := h.Must(200, "bob", "GET", path+"/"+id+"/evidence", nil).Items()[0]
	one := h.Must(200, "bob", "GET", path+"/"+id+"/evidence/"+own["id"].(string), nil).Body
	for _, got := range []map[string]any{own, one} {
		if x := got["result"].(map[string]any)["examples"].([]any); len(x) != 0 || got["hidden_examples"] != 1.0 {
			t.Errorf("the owner sees %v, %v hidden", x, got["hidden_examples"])
		}
	}
}

func TestQueryIsPreviewedAndChecked(t *testing.T) {
	h := open(t)
	preview := controls + "/preview"
	bad := query("accounts", "none", rule("account.last_login", "after", "-P30D"), h.System)
	h.Refused(422, "validation_failed", "admin", "POST", preview, map[string]any{"query": bad})
	h.Refused(422, "validation_failed", "admin", "POST", preview, map[string]any{"query": h.unused(), "cadence": "P2Y"})
	h.Refused(422, "validation_failed", "admin", "POST", preview, map[string]any{
		"query": query("accounts", "none", nil, separationtest.NewID())})
	h.Refused(403, "read_only_role", "auditor", "POST", preview, map[string]any{"query": h.unused()})
	h.Refused(422, "validation_failed", "admin", "POST", controls, map[string]any{"name": "x",
		"evidence": map[string]any{"kind": "automatic_query"}})
	h.Refused(422, "validation_failed", "admin", "POST", controls, map[string]any{"name": "x",
		"evidence": map[string]any{"kind": "automatic_query", "query": bad}})

	h.loggedIn(day)
	p := h.Must(200, "admin", "POST", preview, map[string]any{"query": h.unused()})
	if p.Body["violations"] != 1.0 || p.Body["evaluated"] != 1.0 || p.Body["unanswered"] != 1.0 {
		t.Errorf("the preview before a sync is %v", p.Body)
	}
	h.synced(day)
	p = h.Must(200, "admin", "POST", preview, map[string]any{"query": h.unused(), "severities": []string{"high"}})
	if p.Body["failed"] != 1.0 || p.Items()[0]["reason"] != "The query found 1 account and expects none." {
		t.Errorf("the preview is %v", p.Body)
	}
	p = h.Must(200, "admin", "POST", preview, map[string]any{"query": h.unused(), "severities": []string{"low"}})
	if p.Body["violations"] != 0.0 || len(p.Items()) != 0 {
		t.Errorf("the preview of another severity is %v", p.Body)
	}

	p = h.Must(200, "admin", "POST", preview, map[string]any{
		"cadence":        "P30D",
		"sod_policy_ids": []string{h.Policy},
		"severities":     []string{},
		"query": map[string]any{"about": "manager", "connector_ids": []string{}, "expect": "some",
			"at_most": nil, "condition": nil},
	})
	if p.Body["unanswered"] != 1.0 || !strings.Contains(p.Items()[0]["reason"].(string), "no manager") {
		t.Errorf("the preview of a query about managers is %v", p.Body)
	}

	// The query is a part of the control with its versions. Another kind of evidence drops it.
	id := h.automatic(h.unused())
	c := h.Must(200, "admin", "GET", controls+"/"+id, nil).Body["evidence"].(map[string]any)
	if q, _ := c["query"].(map[string]any); q["about"] != "accounts" ||
		q["condition"].(map[string]any)["match"] != "all" {
		t.Errorf("the stored query is %v", c)
	}
	h.Must(200, "admin", "PATCH", controls+"/"+id, map[string]any{"evidence": map[string]any{"kind": "upload"}})
	c = h.Must(200, "admin", "GET", controls+"/"+id, nil).Body["evidence"].(map[string]any)
	if c["query"] != nil || c["kind"] != "upload" {
		t.Errorf("the evidence is %v", c)
	}
}
