package directory_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// reason gives somebody a reason for access.
func reason(h *recordtest.House, identity, connector, entitlement, source string, more ...string) {
	h.T.Helper()
	state, ends := "active", ""
	if len(more) > 0 {
		state = more[0]
	}
	if len(more) > 1 {
		ends = more[1]
	}
	h.Exec(
		`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, kind, source_type,
		    source_id, state, ends_at)
		values (current_tenant(), $1, $2, $3, $4, 'policy', 'policy', $5, $6, nullif($7, '')::timestamptz)`,
		newID(),
		identity,
		connector,
		entitlement,
		source,
		state,
		ends,
	)
}

// feed makes a connector a source of somebody.
func feed(h *recordtest.House, connector, external, identity string) {
	h.T.Helper()
	h.Exec(
		`insert into identity_source (tenant_id, connector_id, external_id, identity_id, row_hash, match_rule)
			values (current_tenant(), $1, $2, $3, '\x01', 'new')`,
		connector,
		external,
		identity,
	)
}

func TestTwoRecordsOfAPersonBecomeOne(t *testing.T) {
	h := open(t)
	hr := newID()
	keep, gone := h.Person("keep", ""), h.Person("gone", "")
	report := h.Person("report", gone)
	bot := h.Person("bot", "")
	h.Exec(`update identity set sponsor_id = $1, backup_owner_id = $1 where id = $2`, gone, bot)
	h.Exec(`update identity set source_connector_id = $1 where id = $2`, hr, gone)
	feed(h, hr, "gone", gone)
	account := h.Account(ldap, "gone", gone)
	group, both := h.Entitlement(ldap, "group", gone), h.Entitlement(ldap, "both", gone, keep)
	policy := newID()
	reason(h, gone, ldap, group, policy)
	reason(h, gone, ldap, both, policy, "active", "2031-01-01T00:00:00Z")
	reason(h, keep, ldap, both, policy, "scheduled", "2030-01-01T00:00:00Z")
	h.Exec(
		`insert into app_user (tenant_id, id, email, identity_id) values (current_tenant(), $1, 'gone@example.com',
			$2)`,
		newID(),
		gone,
	)
	at := "/identities/" + keep + "/merge"
	body := map[string]any{"source_id": gone, "reason": "one person"}

	try := h.Must(200, "admin", "POST", at+"?dry_run=true", body)
	moved := try.Body["impact"].(map[string]any)["moved"].(map[string]any)
	for what, want := range map[string]float64{"accounts": 1, "sources": 1, "reasons": 1, "reports": 1,
		"sponsorships": 1, "owned_entitlements": 2, "users": 1} {
		if moved[what] != want {
			t.Errorf("it would move %v %s; want %v", moved[what], what, want)
		}
	}
	if n := h.Count(`select count(*) from account where identity_id = $1`, gone); n != 1 {
		t.Fatal("a dry run has moved an account")
	}
	done := h.Must(200, "admin", "POST", at, body)
	if ids := done.Body["merged_ids"].([]any); len(ids) != 1 || ids[0] != gone ||
		done.Text("source_connector_id") != hr {
		t.Errorf("merged_ids = %v, source %v", ids, done.Text("source_connector_id"))
	}
	for what, sql := range map[string]string{
		"the account": `select count(*) from account where id =
			'` + account + `' and identity_id = $1`,
		"the report": `select count(*) from identity
			where id = '` + report + `' and manager_id = $1 and manager_external_id = ` +
			`(select external_id from identity where id = $1)`,
		"the sponsorship": `select count(*) from identity
			where id = '` + bot + `' and sponsor_id = $1 and backup_owner_id = $1`,
		"what it owned": `select count(*) from entitlement
			where id = '` + group + `' and owner_ids = array[$1::uuid]`,
		"what both owned": `select count(*) from entitlement
			where id = '` + both + `' and owner_ids = array[$1::uuid]`,
		"the user": `select count(*) from app_user where identity_id = $1`,
		"the source": `select count(*) from identity_source where identity_id = $1
			and row_hash = ''`,
		"the reason": `select count(*) from access_reason where identity_id = $1
			and entitlement_id = '` + group + `' and state = 'active'`,
		"the longer of the two reasons": `select count(*) from access_reason where identity_id = $1
			and entitlement_id = '` + both + `' and state = 'active' and ends_at = '2031-01-01T00:00:00Z'`,
	} {
		if h.Count(sql, keep) != 1 {
			t.Errorf("%s did not move as it should", what)
		}
	}
	left := h.Must(200, "admin", "GET", "/identities/"+gone, nil)
	if left.Text("status") != "archived" || left.Text("merged_into_id") != keep ||
		left.Text("status_reason") != "merged" {
		t.Errorf("the source is %v, merged into %v", left.Text("status"), left.Text("merged_into_id"))
	}
	if n := h.Count(`select count(distinct subject_id) from audit_event where action = 'identity.merged'`); n != 2 {
		t.Errorf("%d records have the merge in their log; want both", n)
	}
	h.Refused(409, "identity_archived", "admin", "POST", at, body)
	h.Refused(
		409,
		"identity_archived",
		"admin",
		"POST",
		"/identities/"+gone+"/merge",
		map[string]any{"source_id": keep, "reason": "back"},
	)
}

func TestWhatCannotBeMergedIsRefusedWithItsReason(t *testing.T) {
	h := open(t)
	a, b, machine := h.Person("a", ""), h.Person("b", ""), h.Person("machine", "")
	h.Exec(`update identity set kind = 'non_human' where id = $1`, machine)
	merge := func(target, source string) (string, string, any) {
		return "POST", "/identities/" + target + "/merge", map[string]any{"source_id": source, "reason": "x"}
	}
	refused := func(status int, code, target, source string) {
		t.Helper()
		method, path, body := merge(target, source)
		h.Refused(status, code, "admin", method, path, body)
	}
	refused(422, "merge_with_itself", a, a)
	refused(422, "validation_failed", a, newID())
	refused(404, "not_found", newID(), a)
	refused(409, "different_kinds", a, machine)
	for i, id := range []string{a, b} {
		h.Exec(
			`insert into app_user (tenant_id, id, email, identity_id) values (current_tenant(), $1, $2, $3)`,
			newID(),
			fmt.Sprint(i, "@example.com"),
			id,
		)
	}
	refused(409, "both_have_users", a, b)
	feed(h, ldap, "a", a)
	feed(h, ldap, "b", b)
	refused(409, "both_in_source", a, b)
	h.Refused(
		412,
		"precondition_failed",
		"admin",
		"POST",
		"/identities/"+a+"/merge",
		map[string]any{"source_id": b, "reason": "x"},
		"If-Match",
		`"9"`,
	)
}

// TestMergesLoseNothing merges people at random, and counts what there was and what there is.
func TestMergesLoseNothing(t *testing.T) {
	h := open(t)
	r := rand.New(rand.NewPCG(11, 7))
	var people []string
	for i := range 24 {
		manager := ""
		if i > 0 {
			manager = people[r.IntN(len(people))]
		}
		people = append(people, h.Person(fmt.Sprintf("p%02d", i), manager))
	}
	somebody := func() string { return people[r.IntN(len(people))] }
	var groups, policies []string
	for i := range 6 {
		groups = append(groups, h.Entitlement(ldap, fmt.Sprintf("g%d", i), somebody()))
		policies = append(policies, newID())
	}
	for i := range 60 {
		h.Account(ldap, fmt.Sprintf("a%d", i), somebody())
	}
	h.Exec(
		`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, kind, source_type,
		    source_id)
		select current_tenant(), gen_random_uuid(), i.id, $1, e.id, 'policy', 'policy', p.id::uuid
		  from identity i, entitlement e, unnest($2::text[]) p (id)
		 where hashtext(i.id::text || e.id || p.id) % 3 = 0`,
		ldap,
		policies,
	)
	const holdings = `
		select count(*) from (select distinct coalesce(i.merged_into_id, i.id), r.entitlement_id, r.source_id
		                        from access_reason r join identity i on i.id = r.identity_id) x`
	merges := 0
	for range 40 {
		target, source := somebody(), somebody()
		before, accounts := h.Count(
			`select count(*) from access_reason where state <> 'ended'`,
		), h.Count(
			`select count(*) from account where identity_id in ($1, $2)`,
			target,
			source,
		)
		a := h.Call(
			"admin",
			"POST",
			"/identities/"+target+"/merge",
			map[string]any{"source_id": source, "reason": "chance"},
		)
		if a.Status != 200 {
			continue
		}
		merges++
		ended := int(a.Body["impact"].(map[string]any)["ended_reasons"].(float64))
		if after := h.Count(`select count(*) from access_reason where state <> 'ended'`); after != before-ended {
			t.Fatalf("%d reasons were live, %d ended, %d are left", before, ended, after)
		}
		if now := h.Count(`select count(*) from account where identity_id = $1`, target); now != accounts {
			t.Fatalf("they had %d accounts, now %d", accounts, now)
		}
	}
	if merges < 8 {
		t.Fatalf("only %d merges happened", merges)
	}
	live := h.Count(`select count(*) from access_reason where state <> 'ended'`)
	if all := h.Count(holdings); live != all {
		t.Errorf("%d reasons are live for %d holdings", live, all)
	}
	for what, sql := range map[string]string{
		"accounts of archived people": `select count(*) from account a join identity i on i.id = a.identity_id
			where i.status = 'archived'`,
		"reasons of archived people": `select count(*) from access_reason a join identity i on i.id = a.identity_id
			where i.status = 'archived' and a.state <> 'ended'`,
		"reports to archived people": `select count(*) from identity r join identity i on i.id = r.manager_id
			where i.status = 'archived' and r.status <> 'archived'`,
		"people who manage themselves": `select count(*) from identity where manager_id = id`,
		"what archived people own": `select count(*) from entitlement e join identity i
			on i.id = any(e.owner_ids) where i.status = 'archived'`,
		"chains of merges": `select count(*) from identity a join identity b on b.id = a.merged_into_id
			where b.merged_into_id is not null`,
		"reports that are not kept well": `select count(*) from identity where manager_id is null
			and manager_external_id is not null`,
	} {
		if n := h.Count(sql); n != 0 {
			t.Errorf("there are %d %s", n, what)
		}
	}
	if n := h.Count(`select count(*) from account where identity_id is not null`); n != 60 || len(groups) != 6 {
		t.Errorf("%d accounts have owners; want 60", n)
	}
}
