package filter

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Filter lets only some events of the wanted kinds pass, by what they say in data.
type Filter struct {
	// Whether every rule must hold, or one.
	Match string `json:"match" enum:"all,any"`
	// Rules that an event is compared with.
	Rules []Rule `json:"rules" minItems:"1" maxItems:"20" nullable:"false"`
}

// Rule compares one member of an event's data with a value. A member that is not there fulfils only ne, not_in and
// exists=false.
type Rule struct {
	// A member of data, inner ones by dots: status, changed.
	Field string `json:"field" minLength:"1" maxLength:"100" pattern:"^[a-z0-9_]+(\\.[a-z0-9_]+)*$"`
	// contains looks for a part of a text, or an item of a list.
	Op string `json:"op" enum:"eq,ne,in,not_in,contains,starts_with,exists,gt,lt"`
	// A text, number or boolean; a list of these for in and not_in; true or false for exists.
	Value any `json:"value,omitempty"`
}

// Check is a fault of kind Invalid if a value does not suit its operator. The form was checked when the filter was
// decoded.
func (f *Filter) Check() error {
	if f == nil {
		return nil
	}
	for i, r := range f.Rules {
		if why := r.wrong(); why != "" {
			return fault.New(fault.Invalid, "the filter cannot be used: %s", why).
				With(fault.Field{Pointer: fmt.Sprintf("#/filter/rules/%d/value", i), Code: "invalid", Detail: why})
		}
	}
	return nil
}

func (r Rule) wrong() string {
	list, isList := r.Value.([]any)
	_, isBool := r.Value.(bool)
	_, isText := r.Value.(string)
	_, isNumber := number(r.Value)
	switch r.Op {
	case "in", "not_in":
		if !isList || len(list) == 0 || len(list) > 100 ||
			slices.ContainsFunc(list, func(v any) bool { return !plain(v) }) {
			return r.Op + " needs a list of 1 to 100 texts, numbers or booleans"
		}
	case "exists":
		if !isBool {
			return "exists needs true or false"
		}
	case "starts_with":
		if !isText {
			return "starts_with needs a text"
		}
	case "gt", "lt":
		if !isNumber && !isText {
			return r.Op + " needs a number, or a text such as a date"
		}
	default:
		if !plain(r.Value) {
			return r.Op + " needs a text, number or boolean"
		}
	}
	return ""
}

func plain(v any) bool {
	switch v.(type) {
	case string, bool:
		return true
	}
	_, ok := number(v)
	return ok
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	}
	return 0, false
}

// Passes reports whether data, as it is sent, meets the filter. A nil filter lets everything pass.
func (f *Filter) Passes(data map[string]any) bool {
	if f == nil || len(f.Rules) == 0 {
		return true
	}
	holds := func(r Rule) bool { return r.holds(data) }
	if f.Match == "any" {
		return slices.ContainsFunc(f.Rules, holds)
	}
	return !slices.ContainsFunc(f.Rules, func(r Rule) bool { return !holds(r) })
}

func (r Rule) holds(data map[string]any) bool {
	got, there := lookUp(data, r.Field)
	switch r.Op {
	case "eq":
		return there && same(got, r.Value)
	case "ne":
		return !there || !same(got, r.Value)
	case "in", "not_in":
		list, _ := r.Value.([]any)
		found := there && slices.ContainsFunc(list, func(v any) bool { return same(got, v) })
		return found == (r.Op == "in")
	case "exists":
		return any(there) == r.Value
	case "contains":
		return there && contains(got, r.Value)
	case "starts_with":
		text, isText := got.(string)
		start, _ := r.Value.(string)
		return isText && strings.HasPrefix(text, start)
	}
	return there && ordered(r.Op, got, r.Value)
}

// lookUp finds a member by its path; null is no value.
func lookUp(data map[string]any, path string) (any, bool) {
	name, rest, inner := strings.Cut(path, ".")
	got, there := data[name]
	if !there || got == nil {
		return nil, false
	}
	if !inner {
		return got, true
	}
	object, ok := got.(map[string]any)
	if !ok {
		return nil, false
	}
	return lookUp(object, rest)
}

func same(a, b any) bool {
	x, isNumber := number(a)
	y, both := number(b)
	if isNumber && both {
		return x == y
	}
	return plain(a) && plain(b) && a == b
}

func contains(got, part any) bool {
	if list, ok := got.([]any); ok {
		return slices.ContainsFunc(list, func(v any) bool { return same(v, part) })
	}
	text, isText := got.(string)
	piece, ok := part.(string)
	return isText && ok && strings.Contains(text, piece)
}

func ordered(op string, a, b any) bool {
	x, isNumber := number(a)
	y, both := number(b)
	if isNumber && both {
		return op == "gt" && x > y || op == "lt" && x < y
	}
	s, isText := a.(string)
	t, ok := b.(string)
	return isText && ok && (op == "gt" && s > t || op == "lt" && s < t)
}
