package approval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

// Without an identity provider that creates users, somebody decides only by a user of their own who can sign in.
func TestApproversWhoCannotSignInAreAbsent(t *testing.T) {
	h := open(t)
	h.Exec(`delete from identity_provider`)
	h.rule("Manager", askManager)
	user := func(sql string) {
		h.Exec(`delete from signin_link`)
		h.Exec(`delete from app_user where identity_id = $1`, h.lead)
		h.Exec(sql, h.lead)
	}
	const insert = `insert into app_user (tenant_id, id, email, identity_id, status) values (current_tenant(),
		gen_random_uuid(), `
	for _, tt := range []struct{ sql, code string }{
		{`select $1::uuid`, "no_user"},
		{insert + `'lead@other.example', $1, 'disabled')`, "user_disabled"},
		{insert + `'lead@other.example', $1, 'invited')`, "invitation_lapsed"},
		{insert + `'lead@example.com', null, 'active'), (current_tenant(), $1, 'x@other.example', null, 'active')`,
			"user_not_linked"},
	} {
		h.Exec(`delete from app_user where display_name = ''`)
		user(tt.sql)
		p := h.expect(h.subject(), "1 of administrators (fallback)")
		absent := p.Stages[0].Groups[0].Unavailable
		if len(absent) != 1 || absent[0].IdentityID != h.lead || absent[0].Code != tt.code || absent[0].Reason == "" {
			t.Errorf("unavailable: %+v; want lead with %s", absent, tt.code)
		}
	}
	h.Exec(`delete from app_user where display_name = ''`)
	user(insert + `'lead@other.example', $1, 'active')`)
	h.expect(h.subject(), "1 of lead")
}

// An identity provider that creates users at sign-in makes people with an address of its domains able to decide.
func TestPeopleOfAnIdentityProviderAreAble(t *testing.T) {
	h := open(t)
	h.rule("Manager", askManager)
	for domains, want := range map[string]string{"{}": "1 of lead", "{example.com}": "1 of lead",
		"{other.example}": "1 of administrators (fallback)"} {
		h.Exec(`update identity_provider set domains = $1::text::text[]`, domains)
		p := h.expect(h.subject(), want)
		if told := strings.Contains(logged(p), "creates one when they sign in"); told != (want == "1 of lead") {
			t.Errorf("%s: the log says %v that a user is created at sign-in", domains, told)
		}
	}
	h.Exec(`update identity_provider set domains = '{}', create_users = false`)
	h.expect(h.subject(), "1 of administrators (fallback)")
}

// A rule's warnings name the managers who cannot sign in, and why.
func TestWarningsNameApproversWhoCannotSignIn(t *testing.T) {
	h := open(t)
	h.Exec(`delete from identity_provider`)
	out := h.Must(
		201,
		"admin",
		"POST",
		"/approval-rules",
		map[string]any{
			"name":       "Manager",
			"applies_to": map[string]any{"default": true},
			"branches": []any{
				map[string]any{
					"outcome": map[string]any{"kind": "chain", "stages": []any{map[string]any{"name": "Manager",
						"groups": []any{map[string]any{"approvers": []any{map[string]any{"kind": "manager"}}}}}}},
				},
			},
		},
	)
	id, _ := out.Body["id"].(string)
	checked := h.Must(200, "admin", "GET", "/approval-rules/"+id, nil)
	said := ""
	for _, w := range checked.Body["warnings"].([]any) {
		said += w.(map[string]any)["detail"].(string)
	}
	if !strings.Contains(said, "lead cannot sign in: there is no user for them") {
		t.Errorf("warnings: %q; want the manager lead by name with the reason", said)
	}
}

// The coverage names the owners who cannot sign in, and says where the fallback decides.
func TestCoverageNamesApproversWhoCannotDecide(t *testing.T) {
	h := open(t)
	h.Exec(`delete from identity_provider`)
	h.User("boss", h.boss, "manager")
	h.Exec(`update entitlement set requestable = true, risk_level = 'high'`)
	h.Exec(`update role set requestable = true`)
	h.rule("Owner", `[{"outcome":{"kind":"chain","stages":[{"name":"Owner",`+
		`"groups":[{"approvers":[{"kind":"resource_owner"}],"mode":"any"}]}]}}]`)
	gaps := func(query string) map[string]string {
		out := map[string]string{}
		for _, g := range h.Must(200, "auditor", "GET", "/approval-rules/coverage"+query, nil).Items() {
			said := ""
			for _, p := range g["unavailable"].([]any) {
				p := p.(map[string]any)
				said += fmt.Sprint(p["display"], " ", p["code"], " ")
			}
			out[g["display"].(string)] = fmt.Sprint(said, g["fallback"])
		}
		return out
	}
	for _, query := range []string{"", "?gap=no_rule", "?gap=unavailable"} {
		if got := gaps(query); got["ledger"] != "olga no_user true" || got["clerk"] != "olga no_user true" {
			t.Errorf("%s: %v; want the owner olga by name, and the fallback", query, got)
		}
	}
	h.Exec(`update entitlement set backup_owner_ids = array[$1::uuid]`, h.boss)
	if got := gaps("?gap=unavailable&type=entitlement"); len(got) != 1 || got["ledger"] != "olga no_user false" {
		t.Errorf("with a backup owner who can sign in: %v", got)
	}
	h.delegate(h.olga, h.boss)
	if got := gaps("?gap=unavailable"); len(got) != 0 {
		t.Errorf("with a delegate who can sign in: %v; want no gaps", got)
	}
	h.Exec(`update decision_delegation set state = 'revoked'`)
	h.User("olga", h.olga, "resource_owner")
	h.Exec(`update app_user set status = 'disabled' where identity_id = $1`, h.boss)
	if got := gaps("?gap=unavailable"); fmt.Sprint(got) != "map[ledger:boss user_disabled false]" {
		t.Errorf("with a disabled backup owner: %v", got)
	}
	if got := gaps(""); got["clerk"] != "false" || len(got) != 2 {
		t.Errorf("without a rule of their own: %v; want both items, and no one absent for the role", got)
	}
}

// A manager who asks for a report has agreed by asking. Nobody else's step counts so, and nobody agrees to their own
// request for themselves.
func TestManagersAgreeByRequesting(t *testing.T) {
	h := open(t)
	h.rule("Manager, then owner", `[{"outcome":{"kind":"chain","stages":[
		{"name":"Manager","groups":[{"approvers":[{"kind":"manager"}],"mode":"any"}]},
		{"name":"Owner","groups":[{"approvers":[{"kind":"resource_owner"}],"mode":"any"}]}]}}]`)
	by := func(requester, beneficiary string) approval.Subject {
		return h.subject(func(s *approval.Subject) { s.RequesterID, s.BeneficiaryID = requester, beneficiary })
	}
	if p := h.expect(
		by(h.lead, h.ada),
		"1 of lead | 1 of olga",
	); !p.Stages[0].Groups[0].Slots[0].Agreed ||
		p.Stages[1].Groups[0].Slots[0].Agreed {
		t.Errorf("lead asks for ada: %+v; want the manager's step agreed and no other", p.Stages)
	}
	if p := h.expect(by(h.lead, h.lead), "1 of boss | 1 of olga"); p.Stages[0].Groups[0].Slots[0].Agreed {
		t.Error("a request for oneself counts as agreed")
	}
	token := by(h.lead, h.ada)
	token.ForAnother = true
	if p := h.expect(token, "1 of administrators (fallback) | 1 of olga"); p.Stages[0].Groups[0].Slots[0].Agreed {
		t.Error("a request by the token of another person counts as agreed by the manager")
	}
	h.Exec(`update entitlement set owner_ids = array[$1::uuid]`, h.lead)
	h.expect(by(h.lead, h.ada), "1 of lead | 1 of administrators (fallback)")
}

func logged(p approval.Plan) string {
	var all []string
	for _, s := range p.Log {
		all = append(all, s.Detail)
	}
	return strings.Join(all, "\n")
}

const askManager = `[{"outcome":{"kind":"chain","stages":[{"name":"Manager",` +
	`"groups":[{"approvers":[{"kind":"manager"}],"mode":"any"}]}]}}]`

// rule stores a rule for everything.
func (h *house) rule(name, branches string) {
	h.T.Helper()
	h.Exec(`insert into approval_rule (tenant_id, id, name, applies_to, branches)
		values (current_tenant(), $1, $2, '{"default": true}', $3::text::jsonb)`, uuid.Must(uuid.NewV7()).String(),
		name, branches)
}
