package grammar

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/field"
)

// maxParentheses is how deep parentheses may be nested: deeper than conditions may be, so that Parse says that they are
// too deep, and no deeper than reading can bear.
const maxParentheses = 32

// Read reads a sentence into the tree that Parse would decode from JSON: groups have the members match and rules,
// rules field, op and value. The error says where it cannot be read, and what is expected there.
func Read(text string) (tree any, err error) {
	r := &reader{text: strings.TrimSpace(text)}
	r.text = strings.TrimSuffix(r.text, ".")
	return r.whole()
}

// reader goes through a sentence.
type reader struct {
	text string
	// at is the position in bytes; depth bounds nested parentheses.
	at    int
	depth int
}

// rest is what has not been read.
func (r *reader) rest() string { return r.text[r.at:] }

// took reads a word, if it comes next.
func (r *reader) took(word string) bool {
	if strings.HasPrefix(r.rest(), word) {
		r.at += len(word)
		return true
	}
	return false
}

// wrong is the error at the present position, with what is expected there.
func (r *reader) wrong(expected string) error {
	return fmt.Errorf("at character %d, before %q: %s is expected", r.at+1, field.Clip(r.rest()), expected)
}

// whole reads the sentence to its end, into the JSON form of a condition.
func (r *reader) whole() (any, error) {
	if r.text == "everybody" {
		return map[string]any{"match": field.MatchAll, "rules": []any{}}, nil
	}
	tree, err := r.joined()
	if err == nil && r.rest() != "" {
		err = r.wrong(`", and" or ", or"`)
	}
	return tree, err
}

// joined reads terms between joints of one kind.
func (r *reader) joined() (any, error) {
	if r.depth++; r.depth > maxParentheses {
		return nil, r.wrong("fewer parentheses")
	}
	defer func() { r.depth-- }()
	match := field.MatchAll
	var rules []any
	for {
		term, err := r.term()
		if err != nil {
			return nil, err
		}
		rules = append(rules, term)
		var next string
		switch {
		case r.took(", and "):
			next = field.MatchAll
		case r.took(", or "):
			next = field.MatchAny
		default:
			return map[string]any{"match": match, "rules": rules}, nil
		}
		if len(rules) > 1 && next != match {
			return nil, r.wrong("parentheses around what belongs together, where and and or are mixed,")
		}
		match = next
	}
}

// term reads a group in parentheses, an expression, a membership, or a rule about a field.
func (r *reader) term() (any, error) {
	switch {
	case r.took("none of ("):
		inner, err := r.closed()
		if err != nil {
			return nil, err
		}
		if m, ok := inner.(map[string]any); ok && (m["match"] == field.MatchAny || len(m["rules"].([]any)) == 1) {
			m["match"] = field.MatchNone
			return m, nil
		}
		return map[string]any{"match": field.MatchNone, "rules": []any{inner}}, nil
	case r.took("("):
		return r.closed()
	case r.took("the expression "):
		source, err := r.quoted()
		if err == nil && !r.took(" is true") {
			err = r.wrong(`"is true"`)
		}
		return map[string]any{"expression": source}, err
	case r.took("holds the role "):
		return r.held(field.HasRole)
	case r.took("holds the entitlement "):
		return r.held(field.HasEntitlement)
	case r.took("reports up to "):
		return r.held(field.InTree)
	}
	return r.rule()
}

// closed reads up to the closing parenthesis.
func (r *reader) closed() (any, error) {
	inner, err := r.joined()
	if err == nil && !r.took(")") {
		err = r.wrong(`")"`)
	}
	return inner, err
}

// held reads the values of has_role, has_entitlement or in_tree.
func (r *reader) held(op string) (any, error) {
	values, err := r.list(" or ", false)
	return map[string]any{"op": op, "value": values}, err
}

// rule reads a field and what is said about it.
func (r *reader) rule() (any, error) {
	f, err := r.label()
	if err != nil {
		return nil, err
	}
	m := map[string]any{"field": f.FullName()}
	m["op"], m["value"], err = r.predicate(f)
	return m, err
}

// labels are those of all fields, the longest first, so that none hides another.
var labels = func() []*field.Field {
	list := make([]*field.Field, 0, len(field.All))
	for _, f := range field.All {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *field.Field) int {
		if len(a.Label) != len(b.Label) {
			return len(b.Label) - len(a.Label)
		}
		return strings.Compare(a.Label, b.Label)
	})
	return list
}()

// label reads the words for a field: "attribute shift", or the label of a known field.
func (r *reader) label() (*field.Field, error) {
	for _, of := range []string{"attributes", "labels"} {
		if !r.took(field.Maps[of] + " ") {
			continue
		}
		key, _, err := r.word()
		if err != nil {
			return nil, err
		}
		f, ok := field.Find(of + "." + key)
		if !ok {
			return nil, r.wrong("the name of an attribute")
		}
		return f, nil
	}
	for _, f := range labels {
		if r.took(f.Label + " ") {
			return f, nil
		}
	}
	return nil, r.wrong("a field, such as department or attribute shift,")
}

// word is a name: in quotes, or up to the next space.
func (r *reader) word() (text string, quoted bool, err error) {
	if strings.HasPrefix(r.rest(), `"`) {
		text, err = r.quoted()
		r.took(" ")
		return text, true, err
	}
	text, _, _ = strings.Cut(r.rest(), " ")
	r.at = min(len(r.text), r.at+len(text)+1)
	return text, false, nil
}

// phrases are the predicates, those that begin like others before them.
var phrases = []struct{ words, op string }{
	{
		"is not known",
		"unknown",
	},
	{"is known", field.Exists},
	{"is more than ", field.Gt},
	{"is less than ", field.Lt},
	{"is before ", field.Before},
	{"is after ", field.After},
	{"is neither ", field.NotIn},
	{"is not ", field.Ne},
	{"is ", field.In},
	{"contains ", field.Contains},
	{"starts with ", field.StartsWith},
}

// predicate reads operator and value, by the words that Condition.Sentence writes.
func (r *reader) predicate(f *field.Field) (op string, value any, err error) {
	for _, p := range phrases {
		if !r.took(p.words) {
			continue
		}
		switch p.op {
		case field.Exists:
			return field.Exists, true, nil
		case "unknown":
			return field.Exists, false, nil
		case field.Before, field.After:
			value, err = r.time()
			return p.op, value, err
		case field.Gt, field.Lt:
			values, err := r.list(" or ", true)
			if err != nil {
				return "", nil, err
			}
			return p.op, values[0], nil
		}
		return r.values(f, p.op)
	}
	return "", nil, r.wrong("is, contains or starts with")
}

// values reads what a field is compared to.
func (r *reader) values(f *field.Field, op string) (string, any, error) {
	if f.Kind == field.Date {
		value, err := r.time()
		return map[string]string{field.In: field.Eq, field.Ne: field.Ne}[op], value, err
	}
	joint := " or "
	if op == field.NotIn {
		joint = " nor "
	}
	values, err := r.list(joint, f.Kind == field.Custom)
	switch {
	case err != nil:
		return op, nil, err
	case f.Kind == field.Flag && len(values) == 1:
		return map[string]string{field.In: field.Eq, field.Ne: field.Ne}[op], values[0] == "true", nil
	case len(values) == 1 && op == field.In:
		return field.Eq, values[0], nil
	case op == field.In || op == field.NotIn:
		return op, values, nil
	case len(values) > 1:
		return op, nil, r.wrong("one value")
	}
	return op, values[0], nil
}
