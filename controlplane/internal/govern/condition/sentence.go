package condition

import (
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/field"
)

// The sentences of conditions are of a fixed grammar, which ParseSentence reads. Rules of one group stand between ",
// and " or ", or ", groups inside others in parentheses; whatever could be mistaken for words of the grammar is in
// quotes.

// say says the group in words. nested puts it into parentheses.
func (g *group) say(nested bool) string {
	if len(g.of) == 0 {
		return "everybody"
	}
	words := make([]string, len(g.of))
	for i, n := range g.of {
		words[i] = n.say(true)
	}
	if g.match == field.MatchNone {
		return "none of (" + strings.Join(words, ", or ") + ")"
	}
	joint := ", and "
	if g.match == field.MatchAny {
		joint = ", or "
	}
	if nested {
		return "(" + strings.Join(words, joint) + ")"
	}
	return strings.Join(words, joint)
}

// say quotes the expression.
func (s *script) say(bool) string { return "the expression " + strconv.Quote(s.source) + " is true" }

// say says the rule in words, such as "department is Surgery". Package grammar reads these words
// back.
func (r *rule) say(bool) string {
	switch r.op {
	case field.HasRole:
		return "holds the role " + list(r.spoken(), "or")
	case field.HasEntitlement:
		return "holds the entitlement " + list(r.spoken(), "or")
	case field.InTree:
		return "reports up to " + list(r.spoken(), "or")
	}
	return r.field.Label + " " + r.predicate()
}

// predicate is what the rule says about its field.
func (r *rule) predicate() string {
	switch r.op {
	case field.Exists:
		if r.want {
			return "is known"
		}
		return "is not known"
	case field.Gt:
		return "is more than " + field.PlainNumber(r.number)
	case field.Lt:
		return "is less than " + field.PlainNumber(r.number)
	case field.Before:
		return "is before " + r.moment.Say()
	case field.After:
		return "is after " + r.moment.Say()
	case field.Contains:
		return "contains " + list(r.spoken(), "or")
	case field.StartsWith:
		return "starts with " + list(r.spoken(), "or")
	case field.In:
		return "is " + list(r.spoken(), "or")
	case field.NotIn:
		return "is neither " + list(r.spoken(), "nor")
	case field.Ne:
		return "is not " + r.single()
	}
	return "is " + r.single()
}

// single is the rule's one value in words.
func (r *rule) single() string {
	switch r.field.Kind {
	case field.Date:
		return r.moment.Say()
	case field.Flag:
		return strconv.FormatBool(r.want)
	}
	return r.spoken()[0]
}

// spoken are the values in words. In a custom attribute a text that looks like another type is quoted.
func (r *rule) spoken() []string {
	var out []string
	loose := r.field != nil && r.field.Kind == field.Custom
	for _, t := range r.texts {
		if loose && (field.LooksLikeNumber(t) || t == "true" || t == "false") {
			out = append(out, strconv.Quote(t))
			continue
		}
		out = append(out, field.QuotedUnless(t, field.IsPlain))
	}
	for _, n := range r.numbers {
		out = append(out, field.PlainNumber(n))
	}
	for _, b := range r.flags {
		out = append(out, strconv.FormatBool(b))
	}
	return out
}

// list joins values: "a, b or c".
func list(words []string, joint string) string {
	if len(words) == 1 {
		return words[0]
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " " + joint + " " + words[last]
}
