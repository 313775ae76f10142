package request_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// separate makes an enforced policy between two entitlements, each of a duty of its own.
func (h *house) separate(name, onRequest, one, other string) {
	h.T.Helper()
	sides, duties := []string{}, []string{}
	for _, e := range []string{one, other} {
		duty := newID()
		h.Exec(`insert into duty (tenant_id, id, name) values (current_tenant(), $1, $2)`, duty, name+" "+e)
		h.Exec(`insert into duty_member (tenant_id, duty_id, group_number, position, kind, entitlement_id)
			values (current_tenant(), $1, 0, 0, 'entitlement', $2)`, duty, e)
		label := h.Strings(`select name from entitlement where id = $1`, e)[0]
		sides = append(sides, fmt.Sprintf(`{"label": %q, "duty_ids": [%q]}`, label, duty))
		duties = append(duties, duty)
	}
	h.Exec(`insert into separation_policy (tenant_id, id, name, mode, severity, kind, sides, duty_ids, effects)
		values (current_tenant(), $1, $2, 'enforce', 'high', 'pair', $3::text::jsonb, $4::text[]::uuid[],
		    jsonb_build_object('on_request', $5::text))`,
		newID(), name, "["+strings.Join(sides, ",")+"]", duties, onRequest)
}

func TestRequestThatViolatesAnEnforcedPolicyIsRefusedWithTheWayOut(t *testing.T) {
	h := open(t)
	h.separate("Ledger and vault", "block", h.group, h.vault)
	h.Grant(h.system, h.annsAccount, h.group)
	a := h.Refused(409, "separation_of_duties", "ann", "POST", "/access-requests", wish(h.ann, h.vault))
	detail := a.Text("detail")
	for _, want := range []string{`ann would violate the policy "Ledger and vault"`, "ledger", "vault",
		"do without any one of these: ledger; vault."} {
		if !strings.Contains(detail, want) {
			t.Errorf("%q does not say %q", detail, want)
		}
	}
	if fields := fmt.Sprint(a.Body["errors"]); !strings.Contains(fields, "#/requested_resources/0") {
		t.Errorf("the refusal points to %s", fields)
	}
	p := h.Must(200, "ann", "POST", "/access-requests/preview", wish(h.ann, h.vault))
	verdict := p.Body["separation_of_duties"].(map[string]any)
	if p.Body["submittable"] != false || verdict["effect"] != "block" || len(verdict["violations"].([]any)) != 1 {
		t.Errorf("the preview says %v", p.Body)
	}
	p = h.Must(200, "tom", "POST", "/access-requests/preview", wish(h.tom, h.vault))
	if p.Body["submittable"] != true || p.Body["separation_of_duties"].(map[string]any)["effect"] != "none" {
		t.Errorf("the preview for tom says %v", p.Body)
	}
}

func TestPendingRequestCountsForTheNext(t *testing.T) {
	h := open(t)
	h.separate("Ledger and vault", "block", h.group, h.vault)
	h.ask("ann", wish(h.ann, h.group))
	h.Refused(409, "separation_of_duties", "ann", "POST", "/access-requests", wish(h.ann, h.vault))
	h.Refused(409, "separation_of_duties", "tom", "POST", "/access-requests", wish(h.tom, h.group, h.vault))
}

func TestBulkPreviewHasTheVerdictOfEachRequest(t *testing.T) {
	h := open(t)
	h.separate("Ledger and vault", "block", h.group, h.vault)
	h.separate("Only recorded", "record", h.group, h.vault)
	a := h.Must(200, "mia", "POST", "/access-requests/bulk?dry_run=true",
		map[string]any{"requests": []any{wish(h.ann, h.group), wish(h.ann, h.vault)}})
	for i, want := range []string{"none", "block"} {
		verdict := a.Body["results"].([]any)[i].(map[string]any)["separation_of_duties"].(map[string]any)
		if verdict["effect"] != want || len(verdict["violations"].([]any)) != i {
			t.Errorf("the preview of request %d says %v; want the effect %s", i, verdict, want)
		}
	}
}

func TestBulkRequestsOfOnePersonCountTogether(t *testing.T) {
	h := open(t)
	h.separate("Ledger and vault", "block", h.group, h.vault)
	a := h.Must(200, "mia", "POST", "/access-requests/bulk",
		map[string]any{"requests": []any{wish(h.ann, h.group), wish(h.ann, h.vault)}})
	if a.Body["results"].([]any)[1].(map[string]any)["separation_of_duties"] != nil {
		t.Errorf("the verdict is part of a result that is no preview: %v", a.Body)
	}
	if a.Body["created"] != 1.0 || a.Body["refused"] != 1.0 {
		t.Errorf("created %v, refused %v; want one each", a.Body["created"], a.Body["refused"])
	}
}

func TestWarningIsShownToRequesterAndApprovers(t *testing.T) {
	h := open(t)
	h.rule("by manager", byManager, `{}`, h.vault)
	h.separate("Ledger and vault", "warn", h.group, h.vault)
	h.Grant(h.system, h.annsAccount, h.group)
	a := h.ask("ann", wish(h.ann, h.vault))
	if n := h.Count(`select count(*) from access_request_event where request_id = $1
		and event = 'separation_of_duties'`, a.Text("id")); n != 1 {
		t.Errorf("%d warnings in the timeline; want 1", n)
	}
	if n := h.Count(`select count(*) from decision_task where context -> 'separation_of_duties' ->> 0
		like '%Ledger and vault%'`); n == 0 {
		t.Error("the approver is not told of the violation")
	}
	h.decide("mia", a.Text("id"), "approve", item(a, 0))
}

// TestOfTwoApprovalsThatOnlyTogetherViolateExactlyOneSucceeds lets two managers' decisions meet. The policy is made
// after both requests, so that each is allowed by itself.
func TestOfTwoApprovalsThatOnlyTogetherViolateExactlyOneSucceeds(t *testing.T) {
	h := open(t)
	h.rule("by manager", byManager, `{}`, h.group, h.vault)
	const rounds = 20
	var people [rounds]string
	for i := range people {
		people[i] = h.user(fmt.Sprint("clerk", i), h.mia)
	}
	type pair struct{ request, item string }
	var asked [rounds][2]pair
	for i, who := range people {
		for n, e := range []string{h.group, h.vault} {
			a := h.ask(fmt.Sprint("clerk", i), wish(who, e))
			asked[i][n] = pair{a.Text("id"), item(a, 0)}
		}
	}
	h.separate("Ledger and vault", "block", h.group, h.vault)
	h.Let("mia2", h.Tenant.Tenant, h.mia, viewer.Manager)
	for i := range rounds {
		var status [2]int
		var codes [2]string
		var start, end sync.WaitGroup
		start.Add(1)
		for n, as := range []string{"mia", "mia2"} {
			end.Go(func() {
				start.Wait()
				p := asked[i][n]
				a, err := h.Try(as, "POST", "/access-requests/"+p.request+"/decisions", decisions("approve", p.item))
				if err != nil {
					t.Error(err)
				}
				status[n], codes[n] = a.Status, a.Text("code")
			})
		}
		start.Done()
		end.Wait()
		if status[0]+status[1] != 200+409 || codes[0]+codes[1] != "separation_of_duties" {
			t.Fatalf("round %d: %v %v; want one 200 and one 409 separation_of_duties", i, status, codes)
		}
		if n := h.Count(`select count(*) from access_reason where identity_id = $1 and state = 'active'`,
			people[i]); n != 1 {
			t.Fatalf("round %d: %d reasons; want 1", i, n)
		}
	}
}

func TestApprovalsInOneCallCountTogether(t *testing.T) {
	h := open(t)
	h.rule("by manager", byManager, `{}`, h.group, h.vault)
	a := h.ask("ann", wish(h.ann, h.group, h.vault))
	h.separate("Ledger and vault", "block", h.group, h.vault)
	got := h.decide("mia", a.Text("id"), "approve", item(a, 0), item(a, 1))
	results := got.Body["results"].([]any)
	first, second := results[0].(map[string]any), results[1].(map[string]any)
	if first["accepted"] != true || second["accepted"] != false || second["code"] != "separation_of_duties" {
		t.Errorf("got %v and %v; want the first alone to be taken", first, second)
	}
	h.decide("mia", a.Text("id"), "reject", item(a, 1))
}

// TestShadowPolicyRecordsWhatItWouldRefuse submits a request that a policy in shadow mode would refuse, and one that an
// equal policy only warns of.
func TestShadowPolicyRecordsWhatItWouldRefuse(t *testing.T) {
	h := open(t)
	h.separate("Ledger and vault", "block", h.group, h.vault)
	h.separate("Only a warning", "warn", h.group, h.vault)
	h.Exec(`update separation_policy set mode = 'shadow'`)
	h.Exec(`insert into separation_shadow_block (tenant_id, policy_id, request_id, at)
		values (current_tenant(), $1, $1, now() - interval '91 days')`, newID())
	h.Grant(h.system, h.annsAccount, h.group)
	h.ask("tom", wish(h.tom, h.vault))
	if got := h.Strings(
		`select request_id::text from separation_shadow_block where at > now() - interval '1 day'`,
	); len(
		got,
	) > 0 {
		t.Errorf("a request that violates nothing was recorded: %v", got)
	}
	id := h.ask("ann", wish(h.ann, h.vault)).Text("id")
	got := h.Strings(`select p.name || ' ' || b.request_id::text
		from separation_shadow_block b join separation_policy p on p.id = b.policy_id`)
	if len(got) != 1 || got[0] != "Ledger and vault "+id {
		t.Errorf("recorded %v; want the policy that blocks with the request %s", got, id)
	}
	if n := h.Strings(`select count(*)::text from separation_shadow_block`); n[0] != "1" {
		t.Errorf("%s rows are left; one of 91 days ago should be deleted", n[0])
	}
}
