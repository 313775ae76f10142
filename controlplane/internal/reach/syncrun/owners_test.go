package syncrun_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// owned is a group whose target system names owners, each as kind:value.
func owned(id string, refs ...string) v1.SyncResponse {
	r := group(id)
	r.Entitlements[0].OwnerRefs = asRefs(refs)
	return r
}

// machine is a service account whose target system names owners.
func machine(id string, refs ...string) v1.SyncResponse {
	return v1.SyncResponse{
		Accounts: []v1.RemoteAccount{
			{ExternalID: id, NativeRef: "uid=" + id, Username: p(id), AccountType: "service", OwnerRefs: asRefs(refs)},
		},
	}
}

func asRefs(refs []string) (out []v1.Ref) {
	for _, r := range refs {
		kind, value, _ := strings.Cut(r, ":")
		out = append(out, v1.Ref{Kind: v1.RefKind(kind), Value: value})
	}
	return out
}

// reads runs a full sync of pages.
func (w *world) reads(pages ...v1.SyncResponse) syncrun.Run {
	w.t.Helper()
	w.source.script = telling("c", nil, pages...)
	run := w.full(syncrun.Trigger{})
	if run.Status != syncrun.Succeeded {
		w.t.Fatalf("the run is %s: %+v", run.Status, run.Error)
	}
	return run
}

// ownersOf are the owners of a group by their external ids; those that come from its target system have a star.
func (w *world) ownersOf(group string) string {
	w.t.Helper()
	return one[string](w, `
		select coalesce(string_agg(i.external_id || case when i.id = any(e.source_owner_ids) then '*' else '' end, ' '
		    order by i.external_id), '')
		  from entitlement e
		 cross join lateral unnest(e.owner_ids) o (id)
		  join identity i on i.id = o.id
		 where e.external_id = $1`, group)
}

// setOwners sets the owners of a group by hand.
func (w *world) setOwners(group string, people ...string) {
	w.t.Helper()
	ids := []string{}
	for _, who := range people {
		ids = append(ids, one[string](w, `select id::text from identity where external_id = $1`, who))
	}
	body, err := json.Marshal(map[string]any{"owner_ids": ids})
	if err != nil {
		w.t.Fatal(err)
	}
	s := (&access.Service{DB: w.db, Now: time.Now}).Entitlements()
	id := one[string](w, `select id::text from entitlement where external_id = $1`, group)
	if _, err := s.Patch(context.Background(), w.admin, id, httpapi.IfMatch{}, body); err != nil {
		w.t.Fatal(err)
	}
}

func unresolvedOwners(run syncrun.Run) string {
	for _, w := range run.Warnings {
		if w.Code == "unresolved_owners" {
			return w.Message
		}
	}
	return ""
}

func numbered(page v1.SyncResponse, number string) v1.SyncResponse {
	page.Identities[0].EmployeeNumber = &number
	return page
}

func TestOwnersThatASourceNamesAreResolvedByEveryKindOfReference(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hr := w.connect("hr", "source")
	for _, who := range []string{"twin1", "twin2"} {
		w.exec(
			`insert into identity (tenant_id, id, external_id, source_connector_id, display_name, username,
			    employee_number)
			values (current_tenant(), gen_random_uuid(), $1, $2, $1, 'Twin', '77')`,
			who,
			hr,
		)
	}
	w.exec(
		`insert into identity (tenant_id, id, external_id, source_connector_id, display_name, username, employee_number,
		    email)
		values (current_tenant(), gen_random_uuid(), 'H-1', $1, 'Hana', 'Hana.H', '42', 'hana@x.test')`,
		hr,
	)
	w.exec(`insert into identity (tenant_id, id, external_id, display_name, status, email)
		values (current_tenant(), gen_random_uuid(), 'gone', 'Gone', 'archived', 'gone@x.test')`)
	alias := person("alias", "Hana", "hana@x.test", nil)
	alias.Identities, alias.Accounts[0].IdentityExternalID = nil, nil // correlation finds hana by the address
	want := map[string]string{
		"native:uid=ann":     "ann*",
		"external_id:ann":    "ann*",
		"username:ANN":       "ann*",
		"email:Ann@X.test":   "ann*",
		"native:uid=alias":   "H-1*",
		"external_id:alias":  "H-1*",
		"username:alias":     "H-1*",
		"external_id:H-1":    "H-1*",
		"username:hana.h":    "H-1*",
		"employee_number:42": "H-1*",
		"email:HANA@x.test":  "H-1*",
		"any:uid=ann":        "ann*",
		"any:ann":            "ann*",
		"any:hana@x.test":    "H-1*",
		"any:42":             "H-1*",
		"any:Hana.H":         "H-1*",
		"username:twin":      "",
		"employee_number:77": "",
		"any:77":             "",
		"email:gone@x.test":  "",
		"native:ann":         "",
		"strange:ann":        "",
		"any:nobody":         "",
	}
	pages := []v1.SyncResponse{owned("both", "native:uid=ann", "email:hana@x.test", "username:nobody")}
	for ref := range want {
		pages = append(pages, owned("g "+ref, ref))
	}
	pages = append(pages, person("ann", "Ann", "ann@x.test", nil), alias)
	run := w.reads(pages...)
	for ref, who := range want {
		if got := w.ownersOf("g " + ref); got != who {
			t.Errorf("%s is owned by %q; want %q", ref, got, who)
		}
	}
	if got := w.ownersOf("both"); got != "H-1* ann*" {
		t.Errorf("a group with two owners and one who is not known is owned by %q", got)
	}
	if run.Report.Entitlements.Unresolved != 8 ||
		!strings.HasPrefix(unresolvedOwners(run), "8 accounts and entitlements") {
		t.Errorf("unresolved: %d, warnings %v", run.Report.Entitlements.Unresolved, run.Warnings)
	}
	version := one[int](w, `select sum(version)::int from entitlement`)
	again := w.reads(pages...)
	if now := one[int](
		w,
		`select sum(version)::int from entitlement`,
	); now != version ||
		again.Report.Entitlements.Unresolved != 8 {
		t.Errorf(
			"the same again: versions %d, then %d; unresolved %d",
			version,
			now,
			again.Report.Entitlements.Unresolved,
		)
	}
}

func TestAnOwnerWhoBecomesKnownLaterIsFoundThoughTheRecordIsTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stray := person("stray", "Stray", "stray@x.test", nil)
	stray.Identities, stray.Accounts[0].IdentityExternalID = nil, nil
	pages := []v1.SyncResponse{
		owned("late", "email:nina@x.test"),
		owned("byhand", "native:uid=stray"),
		stray,
		person("ann", "Ann", "ann@x.test", nil),
	}
	if run := w.reads(pages...); run.Report.Entitlements.Unresolved != 2 {
		t.Fatalf("unresolved: %+v", run.Report.Entitlements)
	}
	// Another connector brings nina, and an administrator says whose account it is.
	dir, hr := w.connector, w.connect("hr", "source")
	link(w, "stray", "ann")
	w.connector = hr
	w.reads(
		v1.SyncResponse{
			Identities: []v1.RemoteIdentity{{ExternalID: "nina", Email: p("nina@x.test"), DisplayName: p("Nina")}},
		},
	)
	if got := w.ownersOf("late") + " " + w.ownersOf("byhand"); got != "nina* ann*" {
		t.Errorf("after a run of the other connector the owners are %q", got)
	}
	w.connector = dir
	if run := w.reads(pages...); run.Report.Entitlements.Unresolved != 0 || unresolvedOwners(run) != "" {
		t.Errorf("unresolved: %+v", run.Report.Entitlements)
	}
	changes := one[int](
		w,
		`select count(*) from audit_event where action = 'entitlement.updated' and event::text like '%target_system%'`,
	)
	if changes != 2 {
		t.Errorf("%d changes of owners are on record; want 2", changes)
	}
	// An account that goes to somebody else, and an owner who is archived, are followed.
	link(w, "stray", "nina")
	w.reads(pages...)
	if got := w.ownersOf("byhand"); got != "nina*" {
		t.Errorf("after the account went to somebody else the owner is %q", got)
	}
	w.exec(`update identity set status = 'archived' where external_id = 'nina'`)
	w.reads(pages...)
	if got := w.ownersOf("late"); got != "" {
		t.Errorf("an archived owner stays: %q", got)
	}
}

func link(w *world, accountName, person string) {
	w.t.Helper()
	s := &account.Service{DB: w.db, Now: time.Now}
	id := one[string](w, `select id::text from account where external_id = $1`, accountName)
	who := one[string](w, `select id::text from identity where external_id = $1`, person)
	if _, err := s.Link(context.Background(), w.admin, id, httpapi.IfMatch{}, who, "runs it"); err != nil {
		w.t.Fatal(err)
	}
}

func TestOwnersSetByHandStayUntilTheSourceSaysSomethingNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	people := []v1.SyncResponse{
		person("ann", "Ann", "ann@x.test", nil),
		person("bob", "Bob", "bob@x.test", nil),
		person("cy", "Cy", "cy@x.test", nil),
	}
	steps := []struct {
		what string
		hand []string // owners set by hand before the run; nil: none are set
		says []string
		want string
	}{
		{"the source names somebody", nil, []string{"ann"}, "ann*"},
		{"somebody else is set by hand", []string{"bob"}, []string{"ann"}, "bob"},
		{"the source says the same", nil, []string{"ann"}, "bob"},
		{"the source names another", nil, []string{"cy"}, "bob cy*"},
		{"the source names nobody", nil, nil, "bob"},
		{"the source names who is an owner by hand", nil, []string{"bob"}, "bob"},
		{"and no longer", nil, nil, "bob"},
		{"the source names two", nil, []string{"ann", "cy"}, "ann* bob cy*"},
		{"in another order", nil, []string{"cy", "ann"}, "ann* bob cy*"},
		{"one of them is taken away by hand", []string{"bob", "cy"}, []string{"cy", "ann"}, "bob cy*"},
		{"the source names one less", nil, []string{"ann"}, "ann* bob"},
		{"all are taken away by hand", []string{}, []string{"ann"}, ""},
		{"and the source says the same", nil, []string{"ann"}, ""},
		{"the source names nobody again", nil, nil, ""},
		{"the source names the one again", nil, []string{"ann"}, "ann*"},
	}
	for _, s := range steps {
		if s.hand != nil {
			w.setOwners("crew", s.hand...)
		}
		var refs []string
		for _, who := range s.says {
			refs = append(refs, "native:uid="+who)
		}
		w.reads(append([]v1.SyncResponse{owned("crew", refs...)}, people...)...)
		if got := w.ownersOf("crew"); got != s.want {
			t.Errorf("%s: the owners are %q; want %q", s.what, got, s.want)
		}
	}
}

func TestAServiceAccountBelongsToTheOwnerWhomItsSourceNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	people := []v1.SyncResponse{person("ann", "Ann", "ann@x.test", nil), person("bob", "Bob", "bob@x.test", nil)}
	personal := person("cy", "Cy", "cy@x.test", nil)
	personal.Accounts[0].OwnerRefs = asRefs([]string{"native:uid=ann"})
	reads := func(refs ...string) syncrun.Run {
		return w.reads(
			append(
				[]v1.SyncResponse{machine("job", refs...), machine("job2", "native:uid=job"), personal},
				people...)...)
	}
	is := func(account, want string) {
		t.Helper()
		got := one[string](
			w,
			`select a.correlation_state || ' ' || coalesce(i.external_id,
			    '-') || ' ' || coalesce(a.correlation -> 'rule_ids' ->> 0, '-')
			from account a left join identity i on i.id = a.identity_id where a.external_id = $1`,
			account,
		)
		if got != want {
			t.Errorf("account %s is %q; want %q", account, got, want)
		}
	}
	run := reads("email:nobody@x.test", "native:uid=ann", "native:uid=bob")
	is("job", "linked ann source_owner")
	is("job2", "uncorrelated - -") // an owner by reference is no owner to refer to
	is("cy", "linked cy same_record")
	if run.Report.Accounts.Unresolved != 2 || !strings.Contains(unresolvedOwners(run), "nobody@x.test of job") {
		t.Errorf("unresolved %d: %s", run.Report.Accounts.Unresolved, unresolvedOwners(run))
	}
	version := one[int](w, `select version from account where external_id = 'job'`)
	reads("email:nobody@x.test", "native:uid=ann", "native:uid=bob")
	is("job", "linked ann source_owner")
	if now := one[int](w, `select version from account where external_id = 'job'`); now != version {
		t.Errorf("the same again makes version %d of %d", now, version)
	}
	reads("native:uid=bob")
	is("job", "linked bob source_owner")
	reads()
	is("job", "uncorrelated - -")
	reads("native:uid=bob")
	unlink(w, "job")
	reads("native:uid=bob")
	is("job", "uncorrelated - -") // a person has said that it is not theirs
	reads("native:uid=ann")
	is("job", "linked ann source_owner")
	link(w, "job", "ann")
	reads("native:uid=bob")
	is("job", "manual ann -")
	reads()
	is("job", "manual ann -")
}

func unlink(w *world, accountName string) {
	w.t.Helper()
	s := &account.Service{DB: w.db, Now: time.Now}
	id := one[string](w, `select id::text from account where external_id = $1`, accountName)
	if _, err := s.Unlink(context.Background(), w.admin, id, httpapi.IfMatch{}, "not theirs"); err != nil {
		w.t.Fatal(err)
	}
}

func TestOwnersOfTwoTenantsNeverMix(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	for i := range 2 {
		w := worldOn(t, db)
		pages := []v1.SyncResponse{
			owned("crew", "native:uid=ann", "email:ann@x.test", "employee_number:1"),
			machine("job", "employee_number:1"),
			numbered(person("ann", "Ann", "ann@x.test", nil), "1"),
		}
		w.reads(pages...)
		got := one[string](
			w,
			`select string_agg(i.tenant_id::text || i.external_id, ' ') from entitlement e,
				identity i where i.id = any(e.owner_ids)`,
		)
		if want := w.system.Tenant + "ann"; got != want {
			t.Errorf("tenant %d: the owners are %q; want %q", i, got, want)
		}
		if n := one[int](w, `select cardinality(owner_ids) from entitlement where external_id = 'crew'`); n != 1 {
			t.Errorf("tenant %d: %d owners; want 1", i, n)
		}
	}
}

func TestMoreOwnersThanMayBeSetAreToldAndLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refs := []string{
		"native:",
		"native:uid=ann",
		"native:uid=ann",
		"native:a\x00b",
		"native:" + strings.Repeat("x", 5000),
	}
	for i := range 60 {
		refs = append(refs, fmt.Sprintf("native:uid=%d", i))
	}
	w.reads(owned("crew", refs...), person("ann", "Ann", "ann@x.test", nil))
	if n := one[int](w, `select jsonb_array_length(owner_refs) from entitlement`); n != 50 {
		t.Errorf("%d references are kept; want 50", n)
	}
	codes := one[string](w, `select string_agg(code, ' ' order by code) from sync_error where field = 'owner_refs'`)
	if diff := cmp.Diff("invalid_owner too_many_owners", codes); diff != "" || w.ownersOf("crew") != "ann*" {
		t.Errorf("owners %q, errors -want +got\n%s", w.ownersOf("crew"), diff)
	}
}
