package condition

import (
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/field"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/moment"
)

// group joins rules.
type group struct {
	// match is all, any or none; of are the rules and groups.
	match string
	of    []node
}

// met looks at no more rules than it needs.
func (g *group) met(f fact.Facts, warn *[]Warning) bool {
	for _, n := range g.of {
		switch met := n.met(f, warn); {
		case g.match == field.MatchAll && !met:
			return false
		case g.match == field.MatchAny && met:
			return true
		case g.match == field.MatchNone && met:
			return false
		}
	}
	return g.match != field.MatchAny
}

// rule compares one field with values.
type rule struct {
	field   *field.Field // nil for what the person holds
	op      string
	at      string // pointer into the normal form
	texts   []string
	numbers []float64
	flags   []bool
	number  float64
	want    bool
	// moment is the date of before, after and dates.
	moment moment.Moment
	among  map[string]bool // texts as the field compares them
}

// met says whether a person satisfies the rule. A field that the person does not have, or of
// another type, is a warning and false, so that a policy never gives access by mistake. A field
// that is known to be empty satisfies only the negative operators.
func (r *rule) met(f fact.Facts, warn *[]Warning) bool {
	switch r.op {
	case field.InTree:
		return anyOf(r.texts, f.InTree)
	case field.HasRole:
		return anyOf(r.texts, f.HasRole)
	case field.HasEntitlement:
		return anyOf(r.texts, f.HasEntitlement)
	}
	v, there := r.read(f.Fields())
	if r.op == field.Exists {
		return (there && !empty(v)) == r.want
	}
	if !there {
		r.warn(warn, "unknown_attribute", "the person has no "+r.field.FullName())
		return false
	}
	if v == nil { // a field that is known to hold nothing is none of the values
		return r.op == field.Ne || r.op == field.NotIn
	}
	met, fits := r.compare(v, f)
	if !fits {
		r.warn(warn, "wrong_type", r.field.FullName()+" is nothing that "+r.op+" compares")
	}
	return met && fits
}

// anyOf says whether something holds for one of the values.
func anyOf(values []string, holds func(string) bool) bool {
	for _, v := range values {
		if holds(v) {
			return true
		}
	}
	return false
}

// warn adds a warning about the rule.
func (r *rule) warn(to *[]Warning, code, detail string) {
	*to = append(*to, Warning{Pointer: r.at, Code: code, Detail: detail})
}

// read gives the field's value. A field of an identity that is not among the facts is one that holds nothing.
func (r *rule) read(facts map[string]any) (v any, there bool) {
	if r.field.Key == "" {
		return facts[r.field.Name], true
	}
	switch m := facts[r.field.Name].(type) {
	case map[string]any:
		v, there = m[r.field.Key]
	case map[string]string:
		v, there = m[r.field.Key]
	}
	return v, there
}

// empty says whether a value counts as absent for exists.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case []string:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// compare says whether the value is what is asked for; fits is false when it is of another type.
func (r *rule) compare(v any, f fact.Facts) (met, fits bool) {
	switch r.op {
	case field.Eq, field.In:
		return r.equals(v, f)
	case field.Ne, field.NotIn:
		met, fits = r.equals(v, f)
		return !met, fits
	case field.Gt, field.Lt:
		n, ok := asNumber(v)
		return r.op == field.Gt && n > r.number || r.op == field.Lt && n < r.number, ok
	case field.Before, field.After:
		return r.ordered(v, f)
	case field.StartsWith:
		s, ok := v.(string)
		return ok && strings.HasPrefix(r.fold(s), r.fold(r.texts[0])), ok
	}
	return r.contains(v) // the only one that is left
}

// equals compares a value with those of the rule. fits is false if the types cannot be compared.
func (r *rule) equals(v any, f fact.Facts) (met, fits bool) {
	switch r.field.Kind {
	case field.Flag:
		b, ok := v.(bool)
		return b == r.want, ok
	case field.Date:
		met, fits = r.sameDay(v, f.Today())
		return met, fits
	}
	switch v := v.(type) {
	case string:
		return r.among[r.fold(v)], len(r.texts) > 0
	case bool:
		return containsOf(r.flags, v), len(r.flags) > 0
	}
	n, ok := asNumber(v)
	return containsOf(r.numbers, n), ok && len(r.numbers) > 0
}

// containsOf says whether the list has the value.
func containsOf[T comparable](list []T, v T) bool {
	for _, each := range list {
		if each == v {
			return true
		}
	}
	return false
}

// contains says whether a text contains the rule's text, or a list has it as an element.
func (r *rule) contains(v any) (met, fits bool) {
	wanted := r.fold(r.texts[0])
	switch v := v.(type) {
	case string:
		return strings.Contains(r.fold(v), wanted), true
	case []any:
		for _, each := range v {
			if s, ok := each.(string); ok && r.fold(s) == wanted {
				return true, true
			}
		}
		return false, true
	case []string:
		for _, each := range v {
			if r.fold(each) == wanted {
				return true, true
			}
		}
		return false, true
	}
	return false, false
}

// sameDay compares days in UTC.
func (r *rule) sameDay(v any, today time.Time) (met, fits bool) {
	s, isText := v.(string)
	t, _, ok := moment.Instant(s)
	return ok && t.Format(time.DateOnly) == r.moment.On(today).Format(time.DateOnly), isText && ok
}

// ordered compares times. Of a day and an instant the days count, so that nothing is after the day it is on.
func (r *rule) ordered(v any, f fact.Facts) (met, fits bool) {
	s, isText := v.(string)
	t, exact, ok := moment.Instant(s)
	if !isText || !ok {
		return false, false
	}
	limit := r.moment.On(f.Today())
	if !exact || !r.moment.Exact {
		t, limit = day(t), day(limit)
	}
	return r.op == field.Before && t.Before(limit) || r.op == field.After && t.After(limit), true
}

// day is the beginning of an instant's day in UTC.
func day(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// fold is the form in which texts are compared. Codes of other systems are compared exactly,
// everything else without case.
func (r *rule) fold(s string) string { return r.field.Fold(s) }

// prepare makes what is compared again and again once.
func (r *rule) prepare() {
	if r.field == nil || len(r.texts) == 0 {
		return
	}
	r.among = make(map[string]bool, len(r.texts))
	for _, t := range r.texts {
		r.among[r.fold(t)] = true
	}
}

// asNumber is a number of any of the types in which facts come.
func asNumber(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	case int64:
		return float64(n), true
	}
	return 0, false
}
