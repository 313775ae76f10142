package condition

import (
	"strings"
	"time"
)

// group joins rules.
type group struct {
	match string
	of    []node
}

// met looks at no more rules than it needs.
func (g *group) met(f Facts, warn *[]Warning) bool {
	for _, n := range g.of {
		switch met := n.met(f, warn); {
		case g.match == all && !met:
			return false
		case g.match == some && met:
			return true
		case g.match == none && met:
			return false
		}
	}
	return g.match != some
}

// rule compares one field with values.
type rule struct {
	field   *field // nil for what the person holds
	op      string
	at      string // pointer into the normal form
	texts   []string
	numbers []float64
	flags   []bool
	number  float64
	want    bool
	moment  when
	among   map[string]bool // texts as the field compares them
}

func (r *rule) met(f Facts, warn *[]Warning) bool {
	switch r.op {
	case inTree:
		return anyOf(r.texts, f.InTree)
	case hasRole:
		return anyOf(r.texts, f.HasRole)
	case hasEntitlement:
		return anyOf(r.texts, f.HasEntitlement)
	}
	v, there := r.read(f.Fields())
	if r.op == exists {
		return (there && !empty(v)) == r.want
	}
	if !there {
		r.warn(warn, "unknown_attribute", "the person has no "+r.field.full())
		return false
	}
	if v == nil { // a field that is known to hold nothing is none of the values
		return r.op == ne || r.op == notIn
	}
	met, fits := r.compare(v, f)
	if !fits {
		r.warn(warn, "wrong_type", r.field.full()+" is nothing that "+r.op+" compares")
	}
	return met && fits
}

func anyOf(values []string, holds func(string) bool) bool {
	for _, v := range values {
		if holds(v) {
			return true
		}
	}
	return false
}

func (r *rule) warn(to *[]Warning, code, detail string) {
	*to = append(*to, Warning{Pointer: r.at, Code: code, Detail: detail})
}

// read gives the field's value. A field of an identity that is not among the facts is one that holds nothing.
func (r *rule) read(facts map[string]any) (v any, there bool) {
	if r.field.key == "" {
		return facts[r.field.name], true
	}
	switch m := facts[r.field.name].(type) {
	case map[string]any:
		v, there = m[r.field.key]
	case map[string]string:
		v, there = m[r.field.key]
	}
	return v, there
}

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
func (r *rule) compare(v any, f Facts) (met, fits bool) {
	switch r.op {
	case eq, in:
		return r.equals(v, f)
	case ne, notIn:
		met, fits = r.equals(v, f)
		return !met, fits
	case gt, lt:
		n, ok := asNumber(v)
		return r.op == gt && n > r.number || r.op == lt && n < r.number, ok
	case before, after:
		return r.ordered(v, f)
	case startsWith:
		s, ok := v.(string)
		return ok && strings.HasPrefix(r.fold(s), r.fold(r.texts[0])), ok
	}
	return r.contains(v) // the only one that is left
}

func (r *rule) equals(v any, f Facts) (met, fits bool) {
	switch r.field.kind {
	case flag:
		b, ok := v.(bool)
		return b == r.want, ok
	case date:
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

func containsOf[T comparable](list []T, v T) bool {
	for _, each := range list {
		if each == v {
			return true
		}
	}
	return false
}

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

func (r *rule) sameDay(v any, today time.Time) (met, fits bool) {
	s, isText := v.(string)
	t, _, ok := instant(s)
	return ok && t.Format(time.DateOnly) == r.moment.on(today).Format(time.DateOnly), isText && ok
}

// ordered compares times. Of a day and an instant the days count, so that nothing is after the day it is on.
func (r *rule) ordered(v any, f Facts) (met, fits bool) {
	s, isText := v.(string)
	t, exact, ok := instant(s)
	if !isText || !ok {
		return false, false
	}
	limit := r.moment.on(f.Today())
	if !exact || !r.moment.exact {
		t, limit = day(t), day(limit)
	}
	return r.op == before && t.Before(limit) || r.op == after && t.After(limit), true
}

func day(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

func (r *rule) fold(s string) string {
	if r.field.kind == code && r.field.among == nil {
		return s
	}
	return strings.ToLower(s)
}

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
