package request_test

import (
	"testing"
	"time"
)

// eligible makes a policy in force that lets a department request entitlements.
func (h *house) eligible(name, department, constraints, schedule string, entitlements ...string) {
	h.T.Helper()
	h.Exec(`
		insert into access_policy (tenant_id, id, name, mode, effect, subject, resources, lifecycle, constraints, schedule)
		values (current_tenant(), $1, $2, 'enforce', 'eligible', jsonb_build_object('match', 'all', 'rules',
		        jsonb_build_array(jsonb_build_object('field', 'department', 'op', 'eq', 'value', $3::text))),
		        jsonb_build_object('entitlement_ids', $4::text[]), '{"when": ["active"]}', $5::text::jsonb,
		        nullif($6, '')::jsonb)`,
		newID(), name, department, entitlements, constraints, schedule)
}

func TestPoliciesSayWhoCanRequestWhatAndOnWhichTerms(t *testing.T) {
	h := open(t)
	h.Exec(`update identity set department = 'Ledgers' where id = $1`, h.ann)
	h.eligible("Ledgers", "Ledgers", `{"max_duration": "P10D", "requires_external_reference": true}`, "", h.group)

	body := with(wish(h.ann, h.group), "external_reference", "CHG-1")
	none := h.Refused(422, "external_reference_required", "ann", "POST", "/access-requests", wish(h.ann, h.group))
	if got := pointers(none); got != "#/external_reference external_reference_required" {
		t.Errorf("without a ticket: %s", got)
	}
	h.Refused(422, "duration_exceeds_limit", "ann", "POST", "/access-requests", thing(body, "duration", "P11D"))

	// Whom no policy is about does not learn that it exists; who sees everything is told why.
	refused := h.Refused(422, "not_requestable", "tom", "POST", "/access-requests", wish(h.tom, h.group))
	if got := refused.Text("detail"); got != "there is nothing of this id that tom can ask for" {
		t.Errorf("tom learns: %s", got)
	}
	refused = h.Refused(422, "not_requestable", "root", "POST", "/access-requests", wish(h.tom, h.group))
	want := "tom cannot request ledger: no eligibility policy of it applies: Ledgers (department is Ledgers)"
	if got := refused.Text("detail"); got != want {
		t.Errorf("the administrator learns: %s; want %s", got, want)
	}
	made := h.ask("ann", body)
	item := items(made)[0]
	if item["duration"] != "P10D" {
		t.Errorf("it lasts %v; want the limit of the policy", item["duration"])
	}
	// In bulk, each person by themselves.
	h.Exec(`delete from access_policy`)
	h.eligible("Vaults", "Ledgers", `{"needs_training": "Vault"}`, "", h.vault)
	preview := h.Must(200, "ann", "POST", "/access-requests/preview", wish(h.ann, h.vault))
	problems := preview.Body["problems"].([]any)
	if len(problems) != 1 || problems[0].(map[string]any)["code"] != "not_eligible" {
		t.Fatalf("problems of the preview: %v", problems)
	}
	conflict := h.Refused(409, "not_eligible", "ann", "POST", "/access-requests", wish(h.ann, h.vault))
	if got := pointers(conflict); got != "#/requested_resources/0/entitlement_id not_eligible" {
		t.Errorf("it points to %s", got)
	}
	if got := conflict.Text("detail"); got !=
		"ann cannot request vault now. The policy Vaults demands: the training Vault is required." {
		t.Errorf("it says %s", got)
	}
	h.Exec(`update identity set attributes = '{"trainings": ["Vault"]}' where id = $1`, h.ann)
	h.ask("ann", wish(h.ann, h.vault))
}

func TestRequestsKeepToTheScheduleAndTheSecondFactor(t *testing.T) {
	h := open(t)
	h.at = time.Date(2027, 3, 1, 5, 0, 0, 0, time.UTC) // a Monday, 06:00 in Zurich
	h.Exec(`insert into lifecycle_policy (tenant_id, timezone) values (current_tenant(), 'Europe/Zurich')`)
	h.Exec(`update identity set department = 'Ledgers' where id = any($1::text[]::uuid[])`, []string{h.ann, h.tom})
	office := `{"weekly": [{"days": ["mon"], "starts": "08:00", "ends": "18:00"}]}`
	h.eligible("Office", "Ledgers", `{}`, office, h.group)
	refused := h.Refused(409, "not_eligible", "ann", "POST", "/access-requests", wish(h.ann, h.group))
	if got := refused.Body["why_not"].([]any)[0]; got != "requests are possible Mon 08:00-18:00" {
		t.Errorf("before the window: %v", got)
	}
	h.at = time.Date(2027, 3, 1, 7, 0, 0, 0, time.UTC)
	h.ask("ann", wish(h.ann, h.group))

	h.eligible("Safe", "Ledgers", `{"requires_mfa": true}`, "", h.vault)
	h.Refused(409, "not_eligible", "tom", "POST", "/access-requests", wish(h.tom, h.vault))
}

// TestOnlyNewAccessNeedsEligibility: what somebody gives back is not limited by it.
func TestOnlyNewAccessNeedsEligibility(t *testing.T) {
	h := open(t)
	h.Exec(`update identity set department = 'Ledgers' where id = $1`, h.ann)
	h.eligible("Nobody", "Elsewhere", `{}`, "", h.group)
	body := with(wish(h.ann, h.group), "kind", "return")
	h.Refused(409, "not_held_by_request", "ann", "POST", "/access-requests", body)
}
