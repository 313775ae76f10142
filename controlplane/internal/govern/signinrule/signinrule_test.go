package signinrule_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/govern/signinrule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/user"
)

type object = map[string]any

// house is a tenant with rules and users. Links are noted instead of mailed.
type house struct {
	*recordtest.House
	rules   *signinrule.Service
	invited map[string]int // by the user's address
}

// noSignIn stands for how users sign in.
type noSignIn struct{ ended []string }

func (*noSignIn) IssueSignInLink(context.Context, *pg.Tx, string) (string, error) { return "", nil }
func (*noSignIn) WithdrawLinks(context.Context, *pg.Tx, string) error             { return nil }
func (*noSignIn) Forget(string, string)                                           {}

func (*noSignIn) EndSessions(context.Context, *pg.Tx, string, string) (int64, error) { return 0, nil }

func (*noSignIn) IssueSignInLinks(_ context.Context, _ *pg.Tx, ids []string, _ time.Duration) (
	map[string]string, error,
) {
	out := map[string]string{}
	for _, id := range ids {
		out[id] = "token of " + id
	}
	return out, nil
}

func (n *noSignIn) EndUsers(_ context.Context, _ *pg.Tx, ids []string, _ string) error {
	n.ended = append(n.ended, ids...)
	return nil
}

func open(t *testing.T) *house {
	t.Helper()
	h := &house{invited: map[string]int{}}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		users := &user.Service{DB: db, SignIn: &noSignIn{}, Cursors: cursors, Now: time.Now}
		users.InvitedByRule = func(ctx context.Context, tx *pg.Tx, tokens map[string]string) error {
			for id := range tokens {
				u, err := user.Find(ctx, tx, id)
				if err != nil {
					return err
				}
				h.invited[u.Email]++
			}
			return nil
		}
		h.rules = &signinrule.Service{DB: db, Cursors: cursors, Users: users, Now: time.Now}
		return append(h.rules.Routes(), users.Routes()...)
	})
	h.Administer(`update deployment set mail = true`)
	return h
}

// settle does all work that is due.
func (h *house) settle() {
	h.T.Helper()
	q := queue.Queue{DB: h.DB, Log: slog.New(slog.DiscardHandler), Kinds: h.rules.Kinds()}
	for {
		n, err := q.Pass(context.Background(), h.Tenant.Tenant)
		if err != nil {
			h.T.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// person adds somebody with an address.
func (h *house) person(name, manager string) string {
	h.T.Helper()
	id := h.Person(name, manager)
	h.Exec(`update identity set email = $2 || '@acme.example' where id = $1`, id, name)
	return id
}

func (h *house) rule(fields object) object {
	h.T.Helper()
	body := object{"name": "Managers", "responsible_for": []string{"people"}, "roles": []string{"manager"},
		"invitation": "mail", "enabled": true}
	for k, v := range fields {
		body[k] = v
	}
	return h.Must(201, "admin", "POST", "/settings/sign-in-rules", body).Body
}

// users are all users that exist, with status, roles and who made them.
func (h *house) users() []string {
	h.T.Helper()
	return h.Strings(`select email || ' ' || status || ' ' || array_to_string(roles, '+') ||
		       case when by_rule then ' by rule' else '' end
		from app_user where email like '%@acme.example' order by 1`)
}

func (h *house) want(when string, want ...string) {
	h.T.Helper()
	h.settle()
	if diff := cmp.Diff(want, h.users()); diff != "" {
		h.T.Errorf("%s: %s", when, diff)
	}
}

// Managers get a user and a link when they come to manage somebody, lose it when they do not, and get it again. Leaving
// ends it. Users that somebody made by hand stay as they are.
func TestManagersHaveSignInAsLongAsTheyManage(t *testing.T) {
	h := open(t)
	boss := h.person("boss", "")
	ann := h.person("ann", boss)
	hand := h.person("hand", "")
	h.person("report", hand)
	h.Exec(`insert into app_user (tenant_id, id, email, identity_id, status)
		values (current_tenant(), gen_random_uuid(), 'hand@acme.example', $1, 'active')`, hand)
	id := h.rule(nil)["id"].(string)
	byHand := "hand@acme.example active "
	h.want("after the rule", "boss@acme.example invited manager by rule", byHand)
	h.want("once more", "boss@acme.example invited manager by rule", byHand)
	if diff := cmp.Diff(map[string]int{"boss@acme.example": 1}, h.invited); diff != "" {
		t.Errorf("links: %s", diff)
	}
	h.Exec(`update identity set manager_id = $2 where id = $1`, h.person("cora", ""), ann)
	h.want(
		"a new manager",
		"ann@acme.example invited manager by rule", "boss@acme.example invited manager by rule", byHand,
	)
	h.Exec(`update app_user set status = 'active', last_login_at = now() where email = 'ann@acme.example'`)
	h.Exec(`update identity set manager_id = null where external_id = 'cora'`)
	h.want("who manages nobody", "ann@acme.example disabled manager by rule",
		"boss@acme.example invited manager by rule", byHand)
	h.Exec(`update identity set manager_id = $1 where external_id = 'cora'`, ann)
	h.want("who manages again", "ann@acme.example active manager by rule",
		"boss@acme.example invited manager by rule", byHand)
	if h.invited["ann@acme.example"] != 1 {
		t.Errorf("ann was sent %d links; want 1, as she had signed in", h.invited["ann@acme.example"])
	}
	h.Exec(`update identity set status = 'deactivated' where id in ($1, $2)`, boss, hand)
	h.want("who left", "ann@acme.example active manager by rule", "boss@acme.example disabled manager by rule", byHand)
	h.Must(200, "admin", "PATCH", "/settings/sign-in-rules/"+id, object{"roles": []string{"auditor"}})
	h.want(
		"other roles",
		"ann@acme.example active auditor by rule", "boss@acme.example disabled manager by rule", byHand,
	)
	h.Must(200, "admin", "PATCH", "/settings/sign-in-rules/"+id, object{"enabled": false})
	h.want("a rule that is off", "ann@acme.example disabled auditor by rule",
		"boss@acme.example disabled manager by rule", byHand)
}

// What an administrator decides about a user of a rule stays.
func TestRulesLeaveWhatAdministratorsDecided(t *testing.T) {
	h := open(t)
	boss := h.person("boss", "")
	ann := h.person("ann", boss)
	id := h.rule(nil)["id"].(string)
	h.want("after the rule", "boss@acme.example invited manager by rule")
	of := h.Strings(`select id::text from app_user where identity_id = $1`, boss)[0]
	h.Must(200, "admin", "PATCH", "/settings/users/"+of, object{"enabled": false})
	h.Exec(`update identity set title = 'x' where id = $1`, boss)
	h.want("disabled by hand", "boss@acme.example disabled manager by rule")
	h.Must(
		200,
		"admin",
		"PATCH",
		"/settings/users/"+of,
		object{"enabled": true, "roles": []string{"manager", "auditor"}},
	)
	h.Exec(`update identity set manager_id = null where id = $1`, ann)
	h.want("enabled by hand", "boss@acme.example invited auditor+manager")
	h.Must(204, "admin", "DELETE", "/settings/sign-in-rules/"+id, nil)
	h.want("without the rule", "boss@acme.example invited auditor+manager")
}

// A rule that would take sign-in from too many is held: nobody but leavers loses it until an administrator accepts.
func TestARuleThatTakesFromTooManyIsHeld(t *testing.T) {
	h := open(t)
	for i := range 20 {
		h.person(fmt.Sprintf("m%02d", i), "")
	}
	h.Exec(`update identity set department = 'Sales'`)
	all := object{"responsible_for": []string{}, "condition": object{"match": "all", "rules": []any{
		object{"field": "department", "op": "eq", "value": "Sales"}}}}
	id := h.rule(all)["id"].(string)
	h.settle()
	active := func() int { return h.Count(`select count(*) from app_user where by_rule and status <> 'disabled'`) }
	if n := active(); n != 20 {
		t.Fatalf("%d users; want 20", n)
	}
	preview := h.Must(200, "admin", "POST", "/settings/sign-in-rules/preview", object{"rule_id": id, "rule": object{
		"name": "x", "invitation": "mail", "condition": object{"field": "department", "op": "eq", "value": "HR"}}}).Body
	if preview["lost"] != 20.0 || preview["held"] != true || preview["limit"] != 5.0 || active() != 20 {
		t.Errorf("preview: %v; want 20 lost, held by a limit of 5, and nothing changed", preview)
	}
	h.Exec(`update identity set department = 'HR' where external_id < 'm03'`)
	h.settle()
	if n := active(); n != 17 {
		t.Errorf("%d users; want 17, three fewer as the limit allows", n)
	}
	h.Exec(`update identity set department = 'HR' where external_id < 'm10'`)
	h.Exec(`update identity set status = 'deactivated' where external_id = 'm19'`)
	h.settle()
	held := h.Must(200, "admin", "GET", "/settings/sign-in-rules?held=true", nil).Items()
	if n := active(); n != 16 || len(held) != 1 || held[0]["held_people"] != 10.0 {
		t.Errorf("%d users, held: %v; want 16 after one left, and the rule held for 10", n, held)
	}
	got := h.Must(200, "admin", "POST", "/settings/sign-in-rules/"+id+"/accept", nil).Body
	if n := active(); n != 9 || got["held_at"] != nil || got["people"] != 9.0 {
		t.Errorf("%d users after accept: %v; want 9", n, got)
	}
	h.Refused(409, "not_held", "admin", "POST", "/settings/sign-in-rules/"+id+"/accept", nil)
}

// The preview counts what would happen to users, and changes nothing.
func TestThePreviewCountsEffects(t *testing.T) {
	h := open(t)
	boss, hand, mute := h.person("boss", ""), h.person("hand", ""), h.Person("mute", "")
	for i, m := range []string{boss, hand, mute} {
		h.person(fmt.Sprintf("r%d", i), m)
	}
	h.Exec(`update identity set email = null where id = $1`, mute)
	h.Exec(`insert into app_user (tenant_id, id, email, identity_id, status)
		values (current_tenant(), gen_random_uuid(), 'hand@acme.example', $1, 'active')`, hand)
	owner := h.person("owner", "")
	connector := h.Strings(`insert into connector (tenant_id, id, business_id, name, type, status)
		values (current_tenant(), gen_random_uuid(), 'crm', 'crm', 'ldap', 'active') returning id::text`)[0]
	h.Entitlement(connector, "group", owner)
	for invitation, effect := range map[string]string{"mail": "invited", "single_sign_on": "at_first_sign_in"} {
		p := h.Must(200, "admin", "POST", "/settings/sign-in-rules/preview", object{"rule": object{
			"name": "x", "responsible_for": []string{"access", "people"}, "invitation": invitation}}).Body
		want := []any{object{"effect": "has_user", "count": 1.0}, object{"effect": effect, "count": 2.0},
			object{"effect": "no_email", "count": 1.0}}
		if effect == "at_first_sign_in" { // effects are in alphabetical order
			want[0], want[1] = want[1], want[0]
		}
		if diff := cmp.Diff(want, p["effects"]); diff != "" {
			t.Errorf("%s: %s", invitation, diff)
		}
		if p["sentence"] != "everyone who manages people or owns access" || p["people"] != 4.0 || p["gained"] != 4.0 ||
			len(p["items"].([]any)) != 4 {
			t.Errorf("%s: %v", invitation, p)
		}
	}
	if n := h.Count(`select count(*) from app_user`); n != 1 {
		t.Errorf("%d users after a preview; want 1", n)
	}
}

// Who gets sign-in by single sign-on can decide before there is a user.
func TestPeopleOfASingleSignOnRuleCanDecide(t *testing.T) {
	h := open(t)
	boss := h.person("boss", "")
	h.person("ann", boss)
	body := object{
		"name":            "SSO",
		"responsible_for": []string{"people"},
		"invitation":      "single_sign_on",
		"enabled":         true,
	}
	h.Refused(409, "no_identity_provider", "admin", "POST", "/settings/sign-in-rules", body)
	h.Exec(`insert into identity_provider (tenant_id, id, name, issuer, client_id, scopes, domains)
		values (current_tenant(), gen_random_uuid(), 'corp', 'https://id.example', 'us', '{openid}', '{acme.example}')`)
	unable := func() []string {
		return h.Strings(
			`select unable_to_decide($1) || ' ' || (select count(*) from approvers_without_sign_in())`,
			boss,
		)
	}
	before := unable()
	h.Must(201, "admin", "POST", "/settings/sign-in-rules", body)
	h.settle()
	if diff := cmp.Diff([]string{"no_user 1", " 0"}, append(before, unable()...)); diff != "" {
		t.Errorf("who cannot decide before and after the rule: %s", diff)
	}
	if users := h.users(); len(users) != 0 {
		t.Errorf("users before the first sign-in: %v", users)
	}
}

func TestBadRulesAreRefused(t *testing.T) {
	h := open(t)
	for code, fields := range map[string]object{
		"unknown_field":       {"condition": object{"field": "departmnt", "op": "eq", "value": "x"}},
		"access_in_condition": {"condition": object{"field": "roles", "op": "has_role", "value": "x"}},
		"required":            {"name": "   "},
	} {
		body := object{"name": "x", "invitation": "mail"}
		for k, v := range fields {
			body[k] = v
		}
		a := h.Call("admin", "POST", "/settings/sign-in-rules", body)
		if errs, _ := a.Body["errors"].([]any); a.Status != 422 || len(errs) == 0 {
			t.Errorf("%s: %d %v; want 422 with the place", code, a.Status, a.Body)
		}
	}
	h.rule(nil)
	h.Refused(409, "duplicate_name", "admin", "POST", "/settings/sign-in-rules",
		object{"name": "Managers", "invitation": "mail"})
	h.Administer(`update deployment set mail = false`)
	h.Refused(409, "mail_off", "admin", "POST", "/settings/sign-in-rules",
		object{"name": "Other", "invitation": "mail", "enabled": true})
}
