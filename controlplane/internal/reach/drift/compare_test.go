package drift

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
)

func TestValuesThatMeanTheSameAreTheSame(t *testing.T) {
	for _, tt := range []struct {
		target string
		a, b   any
		same   bool
	}{
		{"title", "Nurse", "Nurse", true}, {"title", "Nurse", "nurse", false}, {"title", nil, "", true},
		{"title", nil, []any{}, true}, {"title", nil, "x", false},
		{"title", "x", []any{"x"}, true}, {"title", []any{"a", "b"}, []any{"b", "a"}, true},
		{"title", []any{"a"}, []any{"a", "b"}, false},
		{"n", int64(5), "5", true}, {"n", float64(5), json.Number("5"), true}, {"n", int64(5), 5.5, false},
		{"b", "TRUE", true, true}, {"b", false, "TRUE", false},
		{"mail", "Jane@acme.test", "jane@ACME.test", true}, {"email", "a@x", "b@x", false},
		{"userPrincipalName", "A@x", "a@x", true},
		{"x", map[string]any{"a": "1"}, map[string]any{"a": "1"}, true},
		{"x", map[string]any{"a": "1"}, map[string]any{"a": "2"}, false},
	} {
		if got := same(tt.target, tt.a, tt.b); got != tt.same {
			t.Errorf("%s: %v and %v are the same: %v", tt.target, tt.a, tt.b, got)
		}
	}
}

func TestWhatBecomesOfAnAttributeThatIsOtherwise(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	then := now.Add(-time.Hour)
	was := func(desired any) state { return state{Desired: map[string]any{"title": desired}} }
	byHand, byRule := AcceptedDrift{Value: "Boss", By: "ada"}, AcceptedDrift{Value: "Boss", Rule: true}
	with := func(s state, a AcceptedDrift) state { s.Accepted = map[string]AcceptedDrift{"title": a}; return s }
	written := func(s state, over string) state {
		s.Pushed = map[string]pushed{"title": {Desired: "Nurse", Observed: over}}
		return s
	}
	unknown := "\x00"
	for _, tt := range []struct {
		name             string
		before           state
		observed         any
		moved            bool
		rule             writing.DriftRule
		decision         string
		drift, push      bool
		accepted, byRule bool
	}{
		{name: "it is as it should be", before: was("Nurse"), observed: "Nurse"},
		{name: "the target has something else", before: was("Nurse"), observed: "Boss", drift: true},
		{name: "nobody has compared before", before: state{}, observed: "Boss", moved: true, drift: true},
		{name: "the person has changed", before: was("Intern"), observed: "Intern", moved: true, drift: true,
			push: true},
		{name: "the person has changed, and the target has it already", before: was("Intern"), observed: "Nurse",
			moved: true},
		{name: "something else about the person has changed", before: was("Nurse"), observed: "Boss", moved: true,
			drift: true},
		{name: "the template has changed", before: was("Intern"), observed: "Intern", drift: true},
		{name: "the rule writes it again", before: was("Nurse"), observed: "Boss",
			rule: writing.DriftRule{Direction: "push"}, drift: true, push: true, byRule: true},
		{name: "the rule has written it, and the target took no notice", before: written(was("Nurse"), "Boss"),
			observed: "Boss", rule: writing.DriftRule{Direction: "push"}, drift: true},
		{name: "the rule has written it, and now it is something else", before: written(was("Nurse"), "Chief"),
			observed: "Boss", rule: writing.DriftRule{Direction: "push"}, drift: true, push: true, byRule: true},
		{name: "the rule accepts it", before: was("Nurse"), observed: "Boss",
			rule: writing.DriftRule{Direction: "accept"}, accepted: true},
		{name: "what the rule accepted ends with a change of the person", before: with(was("Intern"), byRule),
			observed: "Boss", moved: true, rule: writing.DriftRule{Direction: "accept"}, drift: true, push: true},
		{name: "what somebody accepted stays while the person is the same", before: with(was("Nurse"), byHand),
			observed: "Boss", accepted: true},
		{name: "what somebody accepted is written when the person changes", before: with(was("Intern"), byHand),
			observed: "Boss", moved: true, drift: true, push: true},
		{name: "what somebody accepted has become something else", before: with(was("Nurse"), byHand),
			observed: "Chief", drift: true},
		{name: "what somebody accepted has become right", before: with(was("Nurse"), byHand), observed: "Nurse"},
		{name: "somebody accepts it", before: was("Nurse"), observed: "Boss", decision: "accept", accepted: true},
		{name: "somebody writes it", before: was("Nurse"), observed: "Boss", decision: "push", drift: true, push: true},
		{name: "somebody writes what was accepted", before: with(was("Nurse"), byHand), observed: "Boss",
			decision: "push", drift: true, push: true},
		{name: "somebody writes it once more", before: written(was("Nurse"), "Boss"), observed: "Boss",
			decision: "push", drift: true, push: true},
		{name: "nobody looks at drift", before: was("Nurse"), observed: "Boss",
			rule: writing.DriftRule{Check: "never", Direction: "push"}},
		{name: "nobody looks at drift, and the person has changed", before: was("Intern"), observed: "Intern",
			moved: true, rule: writing.DriftRule{Check: "never"}, drift: true, push: true},
		{name: "drift of others is looked at", before: was("Nurse"), observed: "Boss",
			rule: writing.DriftRule{Direction: "push", Attributes: []string{"mail"}}},
		{name: "drift of this is looked at", before: was("Nurse"), observed: "Boss",
			rule: writing.DriftRule{Direction: "report", Attributes: []string{"TITLE"}}, drift: true},
		{name: "the target does not show it", before: was("Nurse"), observed: unknown},
		{name: "the target does not show it, and the person has changed", before: was("Intern"), observed: unknown,
			moved: true, push: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.rule.Direction == "" {
				tt.rule.Direction = "report"
			}
			q := question{
				before:  tt.before,
				rule:    tt.rule,
				moved:   tt.moved,
				now:     now,
				owned:   []shape.Owned{{Target: "title", Value: "Nurse"}},
				observe: func(string) (any, bool) { return tt.observed, tt.observed != unknown },
			}
			if tt.decision != "" {
				q.resolve, q.resolver = map[string]string{"title": tt.decision}, AcceptedDrift{By: "ada", At: now}
			}
			after, pushes := compare(q)
			if (len(after.Drift) == 1) != tt.drift || (len(pushes) == 1) != tt.push ||
				(len(after.Accepted) == 1) != tt.accepted {
				t.Errorf("there are drift %+v, pushes %+v, accepted %+v", after.Drift, pushes, after.Accepted)
			}
			if len(pushes) == 1 && pushes[0].byRule != tt.byRule {
				t.Errorf("it is written by rule: %v", pushes[0].byRule)
			}
			if after.Desired["title"] != "Nurse" {
				t.Errorf("what is kept is %v", after.Desired)
			}
			if len(after.Drift) == 1 &&
				(after.Drift[0].Since != now || after.Drift[0].Observed != tt.observed ||
					after.Drift[0].Desired != "Nurse") {
				t.Errorf("the drift is %+v", after.Drift[0])
			}
			// Looking again finds nothing new, however often.
			if tt.decision != "" || tt.rule.Check == "never" {
				return
			}
			for _, p := range pushes { // as when they are placed
				after.Pushed[p.Target] = pushed{Desired: p.Value, Observed: p.observed}
			}
			q.before, q.now = after, now.Add(time.Hour)
			again, more := compare(q)
			if len(more) > 0 || len(again.Drift) != len(after.Drift) ||
				len(again.Drift) == 1 && again.Drift[0].Since != now {
				t.Errorf("a second look has %+v, %+v", again.Drift, more)
			}
		})
	}
	// Since when is kept while it lasts.
	q := question{
		before: state{
			Desired: map[string]any{"title": "Nurse"},
			Drift:   []AttributeDrift{{Field: "title", Observed: "Boss", Since: then}},
		},
		rule:    writing.DriftRule{Direction: "report"},
		now:     now,
		owned:   []shape.Owned{{Target: "title", Value: "Nurse"}},
		observe: func(string) (any, bool) { return "Chief", true },
	}
	if after, _ := compare(q); after.Drift[0].Since != then || after.Drift[0].Observed != "Chief" {
		t.Errorf("the drift is %+v", after.Drift)
	}
}

func TestWhatCannotBeMadeIsLeftAlone(t *testing.T) {
	q := question{
		before: state{Desired: map[string]any{"title": "Nurse"}},
		moved:  true,
		rule:   writing.DriftRule{Direction: "push"},
		owned: []shape.Owned{
			{Target: "title", Problem: &template.AttributeProblem{Field: "title", Code: template.CodeMissing}},
		},
		observe: func(string) (any, bool) { return "Boss", true },
	}
	after, pushes := compare(q)
	if len(pushes) != 0 || len(after.Drift) != 0 || len(after.Problems) != 1 || after.Desired["title"] != "Nurse" {
		t.Errorf("there are %+v, %+v", after, pushes)
	}
}
