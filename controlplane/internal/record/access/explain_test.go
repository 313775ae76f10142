package access_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

func story(body map[string]any) string {
	var lines []string
	list, _ := body["story"].([]any)
	for _, line := range list {
		lines = append(lines, line.(string))
	}
	return strings.Join(lines, "\n")
}

// tells fails the test unless every part stands in the story.
func tells(t *testing.T, body map[string]any, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if got := story(body); !strings.Contains(got, part) {
			t.Errorf("the story does not say %q:\n%s", part, got)
		}
	}
}

func (p pair) task(operation, state, class, advice string, grant any) {
	p.T.Helper()
	p.Exec(
		`insert into provisioning_task (tenant_id, id, connector_id, operation, identity_id, account_id, grant_id,
		    entitlement_id, created_from, state, error_class, advice, idempotency_key)
		values (current_tenant(), $1, $2, $3, $4, $5, $6, $7, 'birthright', $8, nullif($9, ''), nullif($10, ''), $11)`,
		uuid.Must(uuid.NewV7()).
			String(),
		p.connector,
		operation,
		p.person,
		p.account,
		grant,
		p.entitlement,
		state,
		class,
		advice,
		uuid.NewString(),
	)
}

func TestGrantIsExplainedInPlainWords(t *testing.T) {
	p := openPair(t)
	grant := p.Grant(p.connector, p.account, p.entitlement)
	explain := grants + "/" + grant + "/explain"
	native := p.Must(200, "admin", "GET", explain, nil).Body
	tells(
		t,
		native,
		"ann holds staff, and no reason asks for it.",
		"It was found in the target system and assigned by nothing here.",
		"This grant existed at the first sync of the system.",
		"It ends when a person revokes it",
	)
	roleID := uuid.NewString()
	p.Exec(`insert into role (tenant_id, id, key, name) values (current_tenant(), $1, 'clerk', 'Clerk')`, roleID)
	rule := p.reason(func(r *ledger.Reason) { r.RoleID = &roleID })
	ruled := p.Must(200, "admin", "GET", explain, nil).Body
	tells(
		t,
		ruled,
		"ann holds staff, and should.",
		`The rule "Staff of the bank" gives it through the role "Clerk".`,
		"It ends when the one reason without an end does",
	)
	first := ruled["reasons"].([]any)[0].(map[string]any)
	if first["rule"] != "everybody" || ruled["difference"] != nil {
		t.Errorf("the rule is for %v, the difference %v; want everybody, and none", first["rule"], ruled["difference"])
	}
	p.end(rule)
	p.Exec(`update access_grant set status = 'revoking' where id = $1`, grant)
	p.task("revoke", "retrying", "transient", "The target did not answer in time.", grant)
	p.Exec(
		`insert into provisioning_switch (tenant_id, writes, reason) values (current_tenant(), false,
			'migration weekend')`,
	)
	gone := p.Must(200, "admin", "GET", explain, nil).Body
	tells(
		t,
		gone,
		"It should be revoked, and still exists.",
		"Revoking it failed and is tried again",
		"(transient): The target did not answer in time.",
		"Writing is switched off for all systems: migration weekend.",
		"because it is over",
	)
	if writes := gone["provisioning"].(map[string]any); writes["writes"] != false || len(writes["tasks"].([]any)) != 1 {
		t.Errorf("provisioning is %v", writes)
	}
	p.Exec(`update access_grant set status = 'active', reappeared = true where id = $1`, grant)
	tells(
		t,
		p.Must(200, "admin", "GET", explain, nil).Body,
		"This access was revoked here and was granted again in the target system.",
	)
}

func TestWhyNotIsExplainedToo(t *testing.T) {
	p := openPair(t)
	ask := func() map[string]any {
		t.Helper()
		return p.Must(
			200,
			"admin",
			"GET",
			"/identities/"+p.person+"/access-explain?entitlement_id="+p.entitlement,
			nil,
		).Body
	}
	tells(t, ask(), "ann does not hold staff.", "No rule, role, request or order gives it.")
	p.Exec(`update account set status = 'deleted' where id = $1`, p.account)
	scheduled := p.reason(nil)
	tells(
		t,
		ask(),
		"ann should hold staff, and does not yet.",
		"there is no account in the system",
		"No change of the target is under way.",
	)
	p.task("create_account", "failed", "invalid", "Give them a department.", nil)
	tells(t, ask(), "Making the account failed (invalid): Give them a department.")
	p.end(scheduled)
	tells(t, ask(), "it ended on", "because it is over")
	p.reason(func(r *ledger.Reason) { r.Effect, r.Kind = ledger.Deny, ledger.Policy })
	denied := ask()
	tells(t, denied, "ann does not hold staff.", `The rule "Staff of the bank" denies it.`)
	if denied["grant"] != nil {
		t.Errorf("there is a grant %v", denied["grant"])
	}
}

func TestStoryIsForThoseWhoMaySeeTheGrant(t *testing.T) {
	p := openPair(t)
	grant := p.Grant(p.connector, p.account, p.entitlement)
	boss, owner, peer := p.Person("boss", ""), p.Person("owner", ""), p.Person("peer", "")
	p.Exec(`update identity set manager_id = $1 where id = $2`, boss, p.person)
	p.Exec(`update entitlement set owner_ids = array[$1]::uuid[] where id = $2`, owner, p.entitlement)
	p.Let("boss", p.Tenant.Tenant, boss, viewer.Manager)
	p.Let("owner", p.Tenant.Tenant, owner, viewer.ResourceOwner)
	p.Let("peer", p.Tenant.Tenant, peer, viewer.Manager)
	p.Let("self", p.Tenant.Tenant, p.person)
	of := func(entitlement string) string {
		return fmt.Sprintf("/identities/%s/access-explain?entitlement_id=%s", p.person, entitlement)
	}
	for _, who := range []string{"boss", "owner", "self", "admin"} {
		p.Must(200, who, "GET", grants+"/"+grant+"/explain", nil)
		p.Must(200, who, "GET", of(p.entitlement), nil)
	}
	p.Refused(404, "not_found", "peer", "GET", grants+"/"+grant+"/explain", nil)
	p.Refused(404, "not_found", "peer", "GET", of(p.entitlement), nil)
	// The owner sees ann by what she holds of theirs, and the other entitlement by what a report of theirs holds: not
	// the pair of both.
	report, other := p.Person("report", owner), p.Entitlement(p.connector, "secret")
	p.Grant(p.connector, p.Account(p.connector, "report", report), other)
	p.Grant(p.connector, p.account, other)
	p.Let("owner", p.Tenant.Tenant, owner, viewer.ResourceOwner, viewer.Manager)
	p.Refused(404, "not_found", "owner", "GET", of(other), nil)
	p.Must(200, "boss", "GET", of(other), nil)
}
