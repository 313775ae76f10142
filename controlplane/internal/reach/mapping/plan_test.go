package mapping_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/mapper"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/proposal"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// spoken is a transform for these tests: its text is a key of spokenBy.
type spoken func(value any, record map[string]any) (any, error)

func (s spoken) Eval(value any, record *mapping.Record) (any, error) { return s(value, record.Fields) }

type kinded struct{ error }

func (kinded) Kind() string { return "KeyError" }

var spokenBy = map[string]spoken{
	"lower(value)":    func(v any, _ map[string]any) (any, error) { return strings.ToLower(v.(string)), nil },
	"not value":       func(v any, _ map[string]any) (any, error) { return v != true, nil },
	"record['first']": func(_ any, r map[string]any) (any, error) { return r["first"], nil },
	"None":            func(any, map[string]any) (any, error) { return nil, nil },
	"record['secret!']": func(any, map[string]any) (any, error) {
		return nil,
			kinded{errors.New("KeyError: 'secret!'")}
	},
}

func compile(text string) (mapping.Expression, error) {
	if s, ok := spokenBy[text]; ok {
		return s, nil
	}
	return nil, errors.New("invalid syntax in column 8")
}

func with(t *testing.T, rules ...mapping.Mapping) *mapper.Mapper {
	t.Helper()
	for i := range rules {
		if rules[i].Object == "" {
			rules[i].Object = "identity"
		}
	}
	rules = mapping.Normalise(rules)
	if wrong := mapping.Check(rules, compile); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	m, err := mapper.With(rules, compile)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func of(s string) *string { return &s }

func TestAPersonsRulesTakeTheHeuristicsPlace(t *testing.T) {
	m := with(t,
		mapping.Mapping{Source: "work mail", Target: "email", Transform: "lower(value)"},
		mapping.Mapping{Source: "active", Target: "is_disabled", Transform: "not value"},
		mapping.Mapping{Source: "manager", Target: "manager"},
		mapping.Mapping{Source: "badge", Target: "attributes.badge_no"},
		mapping.Mapping{Source: "cn", Action: "ignore"},
		mapping.Mapping{Source: "dept", Target: "title", Transform: "None"},
	)
	p, problems := m.Person(&v1.RemoteIdentity{
		ExternalID:  "1",
		Email:       of("connector@x.test"),
		DisplayName: of("Common Name"),
		Title:       of("Engineer"),
		LastName:    of("Kept"),
		ManagerRef:  &v1.Ref{Kind: v1.RefExternalID, Value: "2"},
		Attributes: map[string]any{
			"work mail": "ADA@X.TEST",
			"active":    false,
			"manager":   "2",
			"badge":     []any{"7", 8.0},
			"cn":        "Common Name",
			"dept":      "x",
			"mail":      "other@x.test",
		},
	}, today)
	if len(problems) > 0 {
		t.Errorf("problems: %v", problems)
	}
	want := map[mapping.Field]string{mapping.Email: "ada@x.test", mapping.LastName: "Kept", mapping.DisplayName: "Kept"}
	if diff := cmp.Diff(want, p.Text); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	if p.Status != "deactivated" || *p.Manager != (v1.Ref{Kind: v1.RefExternalID, Value: "2"}) {
		t.Errorf("status %q, manager %v", p.Status, p.Manager)
	}
	if diff := cmp.Diff(map[string]any{"badge_no": []any{"7", 8.0}}, p.Custom); diff != "" {
		t.Errorf("custom (-want +got):\n%s", diff)
	}
}

func TestAFailedTransformSetsTheRecordAsideAndTellsNoValue(t *testing.T) {
	m := with(
		t,
		mapping.Mapping{Source: "mail", Target: "email", Transform: "record['secret!']"},
		mapping.Mapping{Source: "name", Target: "display_name"},
	)
	_, problems := m.Person(&v1.RemoteIdentity{ExternalID: "1", Attributes: map[string]any{"mail": "x"}}, today)
	want := []mapper.Problem{
		{
			Field:   "mail",
			Code:    "transform_failed",
			Message: "the transform failed: KeyError",
			Whole:   true,
			Detail:  "KeyError: 'secret!'",
		},
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestAnAccountIsMappedToo(t *testing.T) {
	m := with(t,
		mapping.Mapping{Object: "account", Source: "login", Target: "username", Transform: "lower(value)"},
		mapping.Mapping{Object: "account", Source: "mail", Action: "ignore"},
		mapping.Mapping{Object: "account", Source: "team", Target: "attributes.team"},
	)
	r := v1.RemoteAccount{
		ExternalID: "1",
		Username:   of("ADA"),
		Email:      of("ada@x.test"),
		Attributes: map[string]any{"login": "ADA", "mail": "ada@x.test", "team": map[string]any{"a": 1.0}},
	}
	custom, problems := m.Account(&r)
	if *r.Username != "ada" || r.Email != nil || custom != nil {
		t.Errorf("username %v, email %v, custom %v", *r.Username, r.Email, custom)
	}
	if len(problems) != 1 || problems[0].Code != "not_a_plain_value" || problems[0].Field != "team" {
		t.Errorf("problems: %+v", problems)
	}
	// Where nobody has decided about people, the heuristics do.
	if p, _ := m.Person(
		&v1.RemoteIdentity{ExternalID: "1", Attributes: map[string]any{"mail": "a@x.test"}},
		today,
	); p.Text[mapping.Email] != "a@x.test" {
		t.Errorf("people: %v", p.Text)
	}
}

func TestThePreviewShowsBeforeAfterAndWhatIsWrongWithAllTogether(t *testing.T) {
	m := with(
		t,
		mapping.Mapping{Source: "mail", Target: "email"},
		mapping.Mapping{Source: "no", Target: "employeeNumber"},
		mapping.Mapping{
			Source: "boss",
			Target: "manager",
		},
		mapping.Mapping{Source: "begin", Target: "hire_date"},
		mapping.Mapping{Source: "off", Target: "is_disabled"},
	)
	person := func(id, mail, no, boss, begin string, off bool) v1.RemoteIdentity {
		return v1.RemoteIdentity{
			ExternalID: id,
			Attributes: map[string]any{"mail": mail, "no": no, "boss": boss, "begin": begin, "off": off},
		}
	}
	rows := m.Preview(mapper.Sample{Identities: []v1.RemoteIdentity{
		person("1", "ada@x.test", "7", "", "2020-01-31", false),
		person("2", "ADA@x.test", "7", "1", "soon", false),
		person("3", "nobody", "9", "cn=gone,dc=x", "2020-01-31", true),
		person("4", "", "", "somebody@else.test", "", false),
	}}, today)
	if diff := cmp.Diff(
		map[string]any{
			"email":           "ada@x.test",
			"employee_number": "7",
			"hire_date":       "2020-01-31",
			"is_disabled":     false,
			"status":          "active",
		},
		rows[0].After,
	); diff != "" {
		t.Errorf("the first row (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(
		[]mapper.RowError{{Field: "begin", Code: "not_a_date", Message: "hire_date needs a date such as 2026-01-31"}},
		rows[1].Errors,
	); diff != "" {
		t.Errorf("errors of the second row (-want +got):\n%s", diff)
	}
	got := map[string][]string{}
	for _, f := range append(mapper.Population(rows),
		mapper.UnresolvedManagers(rows, func(v string) bool { return v == "somebody@else.test" })...) {
		got[f.Check+" "+f.Field] = f.ExternalIDs
	}
	want := map[string][]string{
		"values_lost hire_date": {
			"2",
		},
		"values_lost email":             {"3"},
		"duplicates email":              {"2"},
		"duplicates employee_number":    {"2"},
		"would_be_disabled is_disabled": {"3"},
		"unresolved_managers manager":   {"3"},
		"no_key_for_owners ":            {"4"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestTwoLooksAtASourceAreCompared(t *testing.T) {
	field := func(name, kind, source string) v1.DiscoveredField {
		return v1.DiscoveredField{Name: name, Type: kind, Source: source, NullRatio: 0}
	}
	before := people(
		field("same", "string", "both"),
		field("gone", "string", "schema"),
		field("changed", "string", "both"),
		field("rare", "string", "sample"),
	)
	after := people(
		field("same", "string", "both"),
		field("new", "date", "schema"),
		field("changed", "integer", "both"),
	)
	d := proposal.Diff(before, after)
	if len(d.Added) != 1 || d.Added[0].Path != "new" || len(d.Removed) != 1 || d.Removed[0].Path != "gone" {
		t.Errorf("added %v, removed %v", d.Added, d.Removed)
	}
	if diff := cmp.Diff(
		[]proposal.TypeChange{
			{Object: "identity", Path: "changed", From: "string", To: "integer", Samples: []string{}},
		},
		d.TypeChanged,
	); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
	if d := proposal.Diff(before, before); !d.Empty() {
		t.Errorf("nothing changed: %+v", d)
	}
	// A source that declares nothing has lost what is in no sample any more.
	if d := proposal.Diff(
		people(field("rare", "string", "sample")),
		people(field("other", "string", "sample")),
	); len(d.Removed) != 1 {
		t.Errorf("without a schema: %+v", d)
	}
}

func TestCopiedRulesKeepWhatFitsAndShowWhatDoesNot(t *testing.T) {
	there := people(text("mail"), text("dept"), text("badge"), text("begin"))
	here := people(text("mail"), text("dept"), dated("begin", "date"), text("email"))
	rules := []mapping.Mapping{
		{Object: "identity", Source: "mail", Action: "map", Target: "email", Transform: "lower(value)"},
		{Object: "identity", Source: "dept", Action: "ignore"},
		{Object: "identity", Source: "badge", Action: "map", Target: "attributes.badge"},
		{Object: "identity", Source: "begin", Action: "map", Target: "hire_date"},
	}
	fit, misfits := proposal.Fit(rules, there, here, proposal.Suggest(here, nil))
	got := bySource(fit)
	if g := got["mail"]; g.Heuristic != mapping.Copied || !g.Overridden || g.Transform != "lower(value)" {
		t.Errorf("mail: %+v", g)
	}
	if g := got["email"]; g.Action != mapping.ActionIgnore || !strings.Contains(g.Note, "copied") {
		t.Errorf("email, whose target is taken: %+v", g)
	}
	if got["dept"].Action != mapping.ActionIgnore {
		t.Errorf("dept: %+v", got["dept"])
	}
	reasons := map[string]string{}
	for _, m := range misfits {
		reasons[m.Source] = m.Code
	}
	if diff := cmp.Diff(map[string]string{"badge": "no_such_field", "begin": "other_type"}, reasons); diff != "" {
		t.Errorf("misfits (-want +got):\n%s", diff)
	}
}
