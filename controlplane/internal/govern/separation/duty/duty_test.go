package duty_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// house is a tenant with one system and two groups in it.
type house struct {
	*recordtest.House
	bank, pay, audit string
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{House: recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&separation.Service{DB: db, Cursors: cursors}).Routes()
	})}
	h.bank = newID()
	h.Exec(`insert into connector (tenant_id, id, business_id, name, type)
		values (current_tenant(), $1, 'bank', 'Bank', 'ldap')`, h.bank)
	h.pay, h.audit = h.Entitlement(h.bank, "PAY-RUN"), h.Entitlement(h.bank, "AUDIT")
	return h
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

type object = map[string]any

// body is that of a duty, with a group for each list of members.
func body(name string, groups ...[]object) object {
	list := []object{}
	for _, g := range groups {
		list = append(list, object{"members": g})
	}
	return object{"name": name, "all_of": list}
}

func entitlement(id string) object { return object{"kind": "entitlement", "entitlement_id": id} }

func (h *house) make(b object) string {
	h.T.Helper()
	return h.Must(201, "admin", "POST", "/policies/duties", b).Text("id")
}

// members are the members of a duty's first group.
func members(a recordtest.Answer) (list []object) {
	for _, m := range a.Body["all_of"].([]any)[0].(object)["members"].([]any) {
		list = append(list, m.(object))
	}
	return list
}

func TestADutyKeepsAllOfItsVersions(t *testing.T) {
	h := open(t)
	ann := h.Person("ann", "")
	b := body(
		"Pay",
		[]object{entitlement(h.pay), {"kind": "external", "connector_id": h.bank, "external_id": "PAY-ALL"}},
	)
	b["process"], b["owner_ids"] = "Purchase to pay", []string{ann}
	made := h.Must(201, "admin", "POST", "/policies/duties", b)
	id := made.Text("id")
	if made.Header.Get("Location") != "/api/v1/policies/duties/"+id || made.Body["blind"] != false ||
		made.Body["member_count"] != 2.0 || made.Body["entitlement_count"] != 1.0 {
		t.Errorf("made %v", made.Body)
	}
	first, second := members(made)[0], members(made)[1]
	if first["connector_name"] != "Bank" || second["connector_name"] != "Bank" {
		t.Errorf("the members are of the connectors %v and %v; want Bank", first["connector_name"],
			second["connector_name"])
	}
	if first["name"] != "PAY-RUN" || first["entitlement_count"] != 1.0 || second["entitlement_count"] != 0.0 {
		t.Errorf("members %v and %v", first, second)
	}
	// A client may send back what it has read, with the names.
	changed := h.Must(200, "admin", "PATCH", "/policies/duties/"+id,
		object{"all_of": made.Body["all_of"], "description": "Runs payments"}, "If-Match", made.Header.Get("ETag"))
	if changed.Body["version"] != 2.0 || len(members(changed)) != 2 {
		t.Errorf("changed %v", changed.Body)
	}
	same := h.Must(200, "admin", "PATCH", "/policies/duties/"+id, object{"all_of": made.Body["all_of"]})
	if same.Body["version"] != 2.0 {
		t.Errorf("nothing has changed, and the version is %v", same.Body["version"])
	}
	h.Refused(412, "precondition_failed", "admin", "PATCH", "/policies/duties/"+id, object{"name": "Other"},
		"If-Match", made.Header.Get("ETag"))
	versions := h.Must(200, "admin", "GET", "/policies/duties/"+id+"/versions", nil).Items()
	if len(versions) != 2 || versions[0]["content"].(object)["description"] != "Runs payments" ||
		versions[1]["content"].(object)["description"] != "" {
		t.Errorf("versions %v", versions)
	}
	if got := h.Strings(`select action from audit_event where subject_id = $1 order by seq`, id); !slices.Equal(got,
		[]string{"duty.created", "duty.updated"}) {
		t.Errorf("audited %v", got)
	}
}

func TestDutiesThatCannotBeAreRefused(t *testing.T) {
	h := open(t)
	h.make(body("Taken", []object{entitlement(h.pay)}))
	nobody := newID()
	many := make([]object, 2001)
	for i := range many {
		many[i] = object{"kind": "external", "connector_id": h.bank, "external_id": fmt.Sprint(i)}
	}
	for name, tt := range map[string]struct {
		body          object
		status        int
		code, pointer string
	}{
		"no name":            {body(" ", []object{entitlement(h.pay)}), 422, "validation_failed", "#/name"},
		"name taken":         {body("TAKEN", []object{entitlement(h.pay)}), 409, "duplicate_name", "#/name"},
		"no groups":          {body("x"), 422, "validation_failed", "#/all_of"},
		"empty group":        {body("x", []object{entitlement(h.pay)}, []object{}), 422, "validation_failed", "#/all_of/1/members"},
		"unknown":            {body("x", []object{entitlement(nobody)}), 422, "validation_failed", "#/all_of/0/members/0/entitlement_id"},
		"unknown role":       {body("x", []object{{"kind": "role", "role_id": nobody}}), 422, "validation_failed", "#/all_of/0/members/0/role_id"},
		"unknown system":     {body("x", []object{{"kind": "external", "connector_id": nobody, "external_id": "a"}}), 422, "validation_failed", "#/all_of/0/members/0/connector_id"},
		"no tag":             {body("x", []object{{"kind": "duty_tag", "duty_tag": " "}}), 422, "validation_failed", "#/all_of/0/members/0/duty_tag"},
		"of two kinds":       {body("x", []object{{"kind": "duty_tag", "duty_tag": "a", "role_id": nobody}}), 422, "validation_failed", "#/all_of/0/members/0/role_id"},
		"a duty in a duty":   {body("x", []object{{"kind": "duty", "duty_id": nobody}}), 422, "unknown_field", "#/all_of/0/members/0/kind"},
		"twice":              {body("x", []object{entitlement(h.pay), entitlement(strings.ToUpper(h.pay))}), 422, "validation_failed", "#/all_of/0/members/1"},
		"too many in groups": {body("x", many[:1100], many[:1100]), 422, "validation_failed", "#/all_of"},
		"too many":           {body("x", many), 422, "validation_failed", "#/all_of/0/members"},
		"unknown owner": {object{"name": "x", "all_of": []object{{"members": []object{entitlement(h.pay)}}}, "owner_ids": []string{nobody}},
			422, "validation_failed", "#/owner_ids"},
	} {
		a := h.Call("admin", "POST", "/policies/duties", tt.body)
		if a.Status != tt.status || a.Text("code") != tt.code || !slices.Contains(pointers(a), tt.pointer) {
			t.Errorf(
				"%s: %d %s at %v; want %d %s at %s",
				name,
				a.Status,
				a.Text("code"),
				pointers(a),
				tt.status,
				tt.code,
				tt.pointer,
			)
		}
	}
	if n := h.Count(`select count(*) from duty`); n != 1 {
		t.Errorf("%d duties; want the one that was made", n)
	}
}

func pointers(a recordtest.Answer) (list []string) {
	errs, _ := a.Body["errors"].([]any)
	for _, e := range errs {
		p, _ := e.(object)["pointer"].(string)
		list = append(list, p)
	}
	return list
}

func TestAMemberThatIsGoneMayStay(t *testing.T) {
	h := open(t)
	id := h.make(body("Pay", []object{entitlement(h.pay), entitlement(h.audit)}))
	h.Exec(`update entitlement set removed_at = now() where id = $1`, h.pay)
	h.Exec(`delete from entitlement where id = $1`, h.audit)
	a := h.Must(200, "admin", "GET", "/policies/duties/"+id, nil)
	if a.Body["blind"] != true || a.Body["entitlement_count"] != 0.0 || a.Body["member_count"] != 2.0 {
		t.Errorf("a duty without anything left: %v", a.Body)
	}
	h.Must(200, "admin", "PATCH", "/policies/duties/"+id, object{"name": "Pay at once"})
	h.Must(200, "admin", "PATCH", "/policies/duties/"+id, object{"all_of": []object{{"members": []object{
		entitlement(h.audit), {"kind": "duty_tag", "duty_tag": "payments"}}}}})
	h.Exec(`update entitlement set removed_at = null, duty_tags = '{payments}' where id = $1`, h.pay)
	if a = h.Must(200, "admin", "GET", "/policies/duties/"+id, nil); a.Body["blind"] != false {
		t.Errorf("a tag has given the duty an entitlement, and it is blind: %v", a.Body)
	}
}

func TestADutyInUseCannotBeDeleted(t *testing.T) {
	h := open(t)
	pay, audit := h.make(
		body("Pay", []object{entitlement(h.pay)}),
	), h.make(
		body("Audit", []object{entitlement(h.audit)}),
	)
	policy := h.Must(201, "admin", "POST", "/policies/separation-of-duties", object{"name": "Pay and audit", "kind": "pair",
		"sides": []object{{"duty_ids": []string{pay}}, {"duty_ids": []string{audit}}}}).
		Text("id")
	a := h.Refused(409, "duty_in_use", "admin", "DELETE", "/policies/duties/"+pay, nil)
	if !strings.Contains(a.Text("detail"), `"Pay and audit"`) {
		t.Errorf("refused with %q; want the name of the policy", a.Text("detail"))
	}
	if got := h.Must(200, "admin", "GET", "/policies/duties/"+pay, nil); got.Body["policy_count"] != 1.0 {
		t.Errorf("policy_count %v; want 1", got.Body["policy_count"])
	}
	h.Must(204, "admin", "DELETE", "/policies/separation-of-duties/"+policy, nil)
	h.Must(204, "admin", "DELETE", "/policies/duties/"+pay, nil)
	h.Refused(404, "not_found", "admin", "GET", "/policies/duties/"+pay, nil)
	h.make(body("pay", []object{entitlement(h.pay)})) // the name is free again
}

func TestDutiesAreListedByFilters(t *testing.T) {
	h := open(t)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("manager", h.Tenant.Tenant, "", viewer.Manager)
	pay := body("Pay", []object{entitlement(h.pay)}, []object{{"kind": "duty_tag", "duty_tag": "company-1000"}})
	pay["process"] = "Purchase to pay"
	payID := h.make(pay)
	audit := h.make(body("Audit", []object{entitlement(h.audit)}))
	all := h.make(body("Everything", []object{{"kind": "connector", "connector_id": h.bank}}))
	h.Must(201, "admin", "POST", "/policies/separation-of-duties", object{"name": "x", "kind": "pair",
		"sides": []object{{"duty_ids": []string{audit}}, {"duty_ids": []string{all}}}})
	for query, want := range map[string]string{
		"":                                    "[Audit Everything Pay]",
		"?sort=-created_at":                   "[Everything Audit Pay]",
		"?process=purchase%20TO%20pay":        "[Pay]",
		"?q=every":                            "[Everything]",
		"?blind=true":                         "[Pay]",
		"?blind=false":                        "[Audit Everything]",
		"?used=false":                         "[Pay]",
		"?entitlement_id=" + h.audit:          "[Audit Everything]",
		"?owner_id=" + newID():                "[]",
		"?blind=true&entitlement_id=" + h.pay: "[Pay]",
	} {
		a := h.Must(200, "auditor", "GET", "/policies/duties"+query, nil)
		if got := fmt.Sprint(a.Values("name")); got != want || int(a.Body["total"].(float64)) != len(a.Items()) {
			t.Errorf("%s: %s of %v; want %s", query, got, a.Body["total"], want)
		}
	}
	page := h.Must(200, "admin", "GET", "/policies/duties?limit=2", nil)
	next := h.Must(200, "admin", "GET", "/policies/duties?limit=2&cursor="+page.Text("next_cursor"), nil)
	if fmt.Sprint(page.Values("name"), next.Values("name")) != "[Audit Everything] [Pay]" {
		t.Errorf("pages %v and %v", page.Values("name"), next.Values("name"))
	}
	h.Refused(403, "forbidden", "manager", "GET", "/policies/duties", nil)
	h.Refused(403, "read_only_role", "auditor", "PATCH", "/policies/duties/"+payID, object{"name": "y"})
}

// TestDutiesOfAnEntitlementAreThoseWithItAmongTheirMembers compares the filter by an entitlement with all members of all
// duties: members of every kind, roles within roles, and roles that give no access.
func TestDutiesOfAnEntitlementAreThoseWithItAmongTheirMembers(t *testing.T) {
	h := open(t)
	inner, outer, draft := h.role("Inner", "active"), h.role("Outer", "active"), h.role("Draft", "draft")
	h.Exec(`insert into role_entitlement (tenant_id, role_id, entitlement_id)
		values (current_tenant(), $1, $3), (current_tenant(), $2, $3)`, inner, draft, h.pay)
	h.Exec(`insert into role_child (tenant_id, role_id, child_id) values (current_tenant(), $1, $2)`, outer, inner)
	h.Exec(`update role set duty_tags = '{paying}' where id = $1`, outer)
	h.Exec(`update entitlement set duty_tags = '{money}' where id = $1`, h.pay)
	for name, member := range map[string]object{
		"by entitlement": entitlement(h.pay),
		"by connector":   {"kind": "connector", "connector_id": h.bank},
		"by tag":         {"kind": "duty_tag", "duty_tag": "money"},
		"by role":        {"kind": "role", "role_id": outer},
		"by role's tag":  {"kind": "duty_tag", "duty_tag": "paying"},
		"by draft role":  {"kind": "role", "role_id": draft},
		"by another":     entitlement(h.audit),
	} {
		h.make(body(name, []object{member}))
	}
	for _, id := range []string{h.pay, h.audit} {
		want := h.Strings(`select distinct d.name from duty_entitlements() x join duty d on d.id = x.duty_id
			where x.entitlement_id = $1 order by 1`, id)
		got := h.Must(200, "admin", "GET", "/policies/duties?entitlement_id="+id, nil).Values("name")
		if fmt.Sprint(got) != fmt.Sprint(want) || len(want) < 2 {
			t.Errorf("the filter gives %v; want %v", got, want)
		}
	}
}

// role makes a role without contents.
func (h *house) role(name, lifecycle string) string {
	h.T.Helper()
	id := newID()
	h.Exec(`insert into role (tenant_id, id, key, name, lifecycle)
		values (current_tenant(), $1, lower($2), $2, $3)`, id, name, lifecycle)
	return id
}
