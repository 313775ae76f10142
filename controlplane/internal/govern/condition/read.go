package condition

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ParseSentence reads a condition from the words that Sentence says it with. Its problems have positions in the text
// for pointers.
func ParseSentence(text string) (Condition, []Problem) {
	if len(text) > MaxSize {
		return Condition{}, []Problem{
			{Pointer: "#", Code: "too_large", Detail: "the sentence is too long", Suggestions: []string{}},
		}
	}
	if !utf8.ValidString(text) {
		return Condition{}, []Problem{
			{Pointer: "#", Code: "malformed", Detail: "the sentence is not valid UTF-8", Suggestions: []string{}},
		}
	}
	r := &reader{text: strings.TrimSpace(text)}
	r.text = strings.TrimSuffix(r.text, ".")
	tree, err := r.whole()
	if err != nil {
		return Condition{}, []Problem{
			{Pointer: "#", Code: "unreadable_sentence", Detail: err.Error(), Suggestions: []string{}},
		}
	}
	p := &parser{}
	root := p.node(tree, "#", 1)
	if len(p.problems) > 0 {
		return Condition{}, p.problems
	}
	return finish(root), nil
}

// reader goes through a sentence.
type reader struct {
	text  string
	at    int
	depth int
}

func (r *reader) rest() string { return r.text[r.at:] }

func (r *reader) took(word string) bool {
	if strings.HasPrefix(r.rest(), word) {
		r.at += len(word)
		return true
	}
	return false
}

func (r *reader) wrong(expected string) error {
	return fmt.Errorf("at character %d, before %q: %s is expected", r.at+1, clipped(r.rest()), expected)
}

func (r *reader) whole() (any, error) {
	if r.text == "everybody" {
		return map[string]any{"match": all, "rules": []any{}}, nil
	}
	tree, err := r.joined()
	if err == nil && r.rest() != "" {
		err = r.wrong(`", and" or ", or"`)
	}
	return tree, err
}

// joined reads terms between joints of one kind.
func (r *reader) joined() (any, error) {
	if r.depth++; r.depth > 4*maxDepth {
		return nil, r.wrong("fewer parentheses")
	}
	defer func() { r.depth-- }()
	match := all
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
			next = all
		case r.took(", or "):
			next = some
		default:
			return map[string]any{"match": match, "rules": rules}, nil
		}
		if len(rules) > 1 && next != match {
			return nil, r.wrong("parentheses around what belongs together, where and and or are mixed,")
		}
		match = next
	}
}

func (r *reader) term() (any, error) {
	switch {
	case r.took("none of ("):
		inner, err := r.closed()
		if err != nil {
			return nil, err
		}
		if m, ok := inner.(map[string]any); ok && (m["match"] == some || len(m["rules"].([]any)) == 1) {
			m["match"] = none
			return m, nil
		}
		return map[string]any{"match": none, "rules": []any{inner}}, nil
	case r.took("("):
		return r.closed()
	case r.took("the expression "):
		source, err := r.quoted()
		if err == nil && !r.took(" is true") {
			err = r.wrong(`"is true"`)
		}
		return map[string]any{"expression": source}, err
	case r.took("holds the role "):
		return r.held(hasRole)
	case r.took("holds the entitlement "):
		return r.held(hasEntitlement)
	case r.took("reports up to "):
		return r.held(inTree)
	}
	return r.rule()
}

func (r *reader) closed() (any, error) {
	inner, err := r.joined()
	if err == nil && !r.took(")") {
		err = r.wrong(`")"`)
	}
	return inner, err
}

func (r *reader) held(op string) (any, error) {
	values, err := r.list(" or ", false)
	return map[string]any{"op": op, "value": values}, err
}

func (r *reader) rule() (any, error) {
	f, err := r.label()
	if err != nil {
		return nil, err
	}
	m := map[string]any{"field": f.full()}
	m["op"], m["value"], err = r.predicate(f)
	return m, err
}

// labels are those of all fields, the longest first, so that none hides another.
var labels = func() []*field {
	list := make([]*field, 0, len(fields))
	for _, f := range fields {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *field) int {
		if len(a.label) != len(b.label) {
			return len(b.label) - len(a.label)
		}
		return strings.Compare(a.label, b.label)
	})
	return list
}()

func (r *reader) label() (*field, error) {
	for _, of := range []string{"attributes", "labels"} {
		if !r.took(maps[of] + " ") {
			continue
		}
		key, _, err := r.word()
		if err != nil {
			return nil, err
		}
		f, ok := fieldNamed(of + "." + key)
		if !ok {
			return nil, r.wrong("the name of an attribute")
		}
		return f, nil
	}
	for _, f := range labels {
		if r.took(f.label + " ") {
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
	{"is known", exists},
	{"is more than ", gt},
	{"is less than ", lt},
	{"is before ", before},
	{"is after ", after},
	{"is neither ", notIn},
	{"is not ", ne},
	{"is ", in},
	{"contains ", contains},
	{"starts with ", startsWith},
}

func (r *reader) predicate(f *field) (op string, value any, err error) {
	for _, p := range phrases {
		if !r.took(p.words) {
			continue
		}
		switch p.op {
		case exists:
			return exists, true, nil
		case "unknown":
			return exists, false, nil
		case before, after:
			value, err = r.time()
			return p.op, value, err
		case gt, lt:
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
func (r *reader) values(f *field, op string) (string, any, error) {
	if f.kind == date {
		value, err := r.time()
		return map[string]string{in: eq, ne: ne}[op], value, err
	}
	joint := " or "
	if op == notIn {
		joint = " nor "
	}
	values, err := r.list(joint, f.kind == anyone)
	switch {
	case err != nil:
		return op, nil, err
	case f.kind == flag && len(values) == 1:
		return map[string]string{in: eq, ne: ne}[op], values[0] == "true", nil
	case len(values) == 1 && op == in:
		return eq, values[0], nil
	case op == in || op == notIn:
		return op, values, nil
	case len(values) > 1:
		return op, nil, r.wrong("one value")
	}
	return op, values[0], nil
}

// list reads values between commas, and the joint before the last. With typed, numbers and true and false are what they
// look like.
func (r *reader) list(joint string, typed bool) ([]any, error) {
	var values []any
	for {
		v, err := r.value(typed)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		rest := r.rest()
		if strings.HasPrefix(rest, ", ") && !strings.HasPrefix(rest, ", and ") && !strings.HasPrefix(rest, ", or ") &&
			r.took(", ") ||
			r.took(joint) {
			continue
		}
		return values, nil
	}
}

// ends are what a value that is not in quotes ends before.
var ends = regexp.MustCompile(`,| or | nor | and |\)|$`)

func (r *reader) value(typed bool) (any, error) {
	if strings.HasPrefix(r.rest(), `"`) {
		return r.quoted()
	}
	text := r.rest()[:ends.FindStringIndex(r.rest())[0]]
	if text == "" {
		return nil, r.wrong("a value")
	}
	r.at += len(text)
	switch {
	case typed && (text == "true" || text == "false"):
		return text == "true", nil
	case typed && looksLikeNumber(text) && json.Valid([]byte(text)):
		return json.Number(text), nil
	}
	return text, nil
}

func (r *reader) quoted() (string, error) {
	text, err := strconv.QuotedPrefix(r.rest())
	if err != nil || text[0] != '"' {
		return "", r.wrong("a text in quotes")
	}
	r.at += len(text)
	return strconv.Unquote(text)
}

var spokenTime = regexp.MustCompile(`^(?:(\d+) years? ?)?(?:(\d+) months? ?)?(?:(\d+) days? ?)?(ago|from today)`)

func (r *reader) time() (any, error) {
	if m := spokenTime.FindStringSubmatch(r.rest()); m != nil && m[1]+m[2]+m[3] != "" {
		r.at += len(m[0])
		text := "P"
		for i, unit := range []string{"Y", "M", "D"} {
			if m[i+1] != "" {
				text += m[i+1] + unit
			}
		}
		if m[4] == "ago" {
			text = "-" + text
		}
		return text, nil
	}
	return r.value(false)
}
