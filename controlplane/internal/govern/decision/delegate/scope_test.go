package delegate

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
)

// in is a person of a department.
func in(department string) fact.Facts {
	return &fact.Person{Identity: map[string]any{"department": department}}
}

// scopeOf is a scope with a condition about a department, unless that is empty.
func scopeOf(kinds, systems, risks []string, department string) Scope {
	s := Scope{Kinds: kinds, Systems: systems, Risks: risks}
	if department != "" {
		s.Condition = json.RawMessage(`{"field": "department", "op": "eq", "value": "` + department + `"}`)
		s.parse()
	}
	return s
}

// Each limit of a scope keeps the tasks outside it with the delegator, also the tasks that it says nothing about.
func TestAScopeCoversWhatAllItsLimitsAllow(t *testing.T) {
	list := func(values ...string) []string { return values }
	hr := Task{Kind: "request_approval", Systems: list("hr"), Risk: "high", Person: in("Finance")}
	for _, tt := range []struct {
		name  string
		scope Scope
		task  Task
		want  bool
	}{
		{"no limit", Scope{}, Task{Kind: "sync_hold"}, true},
		{"its kind", scopeOf(list("request_approval"), nil, nil, ""), hr, true},
		{"another kind", scopeOf(list("sync_hold"), nil, nil, ""), hr, false},
		{"its system", scopeOf(nil, list("hr", "mail"), nil, ""), hr, true},
		{"another system", scopeOf(nil, list("mail"), nil, ""), hr, false},
		{"two systems, one of them outside", scopeOf(nil, list("hr"), nil, ""), Task{Systems: list("hr", "mail")}, false},
		{"two systems, both covered", scopeOf(nil, list("mail", "hr"), nil, ""), Task{Systems: list("hr", "mail")}, true},
		{"no system", scopeOf(nil, list("hr"), nil, ""), Task{}, false},
		{"its risk", scopeOf(nil, nil, list("low", "high"), ""), hr, true},
		{"another risk", scopeOf(nil, nil, list("low"), ""), hr, false},
		{"no risk", scopeOf(nil, nil, list("low"), ""), Task{}, false},
		{"a person who meets the condition", scopeOf(nil, nil, nil, "Finance"), hr, true},
		{"a person who does not", scopeOf(nil, nil, nil, "Sales"), hr, false},
		{"no person", scopeOf(nil, nil, nil, "Finance"), Task{}, false},
		{"all limits", scopeOf(list("request_approval"), list("hr"), list("high"), "Finance"), hr, true},
		{"all limits but one", scopeOf(list("request_approval"), list("hr"), list("low"), "Finance"), hr, false},
	} {
		if got := tt.scope.Covers(tt.task); got != tt.want {
			t.Errorf("%s: covers = %v; want %v", tt.name, got, tt.want)
		}
	}
	broken := Scope{Condition: json.RawMessage(`{"field": "shoe_size"}`)}
	if broken.parse(); broken.Covers(hr) {
		t.Error("a condition that cannot be read covers a task")
	}
}

// subset draws some of the values; none often.
func subset(t *rapid.T, name string, of ...string) (some []string) {
	if rapid.Bool().Draw(t, "any "+name) {
		return nil
	}
	for _, v := range of {
		if rapid.Bool().Draw(t, name) {
			some = append(some, v)
		}
	}
	return some
}

func drawScope(t *rapid.T) Scope {
	return scopeOf(
		subset(t, "kinds", "a", "b", "c"),
		subset(t, "systems", "hr", "mail", "erp"),
		subset(
			t,
			"risks",
			"low",
			"high",
		),
		rapid.SampledFrom([]string{"", "", "Finance", "Sales"}).Draw(t, "department"),
	)
}

func drawTask(t *rapid.T) Task {
	task := Task{
		Kind:    rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "kind"),
		Systems: subset(t, "concerns", "hr", "mail", "erp"),
		Risk:    rapid.SampledFrom([]string{"", "low", "high"}).Draw(t, "risk"),
	}
	if d := rapid.SampledFrom([]string{"", "Finance", "Sales"}).Draw(t, "of"); d != "" {
		task.Person = in(d)
	}
	return task
}

// Common has exactly the tasks that both scopes cover, but for their conditions.
func TestCommonScopesCoverWhatBothCover(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, task := drawScope(t), drawScope(t), drawTask(t)
		both, some := a.Common(b)
		covered := a.Covers(task) && b.Covers(task)
		if covered && (!some || !both.Covers(task)) {
			t.Fatalf("%+v and %+v cover %+v; their common scope %+v does not", a, b, task, both)
		}
		a.Condition, b.Condition = nil, nil
		if some && both.Covers(task) && !(a.Covers(task) && b.Covers(task)) {
			t.Fatalf("the common scope %+v of %+v and %+v covers %+v, which they do not", both, a, b, task)
		}
	})
}

// A task goes to the end of the delegations that cover it, one after the other. Whoever is outside one of them keeps
// it. The ways that are shown contain the way of every task.
func TestTasksFollowTheDelegationsThatCoverThem(t *testing.T) {
	at := time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		people := []string{"p0", "p1", "p2", "p3", "p4"}
		known := Known{}
		for i := range rapid.IntRange(0, 8).Draw(t, "delegations") {
			from := rapid.IntRange(0, 3).Draw(t, "from")
			d := InForce{
				ID: fmt.Sprint(i), Delegator: people[from], Delegate: people[rapid.IntRange(from+1, 4).Draw(t, "to")],
				Scope: drawScope(t), IncludeOpen: true, There: rapid.IntRange(0, 4).Draw(t, "there") > 0,
			}
			overlaps := slices.ContainsFunc(known[d.Delegator], func(o InForce) bool {
				_, some := o.Scope.Common(d.Scope)
				return some
			})
			if !overlaps { // the rules refuse two delegations of a person for the same tasks
				known[d.Delegator] = append(known[d.Delegator], d)
			}
		}
		task, person := drawTask(t), rapid.SampledFrom(people).Draw(t, "person")
		want, end, way := "", person, []string{}
		for range MaxChain {
			i := slices.IndexFunc(known[end], func(d InForce) bool { return d.Scope.Covers(task) })
			if i < 0 {
				break
			}
			d := known[end][i]
			if end, way = d.Delegate, append(way, d.ID); d.There {
				want = end
			}
		}
		if got := known.End(task, person, at); got != want {
			t.Fatalf("%+v of %s goes to %q by %+v; want %q, over %v", task, person, got, known, want, way)
		}
		path := known.Chain(task, person, at, func(string) bool { return true })
		shown := slices.ContainsFunc(known.Paths(person), func(p []InForce) bool {
			return slices.EqualFunc(p, path, func(a, b InForce) bool { return a.ID == b.ID })
		})
		if len(path) > 0 && !shown {
			t.Fatalf("the way %+v of %+v is not among those shown: %+v", path, task, known.Paths(person))
		}
	})
}
