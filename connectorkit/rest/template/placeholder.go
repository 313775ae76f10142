package template

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// placeholder stands for a value in a template: {{account.username}}, {{target.remote_id|quoted}}.
type placeholder struct {
	name string
	// filter is not, number, quoted, or empty.
	filter string
}

// What may follow a placeholder's name.
const (
	filterQuoted = "quoted" // a string of a query language: in double quotes, with backslashes
	filterNumber = "number"
	filterNot    = "not"
)

var (
	placeholderPattern = regexp.MustCompile(`\{\{\s*([A-Za-z_][^\s{}|]*)\s*(?:\|\s*([a-z]+)\s*)?\}\}`)
	wholePlaceholder   = regexp.MustCompile(`^\{\{\s*([A-Za-z_][^\s{}|]*)\s*(?:\|\s*([a-z]+)\s*)?\}\}$`)
)

// literalPattern is how braces are written that are none of a placeholder: {{'{{'}} and {{'}}'}}.
var literalPattern = regexp.MustCompile(`\{\{\s*'(\{\{|\}\})'\s*\}\}`)

// bracePattern finds literals and placeholders alike.
var bracePattern = regexp.MustCompile(literalPattern.String() + "|" + placeholderPattern.String())

// unopenedPlaceholder is a placeholder with a brace too few at its beginning.
var unopenedPlaceholder = regexp.MustCompile(
	`(?:^|[^{])\{\s*(?:account|target|entitlement|credential|reads|idempotency_key|expires_at)\b[^{}]*\}\}`,
)

// parsePlaceholders lists those of a text. What looks like one and is none is a mistake. Closing braces alone are text,
// as they end nested objects in queries of GraphQL.
func parsePlaceholders(text string) ([]placeholder, error) {
	var out []placeholder
	text = literalPattern.ReplaceAllString(text, "")
	for _, m := range placeholderPattern.FindAllStringSubmatch(text, -1) {
		switch m[2] {
		case "", filterQuoted, filterNumber, filterNot:
		default:
			return nil, fmt.Errorf("%q is no filter; there are quoted, number and not", m[2])
		}
		out = append(out, placeholder{m[1], m[2]})
	}
	if rest := placeholderPattern.ReplaceAllString(text, ""); strings.Contains(rest, "{{") ||
		unopenedPlaceholder.MatchString(rest) {
		return nil, errors.New("has braces that are no placeholder; two opening braces as text are written {{'{{'}}")
	}
	return out, nil
}
