package mapping_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/proposal"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func people(fields ...v1.DiscoveredField) []v1.DiscoveredObject {
	return []v1.DiscoveredObject{{Kind: "identity", NativeType: "person", Fields: fields}}
}

func text(name string) v1.DiscoveredField {
	return v1.DiscoveredField{Name: name, Path: name, Type: "string", Source: "sample"}
}

func dated(name, kind string, samples ...string) v1.DiscoveredField {
	return v1.DiscoveredField{Name: name, Path: name, Type: kind, Source: "sample", Samples: samples}
}

// bySource are the proposals by the source field's name.
func bySource(rules []mapping.Mapping) map[string]mapping.Mapping {
	out := map[string]mapping.Mapping{}
	for _, r := range rules {
		out[r.Source] = r
	}
	return out
}

func TestEverySuggestionSaysWhichRuleFoundItAndHowSureItIs(t *testing.T) {
	template := []catalog.FieldMapping{{Object: "identity", Source: "profile.login", Target: "username"}}
	for _, tt := range []struct {
		field  v1.DiscoveredField
		target mapping.Field
		rule   mapping.Rule
		sure   float64
	}{
		{text("email"), mapping.Email, mapping.Exact, 1},
		{text("Email"), mapping.Email, mapping.Exact, 0.98},
		{text("displayName"), mapping.DisplayName, mapping.Exact, 0.98},
		{text("display_name"), mapping.DisplayName, mapping.Exact, 1},
		{text("mail"), mapping.Email, mapping.Synonym, 0.9},
		{text("cn"), mapping.DisplayName, mapping.Synonym, 0.9},
		{text("sAMAccountName"), mapping.Username, mapping.Synonym, 0.9},
		{dated("eintritt", "date", "2020-01-31", "2021-02-28"), mapping.HireDate, mapping.TypeShape, 0.5},
		{text("userPrincipalName"), mapping.Email, mapping.VendorTemplate, 0.9},
		{text("userAccountControl"), mapping.IsDisabled, mapping.VendorTemplate, 0.9},
		{text("profile.login"), mapping.Username, mapping.VendorTemplate, 0.9},
		{text("urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager.value"), mapping.Manager,
			mapping.ScimExtension, 1},
		{text("urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department"), mapping.Department,
			mapping.ScimExtension, 1},
		{text("urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber"), mapping.EmployeeNumber,
			mapping.ScimExtension, 1},
	} {
		got := proposal.Suggest(people(tt.field), template)[0]
		if got.Action != mapping.ActionMap || got.Target != tt.target || got.Heuristic != tt.rule ||
			got.Confidence != tt.sure {
			t.Errorf(
				"%s: %s %s by %s (%v); want %s by %s (%v)",
				tt.field.Name,
				got.Action,
				got.Target,
				got.Heuristic,
				got.Confidence,
				tt.target,
				tt.rule,
				tt.sure,
			)
		}
	}
}

func TestOneFieldOfOursComesFromOneFieldOfTheSource(t *testing.T) {
	got := bySource(
		proposal.Suggest(
			people(text("cn"), text("mail"), text("displayName"), text("userPrincipalName"), text("colour")),
			nil,
		),
	)
	for source, want := range map[string]mapping.Mapping{
		"displayName":       {Action: "map", Target: mapping.DisplayName},
		"mail":              {Action: "map", Target: mapping.Email},
		"cn":                {Action: "ignore", Note: "display_name comes from “displayName”"},
		"userPrincipalName": {Action: "ignore", Note: "email comes from “mail”"},
		"colour":            {Action: "ignore"},
	} {
		if g := got[source]; g.Action != want.Action || g.Target != want.Target || g.Note != want.Note {
			t.Errorf(
				"%s: %s %q, note %q; want %s %q, note %q",
				source,
				g.Action,
				g.Target,
				g.Note,
				want.Action,
				want.Target,
				want.Note,
			)
		}
	}
}

func TestAFieldThatIsAlwaysEmptyDoesNotWin(t *testing.T) {
	empty := func(f v1.DiscoveredField) v1.DiscoveredField { f.NullRatio = 1; return f }
	entry, ok := catalog.Find("active-directory")
	if !ok {
		t.Fatal("no such entry")
	}
	for name, template := range map[string][]catalog.FieldMapping{"without a template": nil,
		"by the template": entry.Mapping} {
		got := bySource(
			proposal.Suggest(
				people(
					text("employeeID"),
					empty(text("employeeNumber")),
					empty(text("mail")),
					text("userPrincipalName"),
					text("cn"),
				),
				template,
			),
		)
		if got["employeeID"].Target != mapping.EmployeeNumber || got["employeeNumber"].Action != mapping.ActionIgnore ||
			got["userPrincipalName"].Target != mapping.Email {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := bySource(
		proposal.Suggest(
			people(text("employeeID"), text("employeeNumber"), text("mail"), text("userPrincipalName")),
			entry.Mapping,
		),
	)
	if got["employeeID"].Target != mapping.EmployeeNumber || got["mail"].Target != mapping.Email {
		t.Errorf("where all are filled the template decides: %+v", got)
	}
	got = bySource(proposal.Suggest(people(empty(text("employeeID")), empty(text("employeeNumber"))), nil))
	if got["employeeNumber"].Target != mapping.EmployeeNumber {
		t.Errorf("where nothing was sampled the name decides: %+v", got)
	}
}

func TestBookkeepingIsNoHireDate(t *testing.T) {
	never := dated("termsAccepted", "datetime")
	never.NullRatio = 1
	for _, f := range []v1.DiscoveredField{dated("dSCorePropagationData", "datetime", "2026-01-31T10:00:00Z"), never} {
		if got := bySource(proposal.Suggest(people(text("cn"), f), nil))[f.Name]; got.Action != mapping.ActionIgnore {
			t.Errorf("%s is proposed as %s", f.Name, got.Target)
		}
	}
}

func TestTheFirstDateIsTheHireDateUnlessSomethingElseIsKnown(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fields []v1.DiscoveredField
		want   string // source of the hire date
	}{
		{"the first of two", []v1.DiscoveredField{dated("begin", "date", "2020-01-31"),
			dated("other", "date", "2022-01-31")}, "begin"},
		{"a name goes before a shape", []v1.DiscoveredField{dated("begin", "date", "2020-01-31"),
			dated("hireDate", "date", "2022-01-31")}, "hireDate"},
		{"a date goes before an instant", []v1.DiscoveredField{dated("begin", "datetime", "2020-01-31T00:00:00Z"),
			dated("other", "date", "2022-01-31")}, "other"},
		{"an instant where there is nothing better",
			[]v1.DiscoveredField{dated("begin", "datetime", "2020-01-31T00:00:00Z")}, "begin"},
		{"what the source notes for itself is none",
			[]v1.DiscoveredField{dated("lastModified", "datetime", "2020-01-31T10:00:00Z"),
				dated("created_at", "date", "2020-01-31")}, ""},
		{"one that has a meaning already", []v1.DiscoveredField{dated("endDate", "date", "2030-01-31")}, ""},
		{"hidden samples", []v1.DiscoveredField{dated("begin", "date", "2***-0***-3***")}, "begin"},
		{"no ISO date", []v1.DiscoveredField{dated("begin", "datetime", "20200131000000Z")}, ""},
	} {
		got := ""
		for _, r := range proposal.Suggest(people(tt.fields...), nil) {
			if r.Target == mapping.HireDate {
				got = r.Source
			}
		}
		if got != tt.want {
			t.Errorf("%s: hire_date from %q; want %q", tt.name, got, tt.want)
		}
	}
}

func TestSecretsAndBinaryValuesAreNotMapped(t *testing.T) {
	secret, photo := text("email"), text("title")
	secret.Secret, photo.Type = true, "binary"
	for _, r := range proposal.Suggest(people(secret, photo), nil) {
		if r.Action != mapping.ActionIgnore || r.Note == "" {
			t.Errorf("%s: %s, note %q", r.Source, r.Action, r.Note)
		}
	}
}

func TestAnAccountHasFieldsOfItsOwn(t *testing.T) {
	got := bySource(
		proposal.Suggest(
			[]v1.DiscoveredObject{
				{Kind: "account", Fields: []v1.DiscoveredField{text("login"), text("department")}},
				{Kind: "nesting", Fields: []v1.DiscoveredField{text("cn")}},
			},
			nil,
		),
	)
	if len(got) != 2 || got["login"].Target != mapping.Username || got["department"].Action != mapping.ActionIgnore {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsWrongWithRulesIsSaidBeforeAnythingIsWritten(t *testing.T) {
	rules := mapping.Normalise([]mapping.Mapping{
		{Object: "identity", Source: "a", Target: "employeeNumber"},
		{Object: "identity", Source: "b", Target: "EMAIL"},
		{Object: "identity", Source: "c", Target: "email"},
		{Object: "identity", Source: "a", Action: "ignore"},
		{Object: "identity", Source: "d", Target: "shoe_size"},
		{Object: "identity", Source: "e", Target: "attributes.9"},
		{Object: "identity", Source: "f", Target: "title", Transform: "value +"},
		{Object: "identity", Source: "", Target: "country"},
		{Object: "account", Source: "g", Target: "department"},
		{Object: "nesting", Source: "h", Target: "email"},
		{Object: "identity", Source: "i", Target: "location", Action: "delete"},
		{Object: "identity", Source: strings.Repeat("x", 10001), Target: "job_code"},
		{Object: "identity", Source: strings.Repeat("y", 10000), Target: "attributes.badge"},
		{Object: "identity", Source: "with.dots and spaces", Target: "division"},
	})
	if rules[0].Target != mapping.EmployeeNumber || rules[1].Target != mapping.Email {
		t.Errorf("spellings: %s, %s", rules[0].Target, rules[1].Target)
	}
	var got []string
	for _, w := range mapping.Check(rules, compile) {
		got = append(
			got,
			strings.Join([]string{rules[w.Index].Source[:min(1, len(rules[w.Index].Source))], w.Member, w.Code}, " "),
		)
	}
	want := []string{
		"c target_field duplicate_target",
		"a source_path duplicate_source",
		"d target_field unknown_field",
		"e target_field unknown_field",
		"f transform invalid_transform",
		" source_path required",
		"g target_field unknown_field",
		"h object unknown_object",
		"i action unknown_action",
		"x source_path too_long",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wrong (-want +got):\n%s", diff)
	}
}
