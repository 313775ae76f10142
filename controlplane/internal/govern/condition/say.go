package condition

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The sentences of conditions are of a fixed grammar, which ParseSentence reads. Rules of one group stand between ",
// and " or ", or ", groups inside others in parentheses; whatever could be mistaken for words of the grammar is in
// quotes.

func (g *group) say(nested bool) string {
	if len(g.of) == 0 {
		return "everybody"
	}
	words := make([]string, len(g.of))
	for i, n := range g.of {
		words[i] = n.say(true)
	}
	if g.match == none {
		return "none of (" + strings.Join(words, ", or ") + ")"
	}
	joint := ", and "
	if g.match == some {
		joint = ", or "
	}
	if nested {
		return "(" + strings.Join(words, joint) + ")"
	}
	return strings.Join(words, joint)
}

func (s *script) say(bool) string { return "the expression " + strconv.Quote(s.source) + " is true" }

func (r *rule) say(bool) string {
	switch r.op {
	case hasRole:
		return "holds the role " + list(r.spoken(), "or")
	case hasEntitlement:
		return "holds the entitlement " + list(r.spoken(), "or")
	case inTree:
		return "reports up to " + list(r.spoken(), "or")
	}
	return r.field.label + " " + r.predicate()
}

func (r *rule) predicate() string {
	switch r.op {
	case exists:
		if r.want {
			return "is known"
		}
		return "is not known"
	case gt:
		return "is more than " + plainNumber(r.number)
	case lt:
		return "is less than " + plainNumber(r.number)
	case before:
		return "is before " + r.moment.say()
	case after:
		return "is after " + r.moment.say()
	case contains:
		return "contains " + list(r.spoken(), "or")
	case startsWith:
		return "starts with " + list(r.spoken(), "or")
	case in:
		return "is " + list(r.spoken(), "or")
	case notIn:
		return "is neither " + list(r.spoken(), "nor")
	case ne:
		return "is not " + r.single()
	}
	return "is " + r.single()
}

func (r *rule) single() string {
	switch r.field.kind {
	case date:
		return r.moment.say()
	case flag:
		return strconv.FormatBool(r.want)
	}
	return r.spoken()[0]
}

// spoken are the values in words. In a custom attribute a text that looks like another type is quoted.
func (r *rule) spoken() []string {
	var out []string
	loose := r.field != nil && r.field.kind == anyone
	for _, t := range r.texts {
		if loose && (looksLikeNumber(t) || t == "true" || t == "false") {
			out = append(out, strconv.Quote(t))
			continue
		}
		out = append(out, quotedUnless(t, isPlain))
	}
	for _, n := range r.numbers {
		out = append(out, plainNumber(n))
	}
	for _, b := range r.flags {
		out = append(out, strconv.FormatBool(b))
	}
	return out
}

func list(words []string, joint string) string {
	if len(words) == 1 {
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + joint + " " + words[last]
}

func plainNumber(n float64) string {
	text, err := json.Marshal(n)
	if err != nil {
		return "0"
	}
	return string(text)
}

func looksLikeNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

var (
	plain = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N} ._&@/+:'#-]*$`)
	bare  = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._-]*$`)
)

// reserved are the words with which a value cannot begin, and those it cannot have.
var (
	reserved = map[string]bool{
		"not":     true,
		"neither": true,
		"nor":     true,
		"known":   true,
		"more":    true,
		"less":    true,
		"before":  true,
		"after":   true,
		"true":    false,
		"false":   false,
	}
	joints = []string{" or ", " nor ", " and "}
)

func isName(s string) bool { return bare.MatchString(s) }

func isPlain(s string) bool {
	// A period at the end would be read as the end of the sentence.
	if !plain.MatchString(s) || strings.HasSuffix(s, " ") || strings.HasSuffix(s, ".") || strings.Contains(s, "  ") {
		return false
	}
	first, _, _ := strings.Cut(s, " ")
	if reserved[first] {
		return false
	}
	padded := " " + s + " "
	for _, j := range joints {
		if strings.Contains(padded, j) {
			return false
		}
	}
	return true
}

func quotedUnless(s string, ok func(string) bool) string {
	if ok(s) {
		return s
	}
	return strconv.Quote(s)
}

// say is the time in words.
func (w when) say() string {
	if !w.relative {
		return w.String()
	}
	var parts []string
	for _, p := range []struct {
		n    int
		unit string
	}{{w.years, "year"}, {w.months, "month"}, {w.days, "day"}} {
		switch {
		case p.n == 1:
			parts = append(parts, "1 "+p.unit)
		case p.n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", p.n, p.unit))
		}
	}
	switch {
	case len(parts) == 0:
		return "today"
	case w.past:
		return strings.Join(parts, " ") + " ago"
	}
	return strings.Join(parts, " ") + " from today"
}
