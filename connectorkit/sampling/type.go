package sampling

import (
	"encoding/json"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
)

var (
	uuidPattern = regexp.MustCompile(`^(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	hasTime     = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}`)
	dottedMail  = regexp.MustCompile(`^[^\s@<>]+@[^\s@<>]+\.[^\s@<>.]+$`)
)

// typeOf is the type of one value in the words of v1.DiscoveredField, and its format where it has one.
func typeOf(v any) (kind, format string) {
	switch v := v.(type) {
	case bool:
		return "boolean", ""
	case map[string]any, []any:
		return "object", ""
	case json.Number:
		return typeOfNumber(v), ""
	case string:
		return typeOfText(v)
	}
	return "string", ""
}

// typeOfNumber is the type of a number as JSON writes it.
func typeOfNumber(n json.Number) string {
	if strings.ContainsAny(n.String(), ".eE") {
		return "number"
	}
	// Beyond 2^53 a number is kept as text, since many JSON readers would change it.
	if i, err := n.Int64(); err != nil || math.Abs(float64(i)) > jsonvalue.MaxExact {
		return "string"
	}
	return "integer"
}

// typeOfText is the type and format of a text, by its form.
func typeOfText(s string) (kind, format string) {
	switch {
	case uuidPattern.MatchString(s):
		return "string", "uuid"
	case dottedMail.MatchString(s):
		if _, err := mail.ParseAddress(s); err == nil {
			return "string", "email"
		}
	case strings.HasPrefix(s, "http://"), strings.HasPrefix(s, "https://"), strings.HasPrefix(s, "urn:"):
		if _, err := url.Parse(s); err == nil {
			return "string", "uri"
		}
	}
	if _, err := time.Parse(time.DateOnly, s); err == nil {
		return "date", ""
	}
	if hasTime.MatchString(s) {
		if _, ok := jsonvalue.Time(s); ok {
			return "datetime", ""
		}
	}
	return "string", ""
}

// settle finds the one type that fits all values seen.
func (f *ObservedField) settle() (kind, format string) {
	kinds := map[string]bool{}
	formats := map[string]bool{}
	for both := range f.types {
		k, form, _ := strings.Cut(both, " ")
		kinds[k] = true
		formats[form] = true
	}
	switch {
	case len(kinds) == 0:
		return "string", ""
	case len(kinds) == 1:
		for k := range kinds {
			kind = k
		}
		if len(formats) == 1 {
			for form := range formats {
				format = form
			}
		}
		return kind, format
	case len(kinds) == 2 && kinds["integer"] && kinds["number"]:
		return "number", ""
	case len(kinds) == 2 && kinds["date"] && kinds["datetime"]:
		return "datetime", ""
	case kinds["object"]:
		return "object", ""
	}
	return "string", ""
}
