package condition

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/field"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/moment"
)

// parser collects what is wrong, so that all of it is reported at once.
type parser struct {
	problems []Problem
	rules    int
	more     Vocabulary
}

// mostProblems are reported of one condition.
const mostProblems = 50

// refuse adds a problem at a JSON pointer, up to a limit.
func (p *parser) refuse(at, code string, suggestions []string, format string, args ...any) {
	if suggestions == nil {
		suggestions = []string{}
	}
	if len(p.problems) < mostProblems {
		p.problems = append(
			p.problems,
			Problem{Pointer: at, Code: code, Detail: fmt.Sprintf(format, args...), Suggestions: suggestions},
		)
	}
}

// whole parses a condition. Its size is bounded first: conditions are stored and evaluated for
// everyone.
func (p *parser) whole(raw json.RawMessage) node {
	if len(raw) > MaxSize {
		p.refuse(
			"#",
			"too_large",
			nil,
			"a condition may have at most %d bytes of JSON; move long lists into an attribute of the person",
			MaxSize,
		)
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || d.More() {
		p.refuse(
			"#",
			"malformed",
			nil,
			"the condition is no JSON object; it looks like {\"match\": \"all\", \"rules\": []}",
		)
		return nil
	}
	return p.node(v, "#", 1)
}

// node parses a rule, a group or an expression, by the members that it has. nil: it cannot be used,
// and the problems say why.
func (p *parser) node(v any, at string, depth int) node {
	m, ok := v.(map[string]any)
	if !ok {
		p.refuse(at, "malformed", nil, "a condition is an object: {match, rules}, {field, op, value} or {expression}")
		return nil
	}
	_, expression := m["expression"]
	_, match := m["match"]
	_, rules := m["rules"]
	switch {
	case expression:
		p.only(m, at, "expression")
		return p.script(m["expression"], at)
	case match || rules:
		p.only(m, at, "match", "rules")
		return p.group(m, at, depth)
	}
	p.only(m, at, "field", "op", "value")
	return p.rule(m, at)
}

// only refuses members that the object does not have.
func (p *parser) only(m map[string]any, at string, names ...string) {
	for _, n := range sortedKeys(m) {
		if !slices.Contains(names, n) {
			p.refuse(
				at+"/"+escape(n),
				"unknown_member",
				field.Suggest(n, names),
				"this object has the members %s and no other",
				strings.Join(names, ", "),
			)
		}
	}
}

// sortedKeys are the names of the members in order.
func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// escape writes a name as a part of a JSON pointer (RFC 6901 section 3).
func escape(s string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(s) }

// group parses a group. Depth is bounded; an empty group is allowed only at the top, where it means
// everyone.
func (p *parser) group(m map[string]any, at string, depth int) node {
	g := &group{}
	if g.match, _ = m["match"].(string); g.match == "" && m["match"] == nil {
		p.refuse(
			at+"/match",
			"required",
			[]string{field.MatchAll, field.MatchAny, field.MatchNone},
			"set whether all, any or none of the rules must hold",
		)
	} else if !slices.Contains([]string{field.MatchAll, field.MatchAny, field.MatchNone}, g.match) {
		p.refuse(
			at+"/match",
			"unknown_match",
			[]string{field.MatchAll, field.MatchAny, field.MatchNone},
			"match is all, any or none",
		)
	}
	if depth > maxDepth {
		p.refuse(at, "too_deep", nil, "groups may be nested %d levels deep; merge groups with the same match", maxDepth)
		return g
	}
	rules, ok := m["rules"].([]any)
	if !ok {
		p.refuse(at+"/rules", "required", nil, "rules is a list of rules and groups")
		return g
	}
	if len(rules) == 0 && (g.match != field.MatchAll || depth > 1) {
		p.refuse(
			at+"/rules",
			"required",
			nil,
			"a group needs at least one rule; only {\"match\": \"all\", \"rules\": []} may be empty, and is about "+
				"everybody",
		)
	}
	for i, r := range rules {
		if p.rules > maxRules {
			p.refuse(at+"/rules", "too_many", nil, "a condition may have at most %d rules", maxRules)
			break
		}
		if n := p.node(r, at+"/rules/"+strconv.Itoa(i), depth+1); n != nil {
			g.of = append(g.of, n)
		}
	}
	return g
}

// rule parses a rule: operator, field and value. An unknown operator is answered with the one that
// was probably meant.
func (p *parser) rule(m map[string]any, at string) node {
	p.rules++
	op, _ := m["op"].(string)
	if !field.IsOperator(op) {
		suggested := field.Suggest(op, field.Operators)
		if s, ok := field.OperatorSynonyms[strings.ToLower(op)]; ok {
			suggested = []string{s}
		}
		p.refuse(at+"/op", "unknown_operator", suggested, "op is one of %s", strings.Join(field.Operators, ", "))
		return nil
	}
	r := &rule{op: op}
	named, has := m["field"]
	switch op {
	case field.HasRole, field.HasEntitlement:
		if has && named != nil {
			p.refuse(at+"/field", "unknown_member", nil, "%s asks for what the person holds and has no field", op)
		}
		r.texts = p.texts(m["value"], at+"/value", "the id of what they hold, or a list of ids")
		return r
	case field.InTree:
		if !has {
			named = "manager"
		}
	}
	text, _ := named.(string)
	f, found := p.more.field(text)
	if !found {
		p.refuse(
			at+"/field",
			"unknown_field",
			field.Suggest(text, append(append(FieldNames(), p.more.Names()...), "attributes.", "labels.")),
			"there is no field %q; a custom attribute is attributes.name",
			field.Clip(text),
		)
		return nil
	}
	if utf8.RuneCountInString(text) > maxText || strings.ContainsRune(text, 0) {
		p.refuse(at+"/field", "too_long", nil, "a name may have at most %d characters, none of them NUL", maxText)
		return nil
	}
	r.field = f
	if !slices.Contains(field.OperatorsOf[f.Kind], op) {
		p.refuse(
			at+"/op",
			"wrong_operator",
			field.OperatorsOf[f.Kind],
			"%s is %s, for which there are %s",
			f.FullName(),
			f.Kind,
			strings.Join(field.OperatorsOf[f.Kind], ", "),
		)
		return nil
	}
	p.value(r, m, at+"/value")
	return r
}

// value reads what the field is compared to, as the operator and the field's kind want it.
func (p *parser) value(r *rule, m map[string]any, at string) {
	v, has := m["value"]
	switch r.op {
	case field.Exists:
		want, isBool := v.(bool)
		if has && !isBool {
			p.refuse(at, "wrong_type", nil, "exists has the value true or false")
		}
		r.want = want || !has
	case field.In, field.NotIn:
		list, ok := v.([]any)
		if !ok || len(list) == 0 || len(list) > maxValues {
			p.refuse(at, "wrong_type", nil, "%s has a list of 1 to %d values", r.op, maxValues)
			return
		}
		for i, each := range list {
			p.scalar(r, each, at+"/"+strconv.Itoa(i))
		}
	case field.Gt, field.Lt:
		n, ok := number(v)
		if !ok {
			p.refuse(
				at,
				"wrong_type",
				[]string{field.Before, field.After},
				"%s compares with a number; for dates there are before and after",
				r.op,
			)
		}
		r.number = n
	case field.InTree:
		r.texts = p.texts(v, at, "the id or external_id of a manager, or a list of them")
	case field.Contains, field.StartsWith:
		if s, ok := p.text(v, at); ok {
			r.texts = []string{s}
		}
	case field.Before, field.After:
		p.when(r, v, at)
	default: // eq, ne
		switch r.field.Kind {
		case field.Date:
			p.when(r, v, at)
		case field.Flag:
			want, isBool := v.(bool)
			if !isBool {
				p.refuse(at, "wrong_type", nil, "%s is true or false, without quotes", r.field.FullName())
			}
			r.want = want
		default:
			p.scalar(r, v, at)
		}
	}
}

// when parses a date, an instant or a relative date into the rule. Fields that are dates take no
// instant.
func (p *parser) when(r *rule, v any, at string) {
	s, _ := v.(string)
	w, ok := moment.Parse(s)
	if !ok {
		p.refuse(
			at,
			"wrong_type",
			[]string{"today", "P30D", "-P30D"},
			"a date such as 2026-03-01, or one that moves: today, P30D for 30 days from today, -P30D for 30 days ago",
		)
	} else if w.Exact && r.field.Kind == field.Date {
		p.refuse(
			at,
			"wrong_type",
			[]string{w.At.Format("2006-01-02")},
			"%s is a date without a time",
			r.field.FullName(),
		)
	}
	r.moment = w
}

// scalar adds one value that a field may have.
func (p *parser) scalar(r *rule, v any, at string) {
	if r.field.Kind == field.Custom {
		switch x := v.(type) {
		case bool:
			r.flags = append(r.flags, x)
			return
		case json.Number:
			if n, ok := number(x); ok {
				r.numbers = append(r.numbers, n)
				return
			}
		}
	}
	s, ok := p.text(v, at)
	if !ok {
		return
	}
	if r.field.Among != nil {
		s = strings.ToLower(s)
	}
	if a := r.field.Among; a != nil && !slices.Contains(a, s) {
		p.refuse(at, "unknown_value", field.Suggest(s, a), "%s is one of %s", r.field.FullName(), strings.Join(a, ", "))
	}
	r.texts = append(r.texts, s)
}

// text parses a text that is not empty, not too long and has no NUL.
func (p *parser) text(v any, at string) (string, bool) {
	s, ok := v.(string)
	switch {
	case !ok:
		p.refuse(at, "wrong_type", nil, "a text in quotes is needed here")
		return "", false
	case s == "":
		p.refuse(
			at,
			"wrong_type",
			[]string{field.Exists},
			"an empty text is not allowed; use exists to ask whether there is a value",
		)
		return "", false
	case utf8.RuneCountInString(s) > maxText:
		p.refuse(at, "too_long", nil, "a value may have at most %d characters", maxText)
		return "", false
	case strings.ContainsRune(s, 0):
		p.refuse(at, "wrong_type", nil, "the character NUL cannot be stored")
		return "", false
	}
	return s, true
}

// texts reads one id, or a list of them of which one is enough.
func (p *parser) texts(v any, at, wanted string) []string {
	list, isList := v.([]any)
	if !isList {
		list = []any{v}
	}
	if len(list) == 0 || len(list) > maxValues {
		p.refuse(at, "wrong_type", nil, "%s, at most %d", wanted, maxValues)
		return nil
	}
	var out []string
	for i, each := range list {
		where := at
		if isList {
			where += "/" + strconv.Itoa(i)
		}
		s, ok := each.(string)
		if !ok || s == "" || utf8.RuneCountInString(s) > maxText || strings.ContainsRune(s, 0) {
			p.refuse(where, "wrong_type", nil, "%s", wanted)
			continue
		}
		out = append(out, s)
	}
	return out
}

// number is a finite JSON number.
func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil && !math.IsInf(f, 0)
}
