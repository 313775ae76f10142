package scim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// sampleBytes bounds one sample value.
const sampleBytes = 200

// observed is what the samples tell of one field.
type observed struct {
	present  int // records that have a value
	values   int
	distinct map[string]bool
	samples  []string
	types    map[string]bool
	formats  map[string]bool
	multi    bool
	secret   bool
}

// merge joins declared fields with what the samples carry, sorted by name.
func merge(declared declaredFields, recs []record, mask bool) []v1.DiscoveredField {
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

func (o *observed) fill(f *v1.DiscoveredField, records int, mask bool) {
	f.NullRatio = round(1 - float64(o.present)/float64(records))
	f.DistinctInSample = len(o.distinct)
	if o.values > 0 {
		f.UniqueRatio = round(float64(len(o.distinct)) / float64(o.values))
	}
	if f.Secret {
		return // that there is something to hide is all that is told
	}
	for _, s := range o.samples {
		if mask {
			s = maskShape(s)
		}
		f.Samples = append(f.Samples, s)
	}
}

func round(x float64) float64 { return float64(int(x*1000+0.5)) / 1000 }

func isOwnPart(name string) bool {
	return slices.ContainsFunc(notAttributes, func(s string) bool { return strings.EqualFold(s, name) })
}

func observe(recs []record) map[string]*observed {
	seen := map[string]*observed{}
	at := func(name string) *observed {
		if seen[name] == nil {
			seen[name] = &observed{distinct: map[string]bool{}, types: map[string]bool{}, formats: map[string]bool{}}
		}
		return seen[name]
	}
	for _, rec := range recs {
		flat, _ := flatten(rec)
		for name, v := range flat {
			at(name).see(v)
		}
		for _, name := range secretPaths("", rec, nil) {
			o := at(name)
			o.secret = true
			o.present++
			o.types["string"] = true
		}
	}
	return seen
}

// secretPaths names what flatten leaves out.
func secretPaths(prefix string, rec record, found []string) []string {
	for name, v := range rec {
		path := prefix + name
		if m, ok := v.(map[string]any); ok {
			sep := "."
			if strings.HasPrefix(strings.ToLower(name), "urn:") {
				sep = ":"
			}
			found = secretPaths(path+sep, m, found)
		} else if v != nil && secretName.MatchString(path) {
			found = append(found, path)
		}
	}
	return found
}

func (o *observed) see(v any) {
	list, multi := v.([]any)
	if !multi {
		list = []any{v}
	}
	o.multi = o.multi || multi
	had := false
	for _, e := range list {
		if e == nil || e == "" {
			continue
		}
		had = true
		o.values++
		typ, format := classify(e)
		o.types[typ], o.formats[format] = true, true
		text := sampleText(e)
		if !o.distinct[text] {
			o.distinct[text] = true
			if len(o.samples) < defaultSample {
				o.samples = append(o.samples, text)
			}
		}
	}
	if had {
		o.present++
	}
}

func sampleText(v any) string {
	text, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		text = string(b)
	}
	if len(text) > sampleBytes {
		text = strings.ToValidUTF8(text[:sampleBytes], "") + "…"
	}
	return text
}

// typ is the one type that all values have, else string.
func (o *observed) typ() string {
	if len(o.types) == 1 {
		for t := range o.types {
			return t
		}
	}
	if len(o.types) == 2 && o.types["integer"] && o.types["number"] {
		return "number"
	}
	return "string"
}

func (o *observed) format() string {
	if len(o.formats) == 1 {
		for f := range o.formats {
			return f
		}
	}
	return ""
}

var (
	uuidShape = regexp.MustCompile(`^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$`)
	dateShape = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
)

// classify tells type and format of one value.
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
