package correlate_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching"
)

func TestDefaultRulesLinkDisputeAndLeaveAlone(t *testing.T) {
	w := open(t)
	w.someone("ada", fields{"employee_number": "1", "email": "ada@x.test"})
	w.someone("bob", fields{"employee_number": "2", "email": "bob@x.test"})
	w.someone("gone", fields{"employee_number": "3", "status": "archived"})
	w.someone("left", fields{"employee_number": "4", "status": "deactivated"})
	cases := map[string]struct {
		f    fields
		want string
	}{
		"number":     {fields{"employee_number": "1"}, "linked ada matched"},
		"mail":       {fields{"email": "BOB@x.test"}, "linked bob matched"},
		"login":      {fields{"username": "bob@X.test"}, "linked bob matched"},
		"both":       {fields{"employee_number": "1", "email": "bob@x.test"}, "disputed ambiguous"},
		"stranger":   {fields{"email": "who@x.test"}, "uncorrelated"},
		"of archive": {fields{"employee_number": "3"}, "uncorrelated"},
		"of leaver":  {fields{"employee_number": "4"}, "linked left matched"},
		"deleted":    {fields{"employee_number": "1", "status": "deleted"}, "uncorrelated"},
	}
	ids := map[string]string{}
	for name, c := range cases {
		ids[name] = w.login(name, c.f)
	}
	if got := w.run(); got != 4 {
		t.Errorf("%d accounts linked; want 4", got)
	}
	for name, c := range cases {
		if got := w.stands(ids[name]); got != c.want {
			t.Errorf("%s is %q; want %q", name, got, c.want)
		}
	}
	if n := w.writes(func() { w.run() }); n != 0 {
		t.Errorf("the second run wrote %d accounts", n)
	}
}

func TestTheSourceItselfOutweighsEveryRule(t *testing.T) {
	w := open(t)
	ada := w.someone("ada", nil)
	w.someone("bob", fields{"employee_number": "2", "email": "bob@x.test"})
	w.Exec(
		`insert into identity_source (tenant_id, connector_id, external_id, identity_id, row_hash, match_rule)
			values (current_tenant(), $1, 'r1', $2, '', 'new')`,
		w.connector,
		ada,
	)
	a := w.login("a", fields{"identity_external_id": "r1", "employee_number": "2", "email": "bob@x.test"})
	w.rules(m{"rules": []m{veto("other_number", "employee_number"), rule("mail", "email", "email", "ci_exact", 1)}})
	w.run()
	w.expect(a, "linked ada source_says")
}

func TestEachWayOfMatchingFindsTheOwner(t *testing.T) {
	w := open(t)
	for _, tt := range []struct {
		match    string
		account  fields
		source   string
		person   fields
		identity string
	}{
		{"exact", fields{"username": "ada"}, "username", fields{"username": "ada"}, "username"},
		{"ci_exact", fields{"username": "ÁDA"}, "username", fields{"username": "áda"}, "username"},
		{"normalized", fields{"display_name": "Müller, Jürgen"}, "display_name",
			fields{"display_name": "muller jurgen"}, "display_name"},
		{"digits", fields{"employee_number": "E-0042"}, "employee_number", fields{"employee_number": "42"},
			"employee_number"},
		{"prefix_4", fields{"username": "lovelace7"}, "username", fields{"last_name": "Lovelady"}, "last_name"},
		{"trigram>=0.5", fields{"display_name": "Jon Smith"}, "display_name", fields{"display_name": "John Smith"},
			"display_name"},
		{"levenshtein<=2", fields{"last_name": "Schmidt"}, "last_name", fields{"last_name": "Schmitt"}, "last_name"},
		{"exact", fields{"email": "ada@x.test"}, "email_local", fields{"username": "ada"}, "username"},
		{"ci_exact", fields{"email": "Old@x.test"}, "email",
			fields{"secondary_emails": []string{"new@x.test", "old@x.test"}}, "secondary_emails"},
		{"exact", fields{"attributes": m{"hr.id": m{"n": 7}}}, `attributes."hr.id".n`,
			fields{"attributes": m{"n": "7"}}, "attributes.n"},
		{"exact", fields{"attributes": m{"ids": []any{"x", "y"}}}, "attributes.ids", fields{"employee_number": "y"},
			"employee_number"},
	} {
		t.Run(tt.match+" "+tt.source, func(t *testing.T) {
			w.T = t
			w.Exec(`delete from account`)
			w.Exec(`delete from identity`)
			w.rules(m{"rules": []m{rule("r", tt.source, tt.identity, tt.match, 0.95)}})
			w.someone("other", fields{"username": "zzz", "last_name": "Zzzzz"})
			owner := w.someone("owner", tt.person)
			a := w.login("a", tt.account)
			w.run()
			if got := w.Count(
				`select count(*) from account where id = $1 and identity_id = $2 and correlation_state = 'linked'`,
				a,
				owner,
			); got != 1 {
				t.Errorf("the account is %q", w.stands(a))
			}
		})
	}
}

func TestScoresFallIntoBands(t *testing.T) {
	w := open(t)
	w.rules(m{"rules": []m{
		rule(
			"last",
			"last_name",
			"last_name",
			"normalized",
			0.6,
		),
		rule("first", "first_name", "first_name", "normalized", 0.5),
		rule(
			"mail",
			"email_local",
			"username",
			"exact",
			0.6,
		),
		rule("weak", "attributes.site", "location", "exact", 0.2),
	}})
	w.someone("ada", fields{"first_name": "Ada", "last_name": "Lovelace", "username": "ada", "location": "London"})
	for _, tt := range []struct {
		f     fields
		want  string
		score float64
	}{
		{fields{"last_name": "Lovelace"}, "disputed proposed", 0.6},
		{fields{"last_name": "Lovelace", "first_name": "ADA"}, "disputed proposed", 0.8},
		{fields{"last_name": "Lovelace", "first_name": "Ada", "email": "ada@x.test"}, "linked ada matched", 0.92},
		{fields{"attributes": m{"site": "London"}}, "uncorrelated below_propose", 0.2},
		{fields{"attributes": m{"site": "London"}, "last_name": "Lovelace"}, "disputed proposed", 0.68},
	} {
		a := w.login(tt.want, tt.f)
		w.run()
		w.expect(a, tt.want)
		if got := w.Strings(`select correlation ->> 'score' from account where id = $1`, a)[0]; got != cmpFloat(
			tt.score,
		) {
			t.Errorf("%v scores %s; want %v", tt.f, got, tt.score)
		}
		w.Exec(`delete from account where id = $1`, a)
	}
}

func cmpFloat(f float64) string { b, _ := json.Marshal(f); return string(b) }

func TestWhatFollowsFromTheSameValuesCountsOnce(t *testing.T) {
	w := open(t)
	w.rules(m{"auto_link": 0.9, "rules": []m{
		rule(
			"same",
			"email",
			"email",
			"exact",
			0.7,
		),
		rule("folded", "email", "email", "ci_exact", 0.6),
		rule("login", "username", "email", "ci_exact", 0.65),
	}})
	w.someone("ada", fields{"email": "ada@x.test"})
	a := w.login("a", fields{"email": "ada@x.test", "username": "ada@x.test"})
	w.run()
	w.expect(a, "disputed proposed")
	got := w.Strings(
		`select e ->> 'rule_id' || ' ' || (e ->> 'outcome') from account a,
			jsonb_array_elements(a.correlation #> '{match_explanation,0,rules}') e where a.id = $1`,
		a,
	)
	if diff := cmp.Diff([]string{"same matched", "folded implied", "login implied"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTwoCandidatesWithinTheMarginAreDisputedWithBothNamed(t *testing.T) {
	w := open(t)
	w.rules(
		m{
			"rules": []m{
				rule("number", "employee_number", "employee_number", "exact", 0.95),
				rule("name", "display_name", "display_name", "exact", 0.85),
				rule("login", "username", "username", "exact", 0.84),
			},
		},
	)
	w.someone("Ada", fields{"employee_number": "1"})
	w.someone("Ada", fields{"external_id": "ada2"})
	w.someone("Bob", fields{"username": "bob"})
	near := w.login("near", fields{"employee_number": "1", "username": "bob"})     // 0.95 and 0.84
	tie := w.login("tie", fields{"display_name": "Ada", "employee_number": "1"})   // 0.9925 and 0.85
	shared := w.login("shared", fields{"display_name": "Ada"})                     // 0.85 twice
	edge := w.login("edge", fields{"display_name": "Bob", "employee_number": "1"}) // 0.95 and 0.85: exactly the margin
	w.run()
	w.expect(near, "linked Ada matched")
	w.expect(tie, "linked Ada matched")
	w.expect(shared, "disputed ambiguous")
	w.expect(edge, "disputed ambiguous")
	if got := w.Count(
		`select jsonb_array_length(correlation -> 'candidates') from account where id = $1`,
		shared,
	); got != 2 {
		t.Errorf("%d candidates are named; want 2", got)
	}
	list := w.Must(200, "admin", "GET", "/accounts/disputed", nil)
	if diff := cmp.Diff([]any{"shared", "edge"}, list.Values("external_id")); diff != "" {
		t.Errorf("disputed: -want +got\n%s", diff)
	}
}

func TestAVetoForbidsThePair(t *testing.T) {
	w := open(t)
	w.rules(
		m{
			"rules": []m{
				rule("mail", "email", "email", "ci_exact", 0.95),
				rule("name", "display_name", "display_name", "normalized", 0.9),
				veto("other_number", "employee_number"),
			},
		},
	)
	w.someone("ada", fields{"email": "ada@x.test", "employee_number": "1"})
	w.someone("bob", fields{"display_name": "bob", "employee_number": "2"})
	refused := w.login("refused", fields{"email": "ada@x.test", "employee_number": "9"})
	silent := w.login("silent", fields{"email": "ada@x.test"})
	other := w.login("other", fields{"email": "ada@x.test", "display_name": "Bob", "employee_number": "2"})
	w.run()
	w.expect(refused, "uncorrelated vetoed")
	w.expect(silent, "linked ada matched")
	w.expect(other, "linked bob matched")
	if n := w.writes(func() { w.run() }); n != 0 {
		t.Errorf("the second run wrote %d accounts", n)
	}
}

func TestLikenessAloneLinksNoPrivilegedAccount(t *testing.T) {
	w := open(t)
	w.rules(
		m{
			"rules": []m{
				rule("alike", "display_name", "display_name", "trigram>=0.5", 0.95),
				rule("mail", "email", "email", "ci_exact", 0.91),
				rule("begins", "username", "username", "prefix_3", 0.9),
			},
		},
	)
	w.someone("Ada Lovelace", fields{"email": "ada@x.test"})
	for name, tt := range map[string]struct {
		f    fields
		want string
	}{
		"plain":      {fields{"display_name": "Ada Lovelac"}, "linked Ada Lovelace matched"},
		"privileged": {fields{"display_name": "Ada Lovelac", "privileged": true}, "disputed privileged_fuzzy"},
		"by type": {fields{"display_name": "Ada Lovelac", "account_type": "privileged"},
			"disputed privileged_fuzzy"},
		"also mail": {fields{"display_name": "Ada Lovelac", "email": "ada@x.test", "privileged": true},
			"linked Ada Lovelace matched"},
	} {
		a := w.login(name, tt.f)
		w.run()
		w.expect(a, tt.want)
	}
}

func TestAValueOfManyPeopleFindsNobody(t *testing.T) {
	w := open(t)
	w.rules(
		m{
			"rules": []m{
				rule("site", "attributes.site", "location", "exact", 0.95),
				rule("mail", "email", "email", "ci_exact", 0.5),
			},
		},
	)
	w.Exec(`insert into identity (tenant_id, id, external_id, display_name, location, email)
		select current_tenant(), gen_random_uuid(), n, 'p' || n, 'London',
		    n || '@x.test' from generate_series(1, 26) n`)
	all := w.login("all", fields{"attributes": m{"site": "London"}})
	one := w.login("one", fields{"attributes": m{"site": "London"}, "email": "7@x.test"})
	w.run()
	w.expect(all, "uncorrelated")
	w.expect(one, "linked p7 matched")
}

func TestTheExplanationHoldsEveryRuleWithWhatItCompared(t *testing.T) {
	w := open(t)
	ada := w.someone("ada", fields{"email": "ada@x.test", "employee_number": "1"})
	a := w.login("a", fields{"email": " ADA@x.test", "username": "al"})
	w.run()
	got := w.Must(200, "admin", "GET", "/accounts/"+a, nil).Body["correlation"].(map[string]any)
	if _, ok := got["decided_at"].(string); !ok {
		t.Errorf("decided_at is %v", got["decided_at"])
	}
	delete(got, "decided_at")
	tried := func(rule string, weight float64, outcome string, compared m) any {
		return m{"rule_id": rule, "weight": weight, "outcome": outcome, "compared": []any{compared}}
	}
	want := m{"state": "linked", "by": "rules", "reason": "matched", "score": 0.95, "rule_ids": []any{"email"},
		"explanation": []any{"account and person have the same e-mail address"},
		"match_explanation": []any{m{"identity_id": ada, "rules": []any{
			tried(
				"employee_number",
				0.98,
				"no_value",
				m{"source": "employee_number", "identity": "employee_number", "match": "exact", "identity_value": "1"},
			),
			tried(
				"email",
				0.95,
				"matched",
				m{
					"source":         "email",
					"identity":       "email",
					"match":          "ci_exact",
					"account_value":  "ada@x.test",
					"identity_value": "ada@x.test",
					"holds":          true,
				},
			),
			tried(
				"username_is_email",
				0.90,
				"not_matched",
				m{
					"source":         "username",
					"identity":       "email",
					"match":          "ci_exact",
					"account_value":  "al",
					"identity_value": "ada@x.test",
				},
			),
		}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTenantsAreApart(t *testing.T) {
	w := open(t)
	other := pgtest.Tenant(t, w.DB, "second")
	w.insert(other, "identity", fields{"external_id": "x", "email": "ada@x.test"}, nil)
	mine := w.login("a", fields{"email": "ada@x.test"})
	theirs := w.newConnector(other, "theirs")
	w.insert(
		other,
		"account",
		fields{"connector_id": theirs, "external_id": "a", "row_hash": []byte{}, "email": "ada@x.test"},
		nil,
	)
	if got := w.run(); got != 0 {
		t.Errorf("%d accounts were given to another tenant's people", got)
	}
	w.expect(mine, "uncorrelated")
	if got := w.runOf(other, theirs); got != 1 {
		t.Errorf("%d accounts linked in the other tenant; want 1", got)
	}
	w.Let("stranger", other.Tenant, "", "admin")
	w.Refused(404, "not_found", "stranger", "GET", "/connectors/"+w.connector+"/correlation", nil)
	w.Refused(404, "not_found", "stranger", "POST", "/accounts/correlation/run", m{"connector_id": w.connector})
	w.Refused(404, "not_found", "stranger", "POST", "/accounts/"+mine+"/reset-correlation", nil)
	got := w.Must(
		200,
		"stranger",
		"POST",
		"/accounts/bulk-link",
		m{"pairs": []m{{"account_id": mine, "email": "ada@x.test"}}},
	)
	if got.Body["results"].([]any)[0].(map[string]any)["code"] != "account_not_found" {
		t.Errorf("got %v", got.Body)
	}
}

func TestARunOfChangesLooksAtTheLinkedAccountsItChangedAndAtAllOthers(t *testing.T) {
	const run = "0197a000-0000-7000-8000-00000000000b"
	w := open(t)
	w.someone("ada", fields{"employee_number": "1"})
	w.someone("bob", fields{"employee_number": "2"})
	changed, same := w.login("changed", fields{"employee_number": "1"}), w.login("same", fields{"employee_number": "1"})
	w.run()
	w.Exec(`update account set employee_number = '2'`)
	w.Exec(`update account set changed_run_id = $1 where id = $2`, run, changed)
	stranger := w.login("stranger", fields{"employee_number": "2"})
	err := w.DB.AsBulk(t.Context(), w.Tenant, func(tx *pg.Tx) error {
		_, err := matching.RunChanges(t.Context(), tx, w.connector, run)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.expect(changed, "linked bob matched")
	w.expect(stranger, "linked bob matched")
	w.expect(same, "linked ada matched")
	w.run()
	w.expect(same, "linked bob matched")
}
