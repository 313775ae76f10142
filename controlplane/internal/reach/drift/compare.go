package drift

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/writing"
)

// Why an account is looked at. Only what we have made, or whose owner has changed, is written without asking the rule
// of drift.
const (
	whyPerson  = "person"
	whyMade    = "made"
	whyAdopted = "adopted"
	whyAsked   = "asked"
)

// AttributeDrift is an attribute that the target has otherwise than its template.
type AttributeDrift struct {
	// Name of the attribute in the target system, as the account template has it.
	Field string `json:"field"`
	// What the template makes; null: nothing.
	Desired any `json:"desired"`
	// What the target had when it was last read.
	Observed any `json:"observed"`
	// Time the difference was first found.
	Since time.Time `json:"since"`
	// The last change by which it was to be written.
	TaskID *string `json:"task_id,omitempty"`
}

// AcceptedDrift is a value that may stay though the template has another.
type AcceptedDrift struct {
	// Value in the target system that is accepted.
	Value any `json:"value"`
	// E-mail address or name of the user or service token that accepted the value; rule if the drift rule did.
	By string `json:"by"`
	// ID of the user or service token that accepted the value; absent if the drift rule did.
	ByID string `json:"by_id,omitempty"`
	// The connector's rule accepted it, and not a person.
	Rule bool `json:"rule,omitempty"`
	// Time the value was accepted.
	At time.Time `json:"at"`
}

// pushed is what was last written over what.
type pushed struct {
	// Value that was written.
	Desired any `json:"desired"`
	// Value of the target before it was written.
	Observed any `json:"observed"`
	// Provisioning task that wrote the value.
	TaskID string `json:"task_id"`
}

// state is what is kept of an account.
type state struct {
	// Value that the account template demands, by attribute.
	Desired map[string]any `json:"desired"`
	// Attributes whose value in the target differs from the desired one.
	Drift []AttributeDrift `json:"drift"`
	// Differences that were accepted, by attribute.
	Accepted map[string]AcceptedDrift `json:"accepted"`
	// Values that were written last, by attribute.
	Pushed map[string]pushed `json:"pushed"`
	// Attributes whose desired value could not be computed.
	Problems []template.AttributeProblem `json:"problems"`
}

// clone is a copy to be changed. Problems begin anew with each comparison.
func (s state) clone() state {
	return state{
		Desired:  maps.Clone(s.Desired),
		Drift:    slices.Clone(s.Drift),
		Accepted: maps.Clone(s.Accepted),
		Pushed:   maps.Clone(s.Pushed),
		Problems: []template.AttributeProblem{},
	}
}

// entry is the drift of a field, by its name in any case of letters.
func (s state) entry(field string) (AttributeDrift, bool) {
	i := slices.IndexFunc(s.Drift, func(d AttributeDrift) bool { return strings.EqualFold(d.Field, field) })
	if i < 0 {
		return AttributeDrift{}, false
	}
	return s.Drift[i], true
}

// question is one comparison.
type question struct {
	before state
	// owned are the attributes that the template makes, and observe gives what the target shows of
	// one; known is false if it shows nothing.
	owned    []shape.Owned
	observe  func(target string) (value any, known bool)
	rule     writing.DriftRule
	moved    bool              // what the template makes otherwise than before is written
	resolve  map[string]string // by target: decisions of users
	resolver AcceptedDrift     // who they are
	now      time.Time
}

// push is an attribute that is to be written.
type push struct {
	shape.Owned
	observed any
	byRule   bool // of drift, within the breaker
}

// compare gives what is kept of an account from now on, and what is to be written. Nothing else depends on anything but
// q.
func compare(q question) (after state, pushes []push) {
	after = q.before.clone()
	if after.Accepted == nil {
		after.Accepted = map[string]AcceptedDrift{}
	}
	if after.Pushed == nil {
		after.Pushed = map[string]pushed{}
	}
	after.Desired, after.Drift = map[string]any{}, []AttributeDrift{}
	for _, o := range q.owned {
		if o.Problem != nil {
			after.Problems = append(after.Problems, *o.Problem)
			q.keep(&after, o.Target)
			continue
		}
		after.Desired[o.Target] = o.Value
		if p, ok := q.one(&after, o); ok {
			pushes = append(pushes, p)
		}
	}
	q.forget(&after)
	return after, pushes
}

// keep leaves an attribute as it was: nothing can be said about it.
func (q question) keep(after *state, target string) {
	if was, ok := q.before.Desired[target]; ok {
		after.Desired[target] = was
	}
}

// forget drops what is kept of attributes that the template has no longer.
func (q question) forget(after *state) {
	gone := func(target string) bool {
		return !slices.ContainsFunc(q.owned, func(o shape.Owned) bool { return o.Target == target })
	}
	maps.DeleteFunc(after.Accepted, func(target string, _ AcceptedDrift) bool { return gone(target) })
	maps.DeleteFunc(after.Pushed, func(target string, _ pushed) bool { return gone(target) })
}

// one compares an attribute and writes the result into after. It gives what is to be written, if
// anything. An attribute that the target does not show keeps what was known of it. Drift keeps the
// time at which it was first found.
func (q question) one(after *state, o shape.Owned) (push, bool) {
	was, known := q.before.Desired[o.Target]
	moved := q.moved && known && !same(o.Target, was, o.Value)
	observed, seen := q.observe(o.Target)
	entry, drifted := q.before.entry(o.Target)
	decision := q.resolve[o.Target]
	if !seen {
		// The target does not show it, or not since it was last written: what was said of it stands.
		if drifted && !moved && decision == "" {
			entry.Desired = o.Value
			after.Drift = append(after.Drift, entry)
		}
		if moved || decision == writing.DriftPush {
			return push{Owned: o}, true
		}
		return push{}, false
	}
	if same(o.Target, o.Value, observed) {
		delete(after.Pushed, o.Target)
		delete(after.Accepted, o.Target)
		return push{}, false
	}
	if !drifted {
		entry = AttributeDrift{Field: o.Target, Since: q.now}
	}
	entry.Desired, entry.Observed = o.Value, observed
	return q.decide(after, o, entry, moved, decision)
}

// decide says what becomes of an attribute that is otherwise.
func (q question) decide(after *state, o shape.Owned, entry AttributeDrift, moved bool, decision string) (push, bool) {
	exception, accepted := after.Accepted[o.Target]
	if accepted && (!same(o.Target, exception.Value, entry.Observed) || moved || decision == writing.DriftPush) {
		delete(after.Accepted, o.Target) // it or the person has changed since, or it was decided anew
		accepted = false
	}
	direction := q.rule.Direction
	if !q.watched(o.Target) {
		direction = ""
	}
	last, written := after.Pushed[o.Target]
	again := written && same(o.Target, last.Desired, o.Value) && same(o.Target, last.Observed, entry.Observed)
	switch {
	case decision == writing.DriftAccept:
		exception = q.resolver
		exception.Value = entry.Observed
		after.Accepted[o.Target] = exception
		return push{}, false
	case accepted:
		return push{}, false
	case moved || decision == writing.DriftPush:
		after.Drift = append(after.Drift, entry)
		return push{Owned: o, observed: entry.Observed}, true
	case direction == "":
		return push{}, false
	case direction == writing.DriftAccept && !again:
		// What was just written is not taken back before the target shows it.
		after.Accepted[o.Target] = AcceptedDrift{Value: entry.Observed, By: "rule", Rule: true, At: q.now}
		return push{}, false
	}
	after.Drift = append(after.Drift, entry)
	return push{Owned: o, observed: entry.Observed, byRule: true}, direction == writing.DriftPush && !again
}

// watched reports whether drift of an attribute is of interest.
func (q question) watched(target string) bool {
	if q.rule.Check == "never" {
		return false
	}
	return len(q.rule.Attributes) == 0 ||
		slices.ContainsFunc(q.rule.Attributes, func(a string) bool { return strings.EqualFold(a, target) })
}

// addresses are attributes in which targets take no notice of case.
var addresses = []string{"email", "mail", "userprincipalname", "emails.value"}

// same reports whether two values mean the same in a target: one value is a list of it, the order of a list says
// nothing, nothing is an empty text, and a number or a bool is its text.
func same(target string, a, b any) bool {
	left, right := texts(a), texts(b)
	if slices.Contains(addresses, strings.ToLower(target)) {
		for _, list := range [][]string{left, right} {
			for i := range list {
				list[i] = strings.ToLower(list[i])
			}
		}
	}
	slices.Sort(left)
	slices.Sort(right)
	return slices.Equal(left, right)
}

// texts are the texts of a value, for a comparison that disregards how it is typed: directories
// write truth values in capitals and everything as text.
func texts(v any) []string {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		if v == "" {
			return nil
		}
		switch v { // as directories write them
		case "TRUE", "FALSE":
			return []string{strings.ToLower(v)}
		}
		return []string{v}
	case bool:
		return []string{strconv.FormatBool(v)}
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}
	case int64:
		return []string{strconv.FormatInt(v, 10)}
	case json.Number:
		return []string{v.String()}
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, texts(e)...)
		}
		return out
	}
	b, err := json.Marshal(v)
	if err != nil {
		return []string{fmt.Sprint(v)}
	}
	return []string{string(b)}
}
