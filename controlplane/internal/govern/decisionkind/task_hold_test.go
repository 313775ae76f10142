package decisionkind_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/scan"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// separate makes an enforced policy with an owner between two entitlements, each of a duty of its own.
func (h *house) separate(owner, one, other string) string {
	h.T.Helper()
	sides, duties := []string{}, []string{}
	for i, e := range []string{one, other} {
		duty := newID()
		h.Exec(`insert into duty (tenant_id, id, name) values (current_tenant(), $1, 'of ' || $2)`, duty, e)
		h.Exec(`insert into duty_member (tenant_id, duty_id, group_number, position, kind, entitlement_id)
			values (current_tenant(), $1, 0, 0, 'entitlement', $2)`, duty, e)
		sides = append(sides, fmt.Sprintf(`{"label": "side %d", "duty_ids": [%q]}`, i, duty))
		duties = append(duties, duty)
	}
	id := newID()
	h.Exec(
		`insert into separation_policy (tenant_id, id, name, mode, severity, kind, sides, duty_ids, effects, owner_ids)
		values (current_tenant(), $1, 'Vendors and payments', 'enforce', 'high', 'pair', $2::text::jsonb,
		    $3::text[]::uuid[], '{"on_request": "block", "on_assign": "block"}', array[$4::uuid])`,
		id,
		"["+strings.Join(sides, ",")+"]",
		duties,
		owner,
	)
	return id
}

// evaluate evaluates the people who have changed, and everyone after a change of policies.
func (h *house) evaluate() {
	h.T.Helper()
	s := &scan.Service{DB: h.DB, Log: slog.New(slog.DiscardHandler), Now: time.Now}
	for range 100 {
		h.Exec(`update work_item set due_at = now() - interval '1 second' where kind like 'separation%'`)
		n, err := s.Part(ctx, h.Tenant.Tenant)
		if err != nil {
			h.T.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
	h.T.Fatal("the evaluation does not end")
}

// held is a house in which Ann has vendor access, and the payments that she was given are on hold. It gives her, the
// entitlement and the grant of what she has, and the policy.
func held(t *testing.T, mode string) (h *house, ann, pay, vendor, policy string) {
	t.Helper()
	h = open(t)
	crm, owner := h.system("crm"), h.Person("owner", "")
	ann = h.Person("ann", "")
	h.Let("owner", h.Tenant.Tenant, owner, viewer.ResourceOwner)
	h.EverybodySignsIn()
	h.writes(crm, mode)
	account := h.Account(crm, "ann", ann)
	h.Exec(`update account set account_type = 'person', is_disabled = false`)
	pay = h.Entitlement(crm, "pay")
	e := h.Entitlement(crm, "vendors")
	vendor = h.Grant(crm, account, e)
	policy = h.separate(owner, e, pay)
	h.give(ann, crm, pay)
	if mode == "manual" {
		h.provisioned(`exists (select from provisioning_task where state = 'manual')`)
		h.evaluate()
	} else {
		h.provisioned(`exists (select from provisioning_task where state in ('blocked', 'done', 'verifying'))`)
	}
	return h, ann, pay, vendor, policy
}

// task is the state of Ann's only grant task.
func (h *house) task(want string) {
	h.T.Helper()
	got := strings.Join(h.Strings(`select t.state from provisioning_task t where t.operation = 'grant'`), " ")
	if got != want {
		h.T.Errorf("the grants are %q; want %q", got, want)
	}
}

func TestAGrantThatViolatesAPolicyIsHeldAndAsked(t *testing.T) {
	h, ann, _, _, policy := held(t, "auto")
	h.task("blocked")
	list := h.Must(200, "admin", "GET", "/accounts/provisioning-tasks?state=blocked", nil).Items()
	if len(list) != 1 || list[0]["held_at"] == nil || member(list[0], "error", "code") != "separation_of_duties" {
		t.Fatalf("the list has %v", list)
	}
	if text := fmt.Sprint(member(list[0], "error", "message")); !strings.Contains(text, "Vendors and payments") ||
		strings.Contains(text, "vendors") {
		t.Errorf("a viewer of the task reads %q; want the policy and no other access", text)
	}
	h.Let("ann", h.Tenant.Tenant, ann)
	task := h.one(kind.ProvisioningHold)
	h.shows(task, "pay for ann is on hold", "side 0 (vendors) and side 1 (pay)", "do without any one of these")
	if n := h.Count(`select count(*) from decision_assignee where task_id = $1`, task["id"]); n == 0 ||
		member(task, "source", "id") != policy || actions(task) != "allow refuse" {
		t.Errorf("%d people are asked, about %v, for %s", n, task["source"], actions(task))
	}
	h.Refused(404, "not_found", "ann", "POST", at(task)+"/decide", choice("allow", "mine", nil))
	h.Refused(422, "validation_failed", "owner", "POST", at(task)+"/decide", choice("allow", "", nil))

	// Evaluated again, nothing changes. The owner allows it, with a reason, and it is made.
	h.evaluate()
	h.task("blocked")
	h.Must(200, "owner", "POST", at(task)+"/decide", choice("allow", "until the audit", nil))
	h.none(kind.ProvisioningHold)
	h.provisioned(`exists (select from access_grant where status = 'active' and wanted_at is not null)`)
	h.task("done")
	for _, action := range []string{"provisioning.held", "provisioning.hold_overridden", "provisioning.resumed"} {
		if n := h.Count(`select count(*) from audit_event where action = $1`, action); n != 1 {
			t.Errorf("%s is audited %d times; want once", action, n)
		}
	}
}

func TestAHeldGrantGoesOnWhenTheOtherAccessIsGone(t *testing.T) {
	h, _, _, vendor, _ := held(t, "auto")
	task := h.one(kind.ProvisioningHold)
	// What takes access away is never held.
	h.Must(202, "admin", "POST", "/entitlements/grants/"+vendor+"/revoke", object{"reason": "moved"})
	h.provisioned(`exists (select from access_grant where id = $1 and status = 'revoked')`, vendor)
	h.evaluate()
	h.provisioned(`exists (select from provisioning_task where operation = 'grant' and state = 'done')`)
	h.became(task, "superseded", "the change was made")
}

func TestAHeldGrantGoesOnWhenThePolicyEndsOrTheViolationIsAccepted(t *testing.T) {
	for what, change := range map[string]string{
		"disabled": `update separation_policy set enabled = false, version = version + 1`,
		"accepted": `update violation set state = 'false_positive', false_positive = jsonb_build_object(
			'policy_version', policy_version, 'entitlement_ids', to_jsonb(entitlement_ids))`,
		"only recorded": `update separation_policy set version = version + 1,
			effects = '{"on_request": "block", "on_assign": "record"}'`,
	} {
		t.Run(what, func(t *testing.T) {
			h, _, _, _, _ := held(t, "auto")
			h.evaluate()
			h.Exec(change)
			h.evaluate()
			h.none(kind.ProvisioningHold)
			h.provisioned(`exists (select from provisioning_task where operation = 'grant' and state = 'done')`)
		})
	}
}

func TestARefusedHoldEndsTheAccess(t *testing.T) {
	h, _, pay, _, _ := held(t, "auto")
	task := h.one(kind.ProvisioningHold)
	h.Refused(422, "validation_failed", "admin", "POST", at(task)+"/decide",
		choice("refuse", "no", object{"exclude_until": "2001-01-01"}))
	h.decide(task, "refuse", "no", object{"exclude_until": "2091-12-31"})
	h.provisioned(`exists (select from provisioning_task where state = 'cancelled')`)
	h.none(kind.ProvisioningHold)
	if n := h.Count(
		`select count(*) from access_grant where entitlement_id = $1 and status <> 'revoked'`,
		pay,
	); n != 0 {
		t.Errorf("%d grants are left", n)
	}
}

func TestAGrantToBeMadeByHandIsHeldToo(t *testing.T) {
	h, _, _, vendor, _ := held(t, "manual")
	h.task("blocked")
	h.none(kind.ManualProvisioning)
	h.one(kind.ProvisioningHold)
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, vendor)
	h.evaluate()
	h.none(kind.ProvisioningHold)
	task := h.one(kind.ManualProvisioning)
	h.shows(task, "In crm, give ann the entitlement pay")
}

// TestOfTwoGrantsThatOnlyTogetherViolateOneIsMade sends both at once.
func TestOfTwoGrantsThatOnlyTogetherViolateOneIsMade(t *testing.T) {
	h := open(t)
	h.EverybodySignsIn()
	first, second := h.system("crm"), h.system("erp")
	pay, vendors := h.Entitlement(first, "pay"), h.Entitlement(second, "vendors")
	h.separate(h.Person("owner", ""), pay, vendors)
	const people = 10
	for i := range people {
		name := fmt.Sprint("p", i)
		who := h.Person(name, "")
		h.Account(first, name, who)
		h.Account(second, name, who)
		h.Exec(`update account set account_type = 'person', is_disabled = false`)
		h.give(who, first, pay)
		h.give(who, second, vendors)
	}
	h.provisioned(
		`(select count(*) from provisioning_task where state in ('blocked', 'done', 'verifying')) = $1`,
		2*people,
	)
	bad := h.Count(`select count(*) from (select identity_id from provisioning_task group by identity_id
		having count(*) filter (where state = 'blocked' and held_at is not null) <> 1) x`)
	if bad != 0 {
		t.Log(
			h.Strings(`select identity_id::text || ' ' || string_agg(state || ' ' || coalesce(held_at::text, '-'), ', ')
			from provisioning_task group by identity_id`),
		)
		t.Errorf("%d of %d people have another number of held grants than one", bad, people)
	}
}

func TestALatentViolationOfAHeldGrantIsAskedOnce(t *testing.T) {
	h, _, _, _, _ := held(t, "auto")
	h.evaluate()
	if got := h.Strings(`select v.state || ' ' || v.grade from violation v`); len(got) != 1 || got[0] != "open latent" {
		t.Fatalf("the violations are %q; want one that is open and latent", got)
	}
	task := h.one(kind.ProvisioningHold)
	h.none(kind.SodViolation)

	// It is refused. Whatever is asked next, it is not both.
	h.Must(200, "owner", "POST", at(task)+"/decide", choice("refuse", "One is enough.", nil))
	h.none(kind.ProvisioningHold)
}
