package condition

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
)

var day0 = time.Date(2026, 3, 10, 9, 0, 0, 0, time.UTC)

func person(fields map[string]any) *fact.Person {
	return &fact.Person{
		Identity:     fields,
		Day:          day0,
		Managers:     map[string]bool{"boss": true},
		Roles:        map[string]bool{"ward-nurse": true},
		Entitlements: map[string]bool{"e1": true},
	}
}

var ada = person(map[string]any{
	"department":       "Nursing",
	"employment_type":  "employee",
	"title":            nil,
	"start_date":       "2026-03-01",
	"last_working_at":  "2026-04-01T12:00:00+00:00",
	"employee_number":  "A7",
	"secondary_emails": []any{"Ada@Home.test"},
	"is_disabled":      false,
	"attributes":       map[string]any{"level": float64(7), "shift": "Night", "oncall": true, "odd": map[string]any{}},
	"labels":           map[string]any{"team": "red"},
})

func TestRulesSayWhoTheyMean(t *testing.T) {
	for _, tt := range []struct {
		condition, sentence string
		want                bool
		warning             string
	}{
		{`{"match":"all","rules":[]}`, "everybody", true, ""},
		{`{"match":"all","rules":[{"field":"department","op":"in","value":["Surgery","Nursing"]},` +
			`{"field":"employment_type","op":"eq","value":"employee"}]}`,
			"department is Nursing or Surgery, and employment type is employee", true, ""},
		{`{"field":"department","op":"eq","value":"nursing"}`, "department is nursing", true, ""},
		{`{"field":"employment_type","op":"eq","value":"Employee"}`, "employment type is employee", true, ""},
		{`{"field":"employee_number","op":"eq","value":"a7"}`, "employee number is a7", false, ""},
		{`{"field":"department","op":"ne","value":"Nursing"}`, "department is not Nursing", false, ""},
		{`{"field":"title","op":"ne","value":"Nurse"}`, "title is not Nurse", true, ""},
		{`{"field":"title","op":"exists","value":false}`, "title is not known", true, ""},
		{`{"field":"title","op":"eq","value":"Nurse"}`, "title is Nurse", false, ""},
		{`{"field":"department","op":"not_in","value":["A","B"]}`, "department is neither A nor B", true, ""},
		{`{"field":"department","op":"contains","value":"URS"}`, "department contains URS", true, ""},
		{`{"field":"department","op":"starts_with","value":"nur"}`, "department starts with nur", true, ""},
		{`{"field":"secondary_emails","op":"contains","value":"ada@home.test"}`,
			"secondary emails contains ada@home.test", true, ""},
		{`{"field":"start_date","op":"before","value":"P30D"}`, "start date is before 30 days from today", true, ""},
		{`{"field":"start_date","op":"after","value":"-P1M"}`, "start date is after 1 month ago", true, ""},
		{`{"field":"start_date","op":"after","value":"-P1W"}`, "start date is after 7 days ago", false, ""},
		{`{"field":"start_date","op":"eq","value":"2026-03-01"}`, "start date is 2026-03-01", true, ""},
		{`{"field":"start_date","op":"before","value":"2026-03-01"}`, "start date is before 2026-03-01", false, ""},
		{`{"field":"start_date","op":"before","value":"today"}`, "start date is before today", true, ""},
		{`{"field":"last_working_at","op":"after","value":"2026-04-01T11:59:59Z"}`,
			"last working at is after 2026-04-01T11:59:59Z", true, ""},
		{`{"field":"last_working_at","op":"after","value":"2026-04-01"}`, "last working at is after 2026-04-01", false,
			""},
		{`{"field":"is_disabled","op":"eq","value":false}`, "disabled is false", true, ""},
		{`{"field":"attributes.level","op":"gt","value":6.5}`, "attribute level is more than 6.5", true, ""},
		{`{"field":"attributes.level","op":"eq","value":7}`, "attribute level is 7", true, ""},
		{`{"field":"attributes.level","op":"eq","value":"7"}`, `attribute level is "7"`, false, "wrong_type"},
		{`{"field":"attributes.shift","op":"lt","value":1}`, "attribute shift is less than 1", false, "wrong_type"},
		{`{"field":"attributes.shift","op":"eq","value":"night"}`, "attribute shift is night", true, ""},
		{`{"field":"attributes.oncall","op":"in","value":[true,"yes"]}`, "attribute oncall is yes or true", true, ""},
		{`{"field":"attributes.odd","op":"eq","value":"x"}`, "attribute odd is x", false, "wrong_type"},
		{`{"field":"attributes.none","op":"ne","value":"x"}`, "attribute none is not x", false, "unknown_attribute"},
		{`{"field":"attributes.none","op":"exists","value":false}`, "attribute none is not known", true, ""},
		{`{"field":"labels.team","op":"eq","value":"red"}`, "label team is red", true, ""},
		{`{"field":"manager","op":"in_tree","value":"boss"}`, "reports up to boss", true, ""},
		{`{"op":"has_role","value":["x","ward-nurse"]}`, "holds the role ward-nurse or x", true, ""},
		{`{"op":"has_role","value":"A."}`, `holds the role "A."`, false, ""},
		{`{"op":"has_entitlement","value":"e2"}`, "holds the entitlement e2", false, ""},
		{`{"match":"none","rules":[{"op":"has_role","value":"x"},{"field":"department","op":"eq","value":"IT"}]}`,
			"none of (holds the role x, or department is IT)", true, ""},
		{`{"match":"all","rules":[{"match":"any","rules":[{"field":"title","op":"eq","value":"a"},` +
			`{"field":"department","op":"eq","value":"Nursing"}]},{"field":"employment_type","op":"ne",` +
			`"value":"vendor"}]}`,
			"(title is a, or department is Nursing), and employment type is not vendor", true, ""},
		{`{"expression":"identity['department'].upper() == 'NURSING' and record.get('title') is None  # why"}`,
			`the expression "identity['department'].upper() == 'NURSING' and record.get('title') is None  # why" is ` +
				`true`, true, ""},
		{`{"expression":"f\"{identity['department']}!\" == 'Nursing!' and [identity for identity in 'ab'][1] == 'b' ` +
			`and len(identity) > 5"}`,
			`the expression "f\"{identity['department']}!\" == 'Nursing!' and [identity for identity in 'ab'][1] == ` +
				`'b' and len(identity) > 5" is true`, true, ""},
		{`{"expression":"identity.get('secondary_emails')"}`,
			`the expression "identity.get('secondary_emails')" is true`, true, ""},
		{`{"expression":"identity['attributes']['gone'] > 1"}`,
			`the expression "identity['attributes']['gone'] > 1" is true`, false, "expression_failed"},
	} {
		c, problems := Parse(json.RawMessage(tt.condition))
		if len(problems) > 0 {
			t.Errorf("Parse(%s): %v", tt.condition, problems)
			continue
		}
		got, warnings := c.Match(ada)
		var warned string
		if len(warnings) > 0 {
			warned = warnings[0].Code
		}
		if got != tt.want || warned != tt.warning {
			t.Errorf("%s: met %v with warning %q; want %v with %q", tt.condition, got, warned, tt.want, tt.warning)
		}
		if c.Sentence() != tt.sentence {
			t.Errorf("%s: sentence %q; want %q", tt.condition, c.Sentence(), tt.sentence)
		}
		again, problems := ParseSentence(c.Sentence())
		if len(problems) > 0 || form(t, again) != form(t, c) {
			t.Errorf("%q read back: %s %v; want %s", c.Sentence(), form(t, again), problems, form(t, c))
		}
	}
}

func form(t testing.TB, c Condition) string {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestProblemsPointToTheRuleAndSuggestWhatWasMeant(t *testing.T) {
	for _, tt := range []struct{ condition, pointer, code, suggestion string }{
		{`{"match":"all","rules":[{"field":"departement","op":"eq","value":"x"}]}`, "#/rules/0/field", "unknown_field",
			"department"},
		{`{"match":"all","rules":[{"field":"dept","op":"eq","value":"x"}]}`, "#/rules/0/field", "unknown_field",
			"department"},
		{`{"match":"any","rules":[{"field":"title","op":"equals","value":"x"}]}`, "#/rules/0/op", "unknown_operator",
			"eq"},
		{`{"match":"any","rules":[]}`, "#/rules", "required", ""},
		{`{"match":"either","rules":[]}`, "#/match", "unknown_match", "all"},
		{`{"rules":[]}`, "#/match", "required", "all"},
		{`{"match":"all","rule":[]}`, "#/rule", "unknown_member", "rules"},
		{`{"field":"start_date","op":"gt","value":3}`, "#/op", "wrong_operator", "eq"},
		{`{"field":"start_date","op":"after","value":"soon"}`, "#/value", "wrong_type", "today"},
		{`{"field":"start_date","op":"after","value":"2026-01-01T00:00:00Z"}`, "#/value", "wrong_type", "2026-01-01"},
		{`{"field":"employment_type","op":"in","value":["employee","contracter"]}`, "#/value/1", "unknown_value",
			"contractor"},
		{`{"field":"department","op":"in","value":"Nursing"}`, "#/value", "wrong_type", ""},
		{`{"field":"department","op":"eq","value":""}`, "#/value", "wrong_type", "exists"},
		{`{"field":"is_disabled","op":"eq","value":"true"}`, "#/value", "wrong_type", ""},
		{`{"match":"all","rules":[{"expression":"identity["}]}`, "#/rules/0/expression", "invalid_expression", ""},
		{`{"expression":"True)) or (lambda identity: bool(1"}`, "#/expression", "invalid_expression", ""},
		{`{"expression":"(lambda identity: identity)(1)"}`, "#/expression", "invalid_expression", ""},
		{`{"expression":"identity['x'] + nonsense"}`, "#/expression", "invalid_expression", ""},
		{`{"op":"has_role","value":[]}`, "#/value", "wrong_type", ""},
		{`{"op":"has_role","field":"department","value":"x"}`, "#/field", "unknown_member", ""},
		{`[]`, "#", "malformed", ""},
		{`{"match":"all","rules":[`, "#", "malformed", ""},
		{strings.Repeat(`{"match":"all","rules":[`, 9) + strings.Repeat("]}", 9),
			"#/rules/0/rules/0/rules/0/rules/0/rules/0/rules/0/rules/0/rules/0", "too_deep", ""},
	} {
		_, problems := Parse(json.RawMessage(tt.condition))
		if len(problems) == 0 {
			t.Errorf("Parse(%s) found nothing wrong", tt.condition)
			continue
		}
		p := problems[0]
		first := ""
		if len(p.Suggestions) > 0 {
			first = p.Suggestions[0]
		}
		if p.Pointer != tt.pointer || p.Code != tt.code || first != tt.suggestion {
			t.Errorf(
				"Parse(%s): %s %s %q; want %s %s %q",
				tt.condition,
				p.Pointer,
				p.Code,
				first,
				tt.pointer,
				tt.code,
				tt.suggestion,
			)
		}
	}
}

func TestNobodyIsMeantByNoCondition(t *testing.T) {
	if met, _ := (Condition{}).Match(ada); met {
		t.Error("the zero condition is met")
	}
}
