package storedquery

import (
	"testing"

	"pgregory.net/rapid"
)

// TestJudgeAgreesWithEveryPossibleNumber compares the verdict with all numbers that an answer leaves open: it has passed
// only if each of them meets the expectation, and failed only if none does.
func TestJudgeAgreesWithEveryPossibleNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := Query{Expect: rapid.SampledFrom([]string{None, Some, AtMost, "", "all"}).Draw(t, "expect")}
		if rapid.Bool().Draw(t, "numbered") {
			n := rapid.IntRange(1, 6).Draw(t, "at most")
			q.AtMost = &n
		}
		found, unknown := rapid.IntRange(0, 8).Draw(t, "found"), rapid.IntRange(0, 4).Draw(t, "unknown")
		problems := rapid.IntRange(0, 3).Draw(t, "problems") == 0
		met, missed := 0, 0
		for n := found; n <= found+unknown; n++ {
			ok := q.Expect == None && n == 0 || q.Expect == Some && n > 0 ||
				q.Expect == AtMost && q.AtMost != nil && n <= *q.AtMost
			if ok {
				met++
			} else {
				missed++
			}
		}
		want := Unanswered
		switch {
		case problems:
		case missed == 0:
			want = Passed
		case met == 0:
			want = Failed
		}
		if got := q.Judge(found, unknown, problems); got != want {
			t.Fatalf("%+v with %d found, %d unknown, problems %t: %s; want %s", q, found, unknown, problems, got, want)
		}
	})
}

func TestCompleteRefusesWhatCannotBeAsked(t *testing.T) {
	three, zero := 3, 0
	rule := func(field, op string, value any) QueryCondition {
		return QueryCondition{"field": field, "op": op, "value": value}
	}
	one := []string{"0197E3C4-7A53-7D40-8A51-5D1F3A0E6B12"}
	for _, tt := range []struct {
		q             Query
		pointer, code string
	}{
		{Query{}, "/about", "required"},
		{Query{About: "systems", Expect: None}, "/about", "required"},
		{Query{About: Accounts, Expect: None}, "/connector_ids", "required"},
		{Query{About: Person, ConnectorIDs: one, Expect: None}, "/connector_ids", "not_applicable"},
		{Query{About: Person}, "/expect", "required"},
		{Query{About: Person, Expect: AtMost}, "/at_most", "required"},
		{Query{About: Person, Expect: AtMost, AtMost: &zero}, "/at_most", "required"},
		{Query{About: Person, Expect: Some, AtMost: &three}, "/at_most", "not_applicable"},
		{Query{About: Person, Expect: Some, Condition: rule("departement", "eq", "x")}, "/condition/field",
			"unknown_field"},
		{Query{About: Person, Expect: Some, Condition: rule("account.status", "eq", "active")}, "/condition/field",
			"unknown_field"},
		{Query{About: Grants, Expect: Some, Condition: rule("grant.risk_level", "eq", "severe")}, "/condition/value",
			"unknown_value"},
		{Query{About: Person, Expect: Some, Condition: QueryCondition{"expression": "identity['title'] is None"}},
			"/condition", "expression_not_allowed"},
		{Query{About: Accounts, ConnectorIDs: one, Expect: None,
			Condition: rule("account.last_login_at", "after", "-P30D")}, "", ""},
		{Query{About: Manager, Expect: Some, Condition: rule("status", "eq", "active")}, "", ""},
		{Query{About: Violations, Expect: AtMost, AtMost: &three, Condition: rule("department", "eq", "IT")}, "", ""},
	} {
		wrong := tt.q.Complete("#/q")
		pointer, code := "", ""
		if len(wrong) > 0 {
			pointer, code = wrong[0].Pointer, wrong[0].Code
		}
		if tt.pointer != "" {
			tt.pointer = "#/q" + tt.pointer
		}
		if pointer != tt.pointer || code != tt.code {
			t.Errorf("%+v: %q %q; want %q %q", tt.q, pointer, code, tt.pointer, tt.code)
		}
	}
	q := Query{About: Accounts, ConnectorIDs: append(one, one...), Expect: None,
		Condition: rule("account.status", "eq", "active")}
	if wrong := q.Complete("#"); len(wrong) > 0 || len(q.ConnectorIDs) != 1 || q.Condition["match"] != "all" {
		t.Errorf("the normal form is %+v, with %v", q, wrong)
	}
}
