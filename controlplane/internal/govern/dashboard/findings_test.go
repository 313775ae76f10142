package dashboard_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/dashboard"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// finding is one finding of a caller's dashboard; nil when it is not shown.
func (h *house) finding(as, kind string) object {
	h.T.Helper()
	for _, f := range h.sum(as)["findings"].([]any) {
		if f.(object)["kind"] == kind {
			return f.(object)
		}
	}
	return nil
}

// A system to which nothing is written is the first finding, with the way to resume, and its trend is that of the days
// that were counted.
func TestFindingsSayWhatToDoFirst(t *testing.T) {
	h := open(t)
	crm := h.connector("crm", "active")
	left := h.Person("left", "")
	h.Exec(`update identity set status = 'deactivated' where id = $1`, left)
	h.Account(crm, "left", left)
	h.Exec(`update account set account_type = 'person', is_disabled = false`)
	h.Exec(
		`insert into connector_provisioning (tenant_id, connector_id, breaker_open_since, breaker_reason)
			values (current_tenant(), $1, now(), 'ten failed')`,
		crm,
	)
	h.Exec(
		`insert into finding_day (tenant_id, day, kind, count) values (current_tenant(), current_date - 8,
			'leaver_accounts_enabled', 3)`,
	)

	all := h.sum("admin")["findings"].([]any)
	if first := all[0].(object); first["kind"] != "writes_stopped" || first["count"] != 1.0 ||
		first["severity"] != "critical" ||
		at(first, "action.label") != "Resume writes" {
		t.Errorf("the first finding is %v; want the stopped system", first)
	}
	f := h.finding("admin", "leaver_accounts_enabled")
	if f["count"] != 1.0 || at(f, "trend.days_7") != -2.0 || at(f, "trend.days_30") != nil {
		t.Errorf("leavers' accounts: %v; want 1, two fewer than a week ago, and nothing said of a month ago", f)
	}
	if f := h.finding("admin", "held_runs"); f["count"] != 0.0 || f["severity"] != "none" {
		t.Errorf("held runs: %v; want none", f)
	}
	h.Let("boss", h.Tenant.Tenant, h.Person("boss", ""), viewer.Manager)
	if h.finding("boss", "writes_stopped") != nil || h.finding("boss", "leaver_accounts_enabled")["trend"] != nil {
		t.Error("a manager is shown findings or trends of the whole tenant")
	}
	if label := at(h.finding("boss", "unowned_entitlements"), "action.label"); label != "Show entitlements" {
		t.Errorf("a manager is offered %q; want what they can do", label)
	}
}

// An address that was rejected is a finding while an active person has it and nobody has decided.
func TestRejectedAddressesAreFindings(t *testing.T) {
	h := open(t)
	h.Exec(`update identity set email = 'ann@example.org' where id = $1`, h.Person("ann", ""))
	for _, address := range []string{"ann@example.org", "nobody@example.org"} {
		h.Exec(`insert into mail_bounce (tenant_id, address_lc, message_id)
			values (current_tenant(), $1, gen_random_uuid())`, address)
	}
	if f := h.finding("admin", "rejected_addresses"); f["count"] != 1.0 || f["severity"] != "medium" {
		t.Errorf("rejected addresses: %v; want the one that a person has", f)
	}
	h.Exec(`update mail_bounce set kept_at = now()`)
	if f := h.finding("admin", "rejected_addresses"); f["count"] != 0.0 {
		t.Errorf("rejected addresses: %v; want none after a decision", f)
	}
}

func TestFindingsAreCountedOnceADay(t *testing.T) {
	h := open(t)
	s := &dashboard.Service{DB: h.DB, Log: slog.New(slog.DiscardHandler), Now: time.Now}
	for range 2 {
		if _, err := s.Look(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if days, kinds := h.Count(
		`select count(distinct day) from finding_day`,
	), h.Count(
		`select count(*) from finding_day`,
	); days != 1 ||
		kinds < 10 {
		t.Errorf("%d days and %d kinds were counted; want one day with all kinds", days, kinds)
	}
}

func TestViolationsAndBlindPoliciesAreFindings(t *testing.T) {
	h := open(t)
	boss := h.Person("boss", "")
	ann := h.Person("ann", boss)
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	policy := uuid.Must(uuid.NewV7()).String()
	h.Exec(`insert into separation_policy (tenant_id, id, name, mode, kind, sides, duty_ids)
		values (current_tenant(), $1, 'Pay', 'enforce', 'pair', '[{"label": "a", "duty_ids": []},
		    {"label": "b", "duty_ids": []}]', '{}')`, policy)
	h.Exec(`insert into separation_policy (tenant_id, id, name, mode, kind, sides, duty_ids)
		values (current_tenant(), $1, 'Draft', 'draft', 'pair', '[{"label": "a", "duty_ids": []}]', '{}')`,
		uuid.Must(uuid.NewV7()).String())
	for _, who := range []string{ann, h.Person("bob", "")} {
		h.Exec(`insert into violation (tenant_id, id, policy_id, policy_version, identity_id, severity, grade,
			fingerprint, entitlement_ids, detected_by, conflict)
			values (current_tenant(), $1, $2, 1, $3, 'high', 'potential', '', '{}', 'scan', '{}')`,
			uuid.Must(uuid.NewV7()).String(), policy, who)
	}
	for as, want := range map[string]float64{"admin": 2, "boss": 1} {
		if f := h.finding(as, "sod_violations"); f["count"] != want || f["severity"] != "high" ||
			at(f, "action.target") != "/policies/violations?state=open" {
			t.Errorf("%s is shown the violations %v; want %v", as, f, want)
		}
	}
	f := h.finding("admin", "blind_policies")
	if f["count"] != 1.0 || at(f, "action.label") != "Mend policies" || h.finding("boss", "blind_policies") != nil {
		t.Errorf("blind policies: %v; want one, for administrators", f)
	}
}

// Whoever manages somebody or owns access and cannot sign in is counted and listed, as unable_to_decide() has it.
func TestApproversWithoutSignInAreFindings(t *testing.T) {
	h := open(t)
	h.Exec(`delete from identity_provider`)
	states := map[string]string{
		"none": "", "active": "'active'", "disabled": "'disabled'", "invited": "'invited'",
		"inside": "'invited'", // has an address that the provider vouches for
	}
	connector := h.connector("crm", "active")
	for name, status := range states {
		boss := h.Person(name, "")
		h.Person("report of "+name, boss)
		owner := h.Person(name+" owner", "")
		h.Entitlement(connector, name, owner)
		for _, id := range []string{boss, owner} {
			domain := map[bool]string{true: "inside.example", false: "acme.example"}[name == "inside"]
			h.Exec(`update identity set email = id || '@' || $2 where id = $1`, id, domain)
			if status != "" {
				h.Exec(`insert into app_user (tenant_id, id, email, identity_id, status)
					select current_tenant(), gen_random_uuid(), i.email, i.id, `+status+` from identity i where i.id = $1`, id)
			}
		}
	}
	h.Exec(`insert into app_user (tenant_id, id, email, status)
		select current_tenant(), gen_random_uuid(), i.email, 'active' from identity i where i.external_id = 'none'`)
	left := h.Person("left", "")
	h.Person("report of left", left)
	h.Exec(`update identity set status = 'deactivated' where id = $1`, left)
	h.Person("asks nobody", "")

	const provider = `insert into identity_provider (tenant_id, id, name, issuer, client_id, scopes, domains, create_users)
		values (current_tenant(), gen_random_uuid(), 'corp', 'https://id.example', 'us', '{openid}', `
	for _, tt := range []struct {
		name, sql string
		count     float64
	}{
		{"without a provider", `select 1`, 8},
		{"with a provider of one domain", provider + `'{inside.example}', false)`, 6},
		{"with one that creates users", `update identity_provider set domains = '{}', create_users = true`, 3},
		{"with one that is off", `update identity_provider set enabled = false`, 8},
	} {
		h.Exec(tt.sql)
		f := h.finding("admin", "approvers_without_sign_in")
		if f["count"] != tt.count || f["severity"] != "medium" {
			t.Errorf("%s: %v; want %v", tt.name, f, tt.count)
		}
		target, _ := at(f, "action.target").(string)
		if n := h.Must(200, "admin", "GET", target, nil).Body["total"]; n != tt.count {
			t.Errorf("%s: the list has %v; want %v", tt.name, n, tt.count)
		}
		want := h.Strings(`select i.external_id
			  from identity i
			 where unable_to_decide(i.id) in ('no_user', 'user_disabled', 'invitation_open', 'invitation_lapsed', 'user_not_linked')
			   and (exists (select from identity r where r.manager_id = i.id)
			        or exists (select from entitlement e where i.id = any(e.owner_ids)))
			 order by 1`)
		got := h.Strings(
			`select i.external_id from approvers_without_sign_in() a join identity i on i.id = a.id order by 1`,
		)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: not what unable_to_decide() has: %s", tt.name, diff)
		}
	}
}
