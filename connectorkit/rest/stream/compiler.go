package stream

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
)

// quotedName is the name in parentheses; empty without one.
func quotedName(name string) string {
	if name == "" {
		return ""
	}
	return " (" + name + ")"
}

// Compiler gathers the mistakes of one document.
type Compiler struct{ Problems []string }

// Wrong notes one mistake. Messages name the setting and never repeat a secret.
func (c *Compiler) Wrong(format string, args ...any) {
	c.Problems = append(c.Problems, fmt.Sprintf(format, args...))
}

// Path compiles the JSONPath (RFC 9535) of a setting; $. may be left out. It is nil if the text is empty or wrong.
func (c *Compiler) Path(member, text string) *jsonpath.Path {
	if text == "" {
		return nil
	}
	p, err := jsonpath.CompileShort(text)
	if err != nil {
		c.Wrong("%s: %v", member, err)
		return nil
	}
	return p
}

// OneOf checks a setting that allows certain words only. It gives def for an empty or a wrong value.
func (c *Compiler) OneOf(member, value, def string, allowed ...string) string {
	if value == "" {
		return def
	}
	if !slices.Contains(allowed, value) {
		c.Wrong("%s must be one of %s, not %q", member, strings.Join(allowed, ", "), value)
		return def
	}
	return value
}

// PathOf is a path of the settings without its query.
func PathOf(text string) string {
	path, _, _ := strings.Cut(text, "?")
	return strings.TrimPrefix(path, "/")
}
