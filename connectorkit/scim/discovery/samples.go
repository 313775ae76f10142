package discovery

import (
	"cmp"
	"fmt"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/grantwright/grantwright/connectorkit/scim/provider"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// sampleBytes bounds one sample value.
const sampleBytes = 200

// mergeFields joins declared fields with what the samples carry, sorted by name.
func mergeFields(declared provider.DeclaredFields, recs []resource.Record, mask bool) []v1.DiscoveredField {
	seen := observe(recs)
	fields := make([]v1.DiscoveredField, 0, len(declared)+len(seen))
	known := map[string]bool{}
	for _, f := range declared {
		if known[f.Name] {
			continue
		}
		known[f.Name] = true
		if o := seen[f.Name]; o != nil {
			f.Source, f.Multi, f.Secret = "both", f.Multi || o.multi, f.Secret || o.secret
			f.Format = o.format()
			o.fill(&f, len(recs), mask)
		} else if len(recs) > 0 {
			f.NullRatio = 1
		}
		fields = append(fields, f)
	}
	for name, o := range seen {
		if !known[name] {
			f := v1.DiscoveredField{
				Name:     name,
				Path:     name,
				Type:     o.typ(),
				Format:   o.format(),
				Multi:    o.multi,
				Writable: true,
				Source:   "sample",
				Secret:   o.secret,
			}
			o.fill(&f, len(recs), mask)
			fields = append(fields, f)
		}
	}
	slices.SortFunc(fields, func(a, b v1.DiscoveredField) int { return cmp.Compare(a.Name, b.Name) })
	return fields
}

// round leaves three digits after the point, so that ratios do not pretend to more than a sample
// can say.
func round(x float64) float64 { return float64(int(x*1000+0.5)) / 1000 }

var (
	uuidShape = regexp.MustCompile(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)
	dateShape = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
)

// classify returns type and format of one value.
func classify(v any) (typ, format string) {
	switch v := v.(type) {
	case bool:
		return "boolean", ""
	case int64:
		return "integer", ""
	case float64:
		return "number", ""
	case map[string]any, []any:
		return "object", ""
	case string:
		return classifyText(v)
	}
	return "string", ""
}

// classifyText tries the formats from the narrowest to the widest. A text is an e-mail address only
// if it is nothing else, such as "Ada <ada@example.com>".
func classifyText(s string) (typ, format string) {
	if _, err := time.Parse(time.RFC3339, s); err == nil {
		return "datetime", ""
	}
	if dateShape.MatchString(s) {
		return "date", ""
	}
	if uuidShape.MatchString(s) {
		return "string", "uuid"
	}
	if a, err := mail.ParseAddress(s); err == nil && a.Address == s {
		return "string", "email"
	}
	if u, err := url.Parse(s); err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" {
		return "string", "uri"
	}
	return "string", ""
}

// maskShape hides a value but keeps its shape: the first letter of each word and the punctuation.
func maskShape(s string) string {
	var b strings.Builder
	inWord := false
	for _, r := range s {
		word := unicode.IsLetter(r) || unicode.IsDigit(r)
		switch {
		case !word:
			fmt.Fprint(&b, string(r))
		case !inWord:
			fmt.Fprint(&b, string(r), "***")
		}
		inWord = word
	}
	return b.String()
}
