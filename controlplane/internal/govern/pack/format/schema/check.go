package schema

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
)

// checker holds values against the schema.
type checker struct {
	*diagnostic.List
	// strict refuses unknown members; otherwise they are reported and removed.
	strict bool
}

// check holds a value against a shape: a fixed value, one of several, the type, and then what the
// type demands. pointer is the value's JSON pointer. A value of the wrong type is not looked into.
func (c *checker) check(s *shape, v any, pointer string) {
	if len(s.AnyOf) > 0 {
		c.any(s, v, pointer)
		return
	}
	if s.Const != nil && s.Const != v {
		c.Fail("wrong_value", pointer, fmt.Sprintf("write %v", s.Const), "it is %s", diagnostic.Show(v))
		return
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		c.Fail(
			"wrong_value",
			pointer,
			"write one of "+words(s.Enum)+like(v, s.Enum),
			"there is no %s here",
			diagnostic.Show(v),
		)
		return
	}
	if s.Type != "" && !is(s.Type, v) {
		c.Fail("wrong_type", pointer, describe(s), "it is %s", diagnostic.KindOf(v))
		return
	}
	switch v := v.(type) {
	case string:
		c.text(s, v, pointer)
	case int64:
		c.number(s, float64(v), pointer)
	case float64:
		c.number(s, v, pointer)
	case []any:
		c.elements(s, v, pointer)
	case map[string]any:
		c.members(s, v, pointer)
	}
}

// any holds a value against several shapes, and reports on the one that is of its type.
func (c *checker) any(s *shape, v any, pointer string) {
	var closest []diagnostic.Problem
	for _, option := range s.AnyOf {
		trial := &checker{List: &diagnostic.List{Places: c.Places}, strict: c.strict}
		trial.check(option, v, pointer)
		if !diagnostic.Failed(trial.Problems) {
			return
		}
		if option.Type == "" || is(option.Type, v) {
			closest = trial.Problems
		}
	}
	if closest == nil {
		c.Fail("wrong_type", pointer, describe(s), "it is %s", diagnostic.KindOf(v))
		return
	}
	c.Problems = append(c.Problems, closest...)
}

// text checks length and pattern. The pattern of durations cannot exclude a T without time after
// it, or a lone P, in RE2, hence the two conditions.
func (c *checker) text(s *shape, v, pointer string) {
	n := utf8.RuneCountInString(v)
	switch {
	case strings.ContainsRune(v, 0):
		c.Fail("wrong_value", pointer, "take it out", "the text holds the character NUL")
	case s.MinLength != nil && n < *s.MinLength:
		c.Fail("too_short", pointer, "write something", "the text is empty")
	case s.MaxLength != nil && n > *s.MaxLength:
		c.Fail("too_long", pointer, "shorten it", "the text has %d characters; %d are allowed", n, *s.MaxLength)
	case s.pattern != nil && (!s.pattern.MatchString(v) || strings.HasSuffix(v, "T") && s.Pattern != ecma(s.Pattern) ||
		v == "P"):
		c.Fail("wrong_value", pointer, describe(s), "%s does not fit here", diagnostic.Show(v))
	}
}

// number checks the bounds.
func (c *checker) number(s *shape, v float64, pointer string) {
	if s.Minimum != nil && v < *s.Minimum || s.Maximum != nil && v > *s.Maximum {
		c.Fail("out_of_range", pointer, Between(s.Minimum, s.Maximum), "it is %v", v)
	}
}

// elements checks the number of elements, and each of them. Of a list that is too long none is
// checked.
func (c *checker) elements(s *shape, v []any, pointer string) {
	if s.MinItems != nil && len(v) < *s.MinItems {
		c.Fail("too_few", pointer, "add some", "there are %d; %d are needed", len(v), *s.MinItems)
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		c.Fail(
			"too_many",
			pointer,
			"split it up, or leave some out",
			"there are %d; %d are allowed",
			len(v),
			*s.MaxItems,
		)
		return
	}
	for i, e := range v {
		if s.Items != nil {
			c.check(s.Items, e, diagnostic.Under(pointer, i))
		}
	}
}

// members checks that required members are there and each member is known and right.
func (c *checker) members(s *shape, v map[string]any, pointer string) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			c.Fail(
				"missing",
				diagnostic.Under(pointer, name),
				"add it"+about(s.Properties[name]),
				"%s is missing",
				name,
			)
		}
	}
	if s.MinProperties != nil && len(v) < *s.MinProperties || s.MaxProperties != nil && len(v) > *s.MaxProperties {
		c.Fail(
			"wrong_members",
			pointer,
			"name "+strings.Join(slices.Sorted(maps.Keys(s.Properties)), " or "),
			"there are %d members",
			len(v),
		)
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		p, ok := s.Properties[name]
		if ok {
			c.check(p, v[name], diagnostic.Under(pointer, name))
			continue
		}
		if s.Additional == nil || *s.Additional {
			continue
		}
		c.unknown(s, v, name, pointer)
	}
}

// forbidden are things that no pack may bring, whatever they are called by: distinguished from words that are merely
// unknown.
var forbidden = map[string]string{
	"secrets":     "secrets",
	"credentials": "secrets",
	"password":    "secrets",
	"passwords":   "secrets",
	"webhooks":    "webhooks",
	"users":       "users",
	"tokens":      "tokens",
	"apitokens":   "tokens",
	"writemode":   "write modes",
	"write_mode":  "write modes",
	"writemodes":  "write modes",
	"connectors":  "connectors",
}

// unknown reports a member that the schema does not have, with the nearest name that it has.
// Members that could carry credentials or code are refused even where others are ignored.
func (c *checker) unknown(s *shape, v map[string]any, name, pointer string) {
	if what := forbidden[strings.ToLower(name)]; what != "" {
		c.Fail(
			"forbidden_content",
			diagnostic.Under(pointer, name),
			"remove it; the tenant's administrators set that up themselves",
			"a pack cannot hold %s",
			what,
		)
		return
	}
	names := slices.Sorted(maps.Keys(s.Properties))
	mend := "there are " + strings.Join(names, ", ")
	if close := diagnostic.Nearest(name, names); close != "" {
		mend = "did you mean " + close + "? T" + mend[1:]
	}
	say := c.Warn
	if c.strict {
		say = c.Fail
	}
	say("unknown_member", diagnostic.Under(pointer, name), mend, "%q is not known here", diagnostic.Printable(name))
	if !c.strict {
		delete(v, name)
	}
}
