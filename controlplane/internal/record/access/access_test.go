package access_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

const ldap = "0197a000-0000-7000-8000-000000000001"

func open(t testing.TB) *recordtest.House {
	t.Helper()
	return recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		people := &directory.Service{DB: db, Cursors: cursors, Now: time.Now}
		held := &access.Service{DB: db, Cursors: cursors, Now: time.Now}
		return append(people.Routes(), held.Routes()...)
	})
}

func expand(t *testing.T, h *recordtest.House) nesting.Inherited {
	t.Helper()
	ctx := context.Background()
	var n nesting.Inherited
	err := h.DB.AsBulk(ctx, h.Tenant, func(tx *pg.Tx) (err error) {
		n, err = nesting.Expand(ctx, tx, ldap)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNestedGroupsWithACycleGiveInheritedGrantsWithAllTheirPaths(t *testing.T) {
	h := open(t)
	ada := h.Person("ada", "")
	account := h.Account(ldap, "ada", ada)
	staff, sales, emea, crm := h.Entitlement(
		ldap,
		"staff",
	), h.Entitlement(
		ldap,
		"sales",
	), h.Entitlement(
		ldap,
		"emea",
	), h.Entitlement(
		ldap,
		"crm",
	)
	h.Grant(ldap, account, sales)
	h.Grant(ldap, account, emea)
	// sales, staff and emea go in a circle
	for _, edge := range [][2]string{{sales, staff}, {emea, sales}, {staff, emea}, {staff, crm}} {
		h.Nest(ldap, edge[0], edge[1])
	}
	if diff := cmp.Diff(nesting.Inherited{Added: 2}, expand(t, h)); diff != "" {
		t.Fatalf("first expansion: -want +got\n%s", diff)
	}
	if again := expand(t, h); again != (nesting.Inherited{}) {
		t.Errorf("second expansion changed %+v; want nothing", again)
	}
	list := h.Must(200, "admin", "GET", "/entitlements/grants?entitlement_id="+crm+"&expand=paths", nil)
	if len(list.Items()) != 1 {
		t.Fatalf("got %v; want one grant of crm", list.Body)
	}
	item := list.Items()[0]
	want := []any{path(sales, staff, crm), path(emea, sales, staff, crm)}
	if diff := cmp.Diff(want, unnamed(t, item["paths"])); diff != "" {
		t.Errorf("paths: -want +got\n%s", diff)
	}
	id, _ := item["id"].(string)
	single := h.Must(200, "admin", "GET", "/entitlements/grants/"+id, nil)
	unnamed(t, single.Body["paths"])
	if diff := cmp.Diff(item, single.Body); diff != "" {
		t.Errorf("the single read differs from the list: -list +single\n%s", diff)
	}
	if single.Text("directness") != "inherited" || single.Header.Get("ETag") != `"1"` {
		t.Errorf("got %v %v", single.Body["directness"], single.Header)
	}
	if diff := cmp.Diff(map[string]any{"id": ada, "display": "ada"}, single.Body["identity"]); diff != "" {
		t.Errorf("identity: -want +got\n%s", diff)
	}
	direct := h.Must(200, "admin", "GET", "/identities/"+ada+"/grants?directness=direct&expand=paths", nil)
	if direct.Body["total"] != 2.0 {
		t.Errorf("direct grants: %v; want 2", direct.Body["total"])
	}
}

func path(ids ...any) map[string]any {
	return map[string]any{"entitlement_ids": ids, "kind": "nested"}
}

func TestInheritedGrantsFollowTheNesting(t *testing.T) {
	h := open(t)
	account := h.Account(ldap, "ada", h.Person("ada", ""))
	inner, outer := h.Entitlement(ldap, "inner"), h.Entitlement(ldap, "outer")
	grant := h.Grant(ldap, account, inner)
	if n := expand(t, h); n != (nesting.Inherited{}) {
		t.Errorf("without nesting: %+v; want nothing", n)
	}
	h.Nest(ldap, inner, outer)
	expand(t, h)
	h.Exec(`update access_grant set directness = 'direct' where entitlement_id = $1`, outer)
	if n := expand(t, h); n != (nesting.Inherited{}) {
		t.Errorf("a pair that is both: %+v; want it to stay direct", n)
	}
	h.Exec(`update access_grant set status = 'revoked' where entitlement_id = $1`, outer)
	if n := expand(
		t,
		h,
	); n.Added != 1 ||
		h.Count(
			`select count(*) from access_grant where entitlement_id = $1 and directness = 'inherited'
				and status = 'active'`,
			outer,
		) != 1 {
		t.Errorf("revoked directly, still nested: %+v; want it inherited", n)
	}
	h.Exec(`update access_grant set status = 'missing' where id = $1`, grant)
	if n := expand(t, h); n != (nesting.Inherited{}) {
		t.Errorf("the direct grant is missing once: %+v; want nothing removed before that is proven", n)
	}
	h.Exec(`update access_grant set status = 'revoked' where id = $1`, grant)
	if n := expand(
		t,
		h,
	); n.Removed != 1 ||
		h.Count(`select count(*) from access_grant where directness = 'inherited'`) != 0 {
		t.Errorf("the direct grant is gone: %+v; want the inherited one removed", n)
	}
}

func TestAnEntitlementShowsItsCountsMembersAndNesting(t *testing.T) {
	h := open(t)
	inner, outer := h.Entitlement(ldap, "inner"), h.Entitlement(ldap, "outer")
	h.Nest(ldap, inner, outer)
	for _, name := range []string{"a", "b", "c"} {
		h.Grant(ldap, h.Account(ldap, name, h.Person(name, "")), inner)
	}
	h.Grant(ldap, h.Account(ldap, "d", ""), outer)
	expand(t, h)
	list := h.Must(200, "admin", "GET", "/entitlements?sort=-name&kind=group&q=OUT", nil)
	if len(list.Items()) != 1 || list.Items()[0]["direct_member_count"] != 1.0 ||
		list.Items()[0]["effective_member_count"] != 4.0 {
		t.Errorf("got %v; want outer with 1 direct and 4 effective members", list.Body)
	}
	one := h.Must(200, "admin", "GET", "/entitlements/"+inner, nil)
	if diff := cmp.Diff([]any{map[string]any{"id": outer, "display": "outer"}}, one.Body["parents"]); diff != "" {
		t.Errorf("parents: -want +got\n%s", diff)
	}
	if diff := cmp.Diff([]any{}, one.Body["children"]); diff != "" {
		t.Errorf("children: -want +got\n%s", diff)
	}
	if got := h.Must(200, "admin", "GET", "/entitlements/"+outer+"/members", nil); got.Body["total"] != 1.0 {
		t.Errorf("direct members: %v; want 1", got.Body["total"])
	}
	first := h.Must(200, "admin", "GET", "/entitlements/"+outer+"/members?effective=true&limit=3", nil)
	rest := h.Must(
		200,
		"admin",
		"GET",
		"/entitlements/"+outer+"/members?effective=true&limit=3&cursor="+first.Text("next_cursor"),
		nil,
	)
	if first.Body["total"] != 4.0 || len(first.Items()) != 3 || len(rest.Items()) != 1 ||
		rest.Body["next_cursor"] != nil {
		t.Errorf("effective members: %v then %v; want 3 and 1 of 4", first.Body, rest.Body)
	}
	if got := h.Must(200, "admin", "GET", "/entitlements/"+outer+"/grants", nil); got.Body["total"] != 4.0 {
		t.Errorf("grants: %v; want 4", got.Body["total"])
	}
}

func TestAnEntitlementIsPatchedByTheRules(t *testing.T) {
	h := open(t)
	group, owner := h.Entitlement(ldap, "group"), h.Person("owner", "")
	at := "/entitlements/" + group
	h.Refused(422, "description_required", "admin", "PATCH", at, `{"requestable":true}`)
	h.Refused(422, "validation_failed", "admin", "PATCH", at, `{"risk_level":"huge"}`)
	h.Refused(422, "unknown_field", "admin", "PATCH", at, `{"riskiness":"high"}`)
	h.Refused(422, "validation_failed", "admin", "PATCH", at, `{"owner_ids":["0197a000-0000-7000-8000-00000000dead"]}`)
	a := h.Must(
		200,
		"admin",
		"PATCH",
		at,
		map[string]any{"requestable": true, "business_description": "Read the ledger.", "owner_ids": []string{owner}},
		"If-Match",
		`"1"`,
	)
	if a.Body["requestable"] != true || a.Header.Get("ETag") != `"2"` {
		t.Errorf("got %v", a.Body)
	}
	h.Refused(412, "precondition_failed", "admin", "PATCH", at, `{"privileged":true}`, "If-Match", `"1"`)
	h.Refused(422, "description_required", "admin", "PATCH", at, `{"business_description":null}`)
	if got := h.Must(200, "admin", "PATCH", at, `{"risk_level":"low"}`); got.Header.Get("ETag") != `"2"` {
		t.Errorf("a patch that changes nothing made version %s", got.Header.Get("ETag"))
	}
	if got := h.Must(
		200,
		"admin",
		"GET",
		"/entitlements?owner_id="+owner+"&requestable=true&privileged=false",
		nil,
	); got.Body["total"] != 1.0 {
		t.Errorf("by owner: %v; want 1", got.Body["total"])
	}
	all, owned, unowned := h.Must(
		200,
		"admin",
		"GET",
		"/entitlements",
		nil,
	), h.Must(
		200,
		"admin",
		"GET",
		"/entitlements?owned=true",
		nil,
	), h.Must(
		200,
		"admin",
		"GET",
		"/entitlements?owned=false",
		nil,
	)
	if owned.Body["total"] != 1.0 || unowned.Body["total"] != all.Body["total"].(float64)-1 {
		t.Errorf(
			"owned: %v, without an owner: %v, of %v",
			owned.Body["total"],
			unowned.Body["total"],
			all.Body["total"],
		)
	}
	fields := h.Strings(
		`select c ->> 'field' from audit_event, json_array_elements(event::json -> 'changes') c
			where action = 'entitlement.updated' order by 1`,
	)
	if diff := cmp.Diff([]string{"business_description", "owner_ids", "requestable"}, fields); diff != "" {
		t.Errorf("audited: -want +got\n%s", diff)
	}
}

func TestWhatIsNoEntitlementIsNotFound(t *testing.T) {
	h := open(t)
	for _, path := range []string{"/entitlements/roles", "/entitlements/roles/x",
		"/entitlements/0197a000-0000-7000-8000-00000000dead",
		"/entitlements/grants/x", "/entitlements/roles/members", "/entitlements/x/grants", "/identities/x/grants",
		"/accounts/x/grants"} {
		h.Refused(404, "not_found", "admin", "GET", path, nil)
	}
}

// company has chief over middle over worker, a rival whom nobody manages, and groups that middle's people and the rival
// hold.
type company struct {
	*recordtest.House
	chief, middle, worker, rival, owner             string
	workerAccount, rivalAccount, strayAccount       string
	payroll, wiki, inner                            string
	workerPayroll, workerWiki, rivalPayroll, strayG string
}

func found(t *testing.T) company {
	t.Helper()
	h := open(t)
	c := company{House: h}
	c.chief = h.Person("chief", "")
	c.middle = h.Person("middle", c.chief)
	c.worker = h.Person("worker", c.middle)
	c.rival, c.owner = h.Person("rival", ""), h.Person("owner", "")
	c.workerAccount, c.rivalAccount, c.strayAccount = h.Account(
		ldap,
		"worker",
		c.worker,
	), h.Account(
		ldap,
		"rival",
		c.rival,
	), h.Account(
		ldap,
		"stray",
		"",
	)
	c.payroll, c.wiki, c.inner = h.Entitlement(
		ldap,
		"payroll",
		c.owner,
	), h.Entitlement(
		ldap,
		"wiki",
	), h.Entitlement(
		ldap,
		"inner",
	)
	c.workerPayroll, c.workerWiki = h.Grant(ldap, c.workerAccount, c.payroll), h.Grant(ldap, c.workerAccount, c.wiki)
	c.rivalPayroll, c.strayG = h.Grant(ldap, c.rivalAccount, c.payroll), h.Grant(ldap, c.strayAccount, c.payroll)
	h.Let("chief", h.Tenant.Tenant, c.chief, viewer.Manager)
	h.Let("middle", h.Tenant.Tenant, c.middle, viewer.Manager)
	h.Let("owner", h.Tenant.Tenant, c.owner, viewer.ResourceOwner)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("nobody", h.Tenant.Tenant, c.worker)
	return c
}

func TestEveryListShowsEachRoleWhatItMaySee(t *testing.T) {
	c := found(t)
	everything := map[string][]string{
		"/identities":          {c.chief, c.middle, c.worker, c.rival, c.owner},
		"/accounts":            {c.workerAccount, c.rivalAccount, c.strayAccount},
		"/entitlements":        {c.payroll, c.wiki, c.inner},
		"/entitlements/grants": {c.workerPayroll, c.workerWiki, c.rivalPayroll, c.strayG},
	}
	for _, tt := range []struct {
		as   string
		sees map[string][]string
	}{
		{"admin", everything},
		{"auditor", everything},
		{"nobody", nil},
		{"chief", map[string][]string{
			"/identities": {c.middle, c.worker}, "/accounts": {c.workerAccount},
			"/entitlements": {c.payroll, c.wiki}, "/entitlements/grants": {c.workerPayroll, c.workerWiki}}},
		{"middle", map[string][]string{
			"/identities": {c.worker}, "/accounts": {c.workerAccount},
			"/entitlements": {c.payroll, c.wiki}, "/entitlements/grants": {c.workerPayroll, c.workerWiki}}},
		{"owner", map[string][]string{
			"/identities": {c.worker, c.rival}, "/accounts": {c.workerAccount, c.rivalAccount},
			"/entitlements": {c.payroll}, "/entitlements/grants": {c.workerPayroll, c.rivalPayroll}}},
	} {
		for list, all := range everything {
			c.sees(t, tt.as, list, tt.sees[list], all)
		}
	}
}

// sees walks a list page by page, holds its total against it, and reads each row, the hidden ones too.
func (c company) sees(t *testing.T, as, list string, want, all []string) {
	t.Helper()
	got, total, cursor := []string{}, -1.0, ""
	for {
		page := c.Must(200, as, "GET", list+"?limit=2"+cursor, nil)
		for _, id := range page.Values("id") {
			got = append(got, id.(string))
		}
		total, _ = page.Body["total"].(float64)
		if page.Body["next_cursor"] == nil {
			break
		}
		cursor = "&cursor=" + page.Text("next_cursor")
	}
	if diff := cmp.Diff(
		want,
		got,
		cmpopts.SortSlices(func(a, b string) bool { return a < b }),
		cmpopts.EquateEmpty(),
	); diff != "" {
		t.Errorf("%s as %s: -want +got\n%s", list, as, diff)
	}
	if int(total) != len(want) {
		t.Errorf("%s as %s: total %v; want %d", list, as, total, len(want))
	}
	for _, id := range all {
		status := 404
		if slices.Contains(want, id) || slices.Contains(c.ownOf(as), id) {
			status = 200
		}
		if a := c.Call(as, "GET", list+"/"+id, nil); a.Status != status {
			t.Errorf("%s/%s as %s: got %d; want %d", list, id, as, a.Status, status)
		}
	}
}

// ownOf is what somebody may read because it is their own.
func (c company) ownOf(as string) []string {
	return map[string][]string{
		"chief": {c.chief}, "middle": {c.middle}, "owner": {c.owner},
		"nobody": {c.worker, c.workerAccount, c.payroll, c.wiki, c.workerPayroll, c.workerWiki},
	}[as]
}

func TestWhatIsOnesOwnIsReadAndNotListed(t *testing.T) {
	c := found(t)
	for path, total := range map[string]float64{
		"/identities/" + c.worker + "/accounts": 1, "/identities/" + c.worker + "/grants": 2, "/accounts/" +
			c.workerAccount + "/grants": 2,
		"/accounts?identity_id=" + c.worker: 0, "/entitlements/grants?identity_id=" + c.worker: 0, "/entitlements/" +
			c.wiki + "/members": 0,
	} {
		if got := c.Must(200, "nobody", "GET", path, nil); got.Body["total"] != total {
			t.Errorf("%s: %v; want %v", path, got.Body["total"], total)
		}
	}
	me := c.Must(200, "nobody", "GET", "/identities/me?expand=accounts,grants,manager", nil)
	if accounts, grants := me.Body["accounts"].([]any), me.Body["grants"].([]any); len(accounts) != 1 ||
		len(grants) != 2 {
		t.Errorf("one's own record has %d accounts and %d grants; want 1 and 2", len(accounts), len(grants))
	}
	if diff := cmp.Diff(map[string]any{"accounts": 1.0, "grants": 2.0}, me.Body["counts"]); diff != "" {
		t.Errorf("counts: -want +got\n%s", diff)
	}
	if _, shown := me.Body["manager"]; shown {
		t.Error("one's own manager is shown, whose record is hidden")
	}
}

func TestWhoHasLeftSeesNothingByTheirRoles(t *testing.T) {
	c := found(t)
	for _, status := range []string{"deactivated", "archived"} {
		c.Exec(`update identity set status = $1 where id = any($2::text[]::uuid[])`, status, []string{c.chief, c.owner})
		for _, as := range []string{"chief", "owner"} {
			for _, list := range []string{"/identities", "/accounts", "/entitlements", "/entitlements/grants"} {
				if got := c.Must(200, as, "GET", list, nil); got.Body["total"] != 0.0 {
					t.Errorf("%s, %s, lists %v of %s", as, status, got.Body["total"], list)
				}
			}
			c.Refused(404, "not_found", as, "GET", "/identities/"+c.worker, nil)
			c.Must(200, as, "GET", "/identities/me", nil)
		}
	}
	c.Exec(`update identity set status = 'notice' where id = $1`, c.chief)
	if got := c.Must(200, "chief", "GET", "/identities", nil); got.Body["total"] != 2.0 {
		t.Errorf("on notice a manager still sees their two reports, and got %v", got.Body["total"])
	}
}

func TestExpansionsAndCountsKeepToWhatMayBeSeen(t *testing.T) {
	c := found(t)
	part := c.Must(200, "owner", "GET", "/identities/"+c.worker+"?expand=manager,accounts,grants", nil)
	if _, shown := part.Body["manager"]; shown {
		t.Errorf("the owner sees the manager %v, who holds nothing of theirs", part.Body["manager"])
	}
	grants, _ := part.Body["grants"].([]any)
	if len(grants) != 1 || grants[0].(map[string]any)["id"] != c.workerPayroll {
		t.Errorf("the owner sees %v; want the grant of payroll alone", grants)
	}
	if diff := cmp.Diff(map[string]any{"accounts": 1.0, "grants": 1.0}, part.Body["counts"]); diff != "" {
		t.Errorf("counts: -want +got\n%s", diff)
	}
	if got := c.Must(200, "owner", "GET", "/accounts/"+c.workerAccount+"/grants", nil); got.Body["total"] != 1.0 {
		t.Errorf("grants of the account as owner: %v; want 1", got.Body["total"])
	}
	if got := c.Must(200, "middle", "GET", "/entitlements/"+c.payroll, nil); got.Body["direct_member_count"] != 1.0 {
		t.Errorf("the manager counts %v members; want their one report", got.Body["direct_member_count"])
	}
	// inner brings payroll, but belongs to somebody else.
	c.Nest(ldap, c.inner, c.payroll)
	c.Grant(ldap, c.workerAccount, c.inner)
	expand(t, c.House)
	got := c.Must(200, "owner", "GET", "/entitlements/grants/"+c.workerPayroll, nil)
	if paths, _ := got.Body["paths"].([]any); len(paths) != 0 || got.Body["hidden_paths"] != 1.0 {
		t.Errorf("paths %v, hidden %v; want the one path hidden", got.Body["paths"], got.Body["hidden_paths"])
	}
	if got := c.Must(200, "owner", "GET", "/entitlements/"+c.payroll, nil); len(got.Body["children"].([]any)) != 0 {
		t.Errorf("children %v; want none that the owner may not see", got.Body["children"])
	}
}

func TestAnAuditorChangesNothing(t *testing.T) {
	c := found(t)
	for _, call := range [][2]string{{"POST", "/identities"}, {"PATCH", "/identities/" + c.worker},
		{"DELETE", "/identities/" + c.worker},
		{"POST", "/identities/" + c.worker + "/deactivate"}, {"POST", "/accounts/" + c.workerAccount + "/unlink"},
		{"PATCH", "/entitlements/" + c.payroll}} {
		c.Refused(403, "read_only_role", "auditor", call[0], call[1], `{}`)
		c.Refused(403, "forbidden", "chief", call[0], call[1], `{}`)
	}
}

func TestNothingOfOneTenantIsThereForAnother(t *testing.T) {
	c := found(t)
	other := pgtest.Tenant(t, c.DB, "other")
	c.Let("other", other.Tenant, "", viewer.Admin)
	worker := c.PersonOf(other, "worker", "")
	account := c.AccountOf(other, ldap, "worker", worker)
	payroll := c.EntitlementOf(other, ldap, "payroll", worker)
	grant := c.GrantOf(other, ldap, account, payroll)
	mine := map[string]string{
		"/identities":          worker,
		"/accounts":            account,
		"/entitlements":        payroll,
		"/entitlements/grants": grant,
	}
	theirs := map[string]string{
		"/identities":          c.worker,
		"/accounts":            c.workerAccount,
		"/entitlements":        c.payroll,
		"/entitlements/grants": c.workerPayroll,
	}
	for list, id := range theirs {
		c.Refused(404, "not_found", "other", "GET", list+"/"+id, nil)
		c.Refused(404, "not_found", "admin", "GET", list+"/"+mine[list], nil)
		if got := c.Must(
			200,
			"other",
			"GET",
			list,
			nil,
		); got.Body["total"] != 1.0 ||
			got.Values("id")[0] != mine[list] {
			t.Errorf("%s: got %v; want the own one alone", list, got.Values("id"))
		}
	}
	c.Refused(404, "not_found", "other", "PATCH", "/identities/"+c.worker, `{"title":"x"}`)
	c.Refused(404, "not_found", "other", "DELETE", "/identities/"+c.worker, nil)
	c.Refused(404, "not_found", "other", "POST", "/accounts/"+c.workerAccount+"/unlink", nil)
	c.Refused(404, "not_found", "other", "PATCH", "/entitlements/"+c.payroll, `{"privileged":true}`)
	c.Refused(
		422,
		"validation_failed",
		"other",
		"POST",
		"/accounts/"+account+"/link",
		map[string]any{"identity_id": c.worker, "reason": "theirs"},
	)
	c.Refused(
		422,
		"validation_failed",
		"other",
		"PATCH",
		"/entitlements/"+payroll,
		map[string]any{"owner_ids": []string{c.worker}},
	)
	for _, path := range []string{"/identities?manager_id=" + c.middle, "/accounts?identity_id=" + c.worker,
		"/entitlements/grants?account_id=" + c.workerAccount} {
		if got := c.Must(200, "other", "GET", path, nil); got.Body["total"] != 0.0 {
			t.Errorf("%s as another tenant: %v rows", path, got.Body["total"])
		}
	}
}

// unnamed is paths without the names of their steps, which must be those of the entitlements.
func unnamed(t *testing.T, paths any) any {
	t.Helper()
	list, _ := paths.([]any)
	for _, one := range list {
		p := one.(map[string]any)
		ids, steps := p["entitlement_ids"].([]any), p["steps"].([]any)
		for i, step := range steps {
			s := step.(map[string]any)
			if s["id"] != ids[i] || s["display"] == "" || s["connector_id"] == "" {
				t.Errorf("step %d of %v is %v", i, ids, s)
			}
		}
		if delete(p, "steps"); len(steps) != len(ids) {
			t.Errorf("%d steps for %d entitlements", len(steps), len(ids))
		}
	}
	return paths
}
