package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/rest/connection"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Problem is one mistake in a connector's settings. Messages never repeat a value.
type Problem struct {
	Key string `json:"key"` // as the user wrote it; empty when the mistake is not one setting's
	// Code is stable, for programs; Message is for people.
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Codes of problems.
const (
	UnknownType        = "unknown_type"
	UnknownKey         = "unknown_key"
	Required           = "required"
	WrongType          = "wrong_type"
	NotAllowed         = "not_allowed"
	OutOfRange         = "out_of_range"
	SecretInConnection = "secret_in_connection"
	GivenTwice         = "given_twice"
	Invalid            = "invalid"
)

// Validate checks the settings of a connector before any target is asked: connection holds what may be shown,
// credentials the rest. key is that of the catalog's entry; see KeyOf. Settings that hold no secret may stand in
// credentials too, as a user name does. The problems are sorted by key.
func Validate(key string, connection, credentials map[string]any) []Problem {
	k, ok := find(key)
	if !ok {
		return []Problem{{Key: "type", Code: UnknownType, Message: "there is no such connector type"}}
	}
	v := &validation{kind: k, all: map[string]any{}, written: map[string]string{}}
	v.take(connection, true)
	v.take(credentials, false)
	for _, f := range k.entry.Fields {
		v.field(f)
	}
	v.alternatives()
	switch {
	case len(v.problems) > 0:
	case k.vendor != nil:
		v.resolved()
	case k.check != nil:
		v.deeper()
	}
	slices.SortStableFunc(v.problems, func(a, b Problem) int { return strings.Compare(a.Key, b.Key) })
	return v.problems
}

// validation is the check of one connector's settings.
type validation struct {
	kind     kind
	all      map[string]any    // by first name
	written  map[string]string // the name the user wrote, by first name
	problems []Problem
}

// add adds a problem.
func (v *validation) add(key, code, format string, args ...any) {
	v.problems = append(v.problems, Problem{Key: key, Code: code, Message: fmt.Sprintf(format, args...)})
}

// take enters settings under their first names. shown says that they are visible settings, among
// which no secret may be.
func (v *validation) take(settings map[string]any, shown bool) {
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		f, ok := v.kind.known(key)
		switch {
		case !ok:
			v.add(key, UnknownKey, "%s has no setting of this name", v.kind.entry.Name)
			continue
		case f.Secret && shown:
			v.add(key, SecretInConnection, "%s is a secret and belongs into credentials", key)
		}
		if other, twice := v.written[f.Key]; twice {
			v.add(key, GivenTwice, "%s is already given as %s", key, other)
			continue
		}
		v.all[f.Key], v.written[f.Key] = settings[key], key
	}
}

// given reports whether a setting has a value; empty texts count as none.
func (v *validation) given(key string) bool {
	value, ok := v.all[key]
	return ok && value != nil && value != ""
}

// field checks one setting: whether it is given where it must be, and its type and bounds.
func (v *validation) field(f connectorkit.Field) {
	if !v.given(f.Key) {
		if f.Required && v.applies(f) {
			v.add(f.Key, Required, "%s is missing", f.Key)
		}
		return
	}
	key, value := v.written[f.Key], v.all[f.Key]
	switch f.Type {
	case "string", "enum":
		text, ok := value.(string)
		if !ok {
			v.add(key, WrongType, "%s must be a text", key)
		} else if f.Type == "enum" && !slices.Contains(f.Enum, text) {
			v.add(key, NotAllowed, "%s must be one of %s", key, strings.Join(f.Enum, ", "))
		}
	case "integer":
		v.number(f, key, value)
	case "boolean":
		if _, ok := value.(bool); !ok {
			v.add(key, WrongType, "%s must be true or false", key)
		}
	case "string_list":
		if !isTexts(value) {
			v.add(key, WrongType, "%s must be a list of texts", key)
		}
	case "object":
		if _, ok := value.(map[string]any); !ok {
			v.add(key, WrongType, "%s must be an object", key)
		}
	case connection.ObjectList:
		if !isObjects(value) {
			v.add(key, WrongType, "%s must be a list of objects", key)
		}
	}
}

// applies reports whether a field that hangs on another one's value is wanted. Where that value is left open,
// alternatives judges.
func (v *validation) applies(f connectorkit.Field) bool {
	if f.DependsOn == "" {
		return true
	}
	on, ok := v.all[f.DependsOn].(string)
	return ok && slices.Contains(f.DependsVals, on)
}

// alternatives judges choices left open that connectors make by themselves: one of them must have all it needs.
func (v *validation) alternatives() {
	for _, f := range v.kind.entry.Fields {
		if f.Type != "enum" || v.given(f.Key) || !v.decides(f.Key) {
			continue
		}
		if !slices.ContainsFunc(f.Enum, func(choice string) bool { return v.satisfied(f.Key, choice) }) {
			v.add(
				f.Key,
				Required,
				"%s is missing, and what is given fits none of %s",
				f.Key,
				strings.Join(f.Enum, ", "),
			)
		}
	}
}

// decides reports whether other required fields hang on this one.
func (v *validation) decides(key string) bool {
	return slices.ContainsFunc(
		v.kind.entry.Fields,
		func(f connectorkit.Field) bool { return f.DependsOn == key && f.Required },
	)
}

// satisfied reports whether a choice has all that it requires. One that requires nothing is satisfied only when nothing
// that another choice requires is there, since then something was forgotten.
func (v *validation) satisfied(key, choice string) bool {
	requires, others := false, false
	for _, f := range v.kind.entry.Fields {
		if f.DependsOn != key || !f.Required {
			continue
		}
		if !slices.Contains(f.DependsVals, choice) {
			others = others || v.given(f.Key)
			continue
		}
		if requires = true; !v.given(f.Key) {
			return false
		}
	}
	return requires || !others
}

// number checks a whole number in any of the types that JSON and Go code give.
func (v *validation) number(f connectorkit.Field, key string, value any) {
	var n float64
	switch value := value.(type) {
	case int:
		n = float64(value)
	case int64:
		n = float64(value)
	case float64:
		n = value
	case json.Number:
		n, _ = value.Float64() // what is no number is none below either
		if _, err := value.Int64(); err != nil {
			n = math.NaN()
		}
	default:
		n = math.NaN()
	}
	switch {
	case n != math.Trunc(n):
		v.add(key, WrongType, "%s must be a whole number", key)
	case f.Min != nil && n < float64(*f.Min), f.Max != nil && n > float64(*f.Max):
		v.add(key, OutOfRange, "%s must be %s", key, between(f))
	}
}

// between says the bounds in words.
func between(f connectorkit.Field) string {
	switch {
	case f.Max == nil:
		return fmt.Sprintf("at least %d", *f.Min)
	case f.Min == nil:
		return fmt.Sprintf("at most %d", *f.Max)
	}
	return fmt.Sprintf("between %d and %d", *f.Min, *f.Max)
}

// isTexts says whether a value is a list of texts; one text counts as a list of one.
func isTexts(value any) bool {
	switch value := value.(type) {
	case string, []string:
		return true
	case []any:
		return !slices.ContainsFunc(value, func(e any) bool { _, ok := e.(string); return !ok })
	}
	return false
}

// isObjects says whether a value is a list of objects, or the JSON of one.
func isObjects(value any) bool {
	switch value := value.(type) {
	case []map[string]any:
		return true
	case string: // the list as JSON text, as a form gives it
		var list []map[string]any
		return json.Unmarshal([]byte(value), &list) == nil
	case []any:
		return !slices.ContainsFunc(value, func(e any) bool { _, ok := e.(map[string]any); return !ok })
	}
	return false
}

// deeper lets the connector itself look at settings that fit their fields.
func (v *validation) deeper() {
	err := v.kind.check(v1.AuthConfig(v.all))
	var detail *v1.ErrorDetail
	switch {
	case err == nil:
	case errors.As(err, &detail):
		v.add("", Invalid, "%s", detail.Message)
	default:
		v.add("", Invalid, "%s", err)
	}
}

// resolved judges what a vendor's entry makes of the settings by the rules of the connector that will get it.
func (v *validation) resolved() {
	engine, settings := Resolve(v.kind.entry.Key, v.all)
	for _, name := range []string{"base_url", "token_url"} {
		address, _ := settings[name].(string)
		if _, err := target.ParseURL(Feeds(v.kind.entry.Key, name), address); address != "" && err != nil {
			v.add(Feeds(v.kind.entry.Key, name), Invalid, "%s", err)
			return
		}
	}
	for _, p := range Validate(engine, nil, settings) {
		v.add(Feeds(v.kind.entry.Key, p.Key), p.Code, "%s", p.Message)
	}
}
