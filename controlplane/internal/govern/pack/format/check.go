package format

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Schema is the JSON Schema of the format, as it is published.
//
//go:embed schema.json
var Schema []byte

// shape is a JSON Schema: the part of its vocabulary that schema.json uses.
type shape struct {
	Ref           string            `json:"$ref"`
	Type          string            `json:"type"`
	Const         any               `json:"const"`
	Enum          []any             `json:"enum"`
	Pattern       string            `json:"pattern"`
	MinLength     *int              `json:"minLength"`
	MaxLength     *int              `json:"maxLength"`
	Minimum       *float64          `json:"minimum"`
	Maximum       *float64          `json:"maximum"`
	MinItems      *int              `json:"minItems"`
	MaxItems      *int              `json:"maxItems"`
	MinProperties *int              `json:"minProperties"`
	MaxProperties *int              `json:"maxProperties"`
	Items         *shape            `json:"items"`
	Properties    map[string]*shape `json:"properties"`
	Required      []string          `json:"required"`
	Additional    *bool             `json:"additionalProperties"`
	AnyOf         []*shape          `json:"anyOf"`
	Defs          map[string]*shape `json:"$defs"`
	Description   string            `json:"description"`

	// For readers who have the schema alone.
	Draft   string          `json:"$schema"`
	ID      string          `json:"$id"`
	Title   string          `json:"title"`
	Default json.RawMessage `json:"default"`

	pattern *regexp.Regexp
}

var schema = sync.OnceValue(func() *shape {
	var root shape
	d := json.NewDecoder(strings.NewReader(string(Schema)))
	d.DisallowUnknownFields() // what we would not check must not stand in it
	if err := d.Decode(&root); err != nil {
		panic("schema.json: " + err.Error())
	}
	root.link(&root)
	return &root
})

// link puts what is referred to in its place.
func (s *shape) link(root *shape) {
	if s.Pattern != "" {
		s.pattern = regexp.MustCompile(ecma(s.Pattern))
	}
	each := func(p **shape) {
		if (*p).Ref != "" {
			*p = root.find((*p).Ref)
			return
		}
		(*p).link(root)
	}
	if s.Items != nil {
		each(&s.Items)
	}
	for name, p := range s.Properties {
		each(&p)
		s.Properties[name] = p
	}
	for i := range s.AnyOf {
		each(&s.AnyOf[i])
	}
	for _, p := range s.Defs {
		p.link(root)
	}
}

// ecma writes a pattern as Go reads it: the one look-ahead that the schema uses says that something follows, which Go's
// patterns cannot; duration.go asks for it.
func ecma(pattern string) string { return strings.ReplaceAll(pattern, "(?=.)", "") }

func (s *shape) find(ref string) *shape {
	at := s
	for _, name := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		switch name {
		case "$defs", "properties":
			continue
		}
		if p := at.Defs[name]; p != nil {
			at = p
		} else {
			at = at.Properties[name]
		}
	}
	return at
}

// checker holds values against the schema.
type checker struct {
	*list
	strict bool
}

func (c *checker) check(s *shape, v any, pointer string) {
	if len(s.AnyOf) > 0 {
		c.any(s, v, pointer)
		return
	}
	if s.Const != nil && s.Const != v {
		c.fail("wrong_value", pointer, fmt.Sprintf("write %v", s.Const), "it is %s", shown(v))
		return
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		c.fail("wrong_value", pointer, "write one of "+words(s.Enum)+like(v, s.Enum), "there is no %s here", shown(v))
		return
	}
	if s.Type != "" && !is(s.Type, v) {
		c.fail("wrong_type", pointer, describe(s), "it is %s", kindOf(v))
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

// any holds a value against several shapes, and tells of the one that is of its type.
func (c *checker) any(s *shape, v any, pointer string) {
	var closest []Problem
	for _, option := range s.AnyOf {
		trial := &checker{list: &list{places: c.places}, strict: c.strict}
		trial.check(option, v, pointer)
		if !Failed(trial.problems) {
			return
		}
		if option.Type == "" || is(option.Type, v) {
			closest = trial.problems
		}
	}
	if closest == nil {
		c.fail("wrong_type", pointer, describe(s), "it is %s", kindOf(v))
		return
	}
	c.problems = append(c.problems, closest...)
}

func (c *checker) text(s *shape, v, pointer string) {
	n := utf8.RuneCountInString(v)
	switch {
	case strings.ContainsRune(v, 0):
		c.fail("wrong_value", pointer, "take it out", "the text holds the character NUL")
	case s.MinLength != nil && n < *s.MinLength:
		c.fail("too_short", pointer, "write something", "the text is empty")
	case s.MaxLength != nil && n > *s.MaxLength:
		c.fail("too_long", pointer, "shorten it", "the text has %d characters; %d are allowed", n, *s.MaxLength)
	case s.pattern != nil && (!s.pattern.MatchString(v) || strings.HasSuffix(v, "T") && s.Pattern != ecma(s.Pattern) ||
		v == "P"):
		c.fail("wrong_value", pointer, describe(s), "%s does not fit here", shown(v))
	}
}

func (c *checker) number(s *shape, v float64, pointer string) {
	if s.Minimum != nil && v < *s.Minimum || s.Maximum != nil && v > *s.Maximum {
		c.fail("out_of_range", pointer, between(s.Minimum, s.Maximum), "it is %v", v)
	}
}

func between(least, most *float64) string {
	switch {
	case least == nil:
		return fmt.Sprintf("write at most %v", *most)
	case most == nil:
		return fmt.Sprintf("write at least %v", *least)
	}
	return fmt.Sprintf("write %v to %v", *least, *most)
}

func (c *checker) elements(s *shape, v []any, pointer string) {
	if s.MinItems != nil && len(v) < *s.MinItems {
		c.fail("too_few", pointer, "add some", "there are %d; %d are needed", len(v), *s.MinItems)
	}
	if s.MaxItems != nil && len(v) > *s.MaxItems {
		c.fail(
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
			c.check(s.Items, e, under(pointer, i))
		}
	}
}

func (c *checker) members(s *shape, v map[string]any, pointer string) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			c.fail("missing", under(pointer, name), "add it"+about(s.Properties[name]), "%s is missing", name)
		}
	}
	if s.MinProperties != nil && len(v) < *s.MinProperties || s.MaxProperties != nil && len(v) > *s.MaxProperties {
		c.fail(
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
			c.check(p, v[name], under(pointer, name))
			continue
		}
		if s.Additional == nil || *s.Additional {
			continue
		}
		c.unknown(s, v, name, pointer)
	}
}

// forbidden are things that no pack may bring, whatever they are called by: told apart from words that are merely
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

func (c *checker) unknown(s *shape, v map[string]any, name, pointer string) {
	if what := forbidden[strings.ToLower(name)]; what != "" {
		c.fail(
			"forbidden_content",
			under(pointer, name),
			"remove it; the tenant's administrators set that up themselves",
			"a pack cannot hold %s",
			what,
		)
		return
	}
	names := slices.Sorted(maps.Keys(s.Properties))
	mend := "there are " + strings.Join(names, ", ")
	if close := nearest(name, names); close != "" {
		mend = "did you mean " + close + "? T" + mend[1:]
	}
	say := c.warn
	if c.strict {
		say = c.fail
	}
	say("unknown_member", under(pointer, name), mend, "%q is not known here", printable(name))
	if !c.strict {
		delete(v, name)
	}
}

func about(s *shape) string {
	if s == nil {
		return ""
	}
	return ": " + describe(s)
}

// describe says what a value has to be.
func describe(s *shape) string {
	switch {
	case s.Description != "":
		return "write " + strings.TrimSuffix(s.Description, ".")
	case s.Const != nil:
		return fmt.Sprintf("write %v", s.Const)
	case s.Enum != nil:
		return "write one of " + words(s.Enum)
	}
	article := map[string]string{
		"string":  "a text",
		"array":   "a list",
		"object":  "a mapping",
		"integer": "a whole number",
		"number":  "a number",
		"boolean": "true or false",
	}
	if a, ok := article[s.Type]; ok {
		return "write " + a
	}
	return "see the schema"
}

func words(values []any) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
	}
	return strings.Join(out, ", ")
}

func like(v any, values []any) string {
	text, ok := v.(string)
	if !ok {
		return ""
	}
	known := make([]string, len(values))
	for i, k := range values {
		known[i] = fmt.Sprint(k)
	}
	if close := nearest(text, known); close != "" {
		return "; did you mean " + close + "?"
	}
	return ""
}

func shown(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("%q", printable(v))
	case nil:
		return "nothing"
	case map[string]any, []any:
		return kindOf(v)
	}
	return fmt.Sprint(v)
}

func is(kind string, v any) bool {
	switch v := v.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "boolean"
	case int64:
		return kind == "integer" || kind == "number"
	case float64:
		return kind == "number" || kind == "integer" && v == math.Trunc(v)
	case []any:
		return kind == "array"
	case map[string]any:
		return kind == "object"
	}
	return false
}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case bool:
		return "true or false"
	case int64, float64:
		return "a number"
	case []any:
		return "a list"
	case map[string]any:
		return "a mapping"
	case nil:
		return "empty"
	}
	return reflect.TypeOf(v).String()
}
