package rest

import (
	"encoding/json"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"sort"
	"strings"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// seenField gathers what the samples show of one field.
type seenField struct {
	present  int // records that have a value
	multi    bool
	types    map[string]int // type, or type and format, by values seen
	distinct map[string]bool
	values   int
	samples  []string
}

// inference learns the fields of a native type from records.
type inference struct {
	records int
	fields  map[string]*seenField
}

const (
	maxSamples     = 5
	maxSampleRunes = 120
	maxFields      = 500
)

func (in *inference) add(record any) {
	in.records++
	attributes := flattenRaw(record)
	for _, name := range sortedKeys(attributes) {
		f := in.fields[name]
		if f == nil {
			if len(in.fields) >= maxFields {
				continue
			}
			f = &seenField{types: map[string]int{}, distinct: map[string]bool{}}
			in.fields[name] = f
		}
		f.add(attributes[name])
	}
}

// flattenRaw has the names of flatten and the values as they were read.
func flattenRaw(record any) map[string]any {
	object, ok := record.(map[string]any)
	if !ok {
		return map[string]any{"value": record}
	}
	out := map[string]any{}
	var walk func(prefix string, object map[string]any, depth int)
	walk = func(prefix string, object map[string]any, depth int) {
		for name, v := range object {
			if nested, ok := v.(map[string]any); ok && len(nested) > 0 && depth < maxNesting {
				walk(prefix+name+".", nested, depth+1)
				continue
			}
			out[prefix+name] = v
		}
	}
	walk("", object, 0)
	return out
}

func (f *seenField) add(v any) {
	list, ok := v.([]any)
	if !ok {
		if v != nil && v != "" {
			f.present++
			f.value(v)
		}
		return
	}
	f.multi = true
	if len(list) > 0 {
		f.present++
	}
	for _, e := range list {
		if e != nil && e != "" {
			f.value(e)
		}
	}
}

func (f *seenField) value(v any) {
	f.values++
	kind, format := typeOf(v)
	f.types[kind+" "+format]++
	text, ok := textOf(v)
	if !ok {
		b, _ := json.Marshal(v) // a decoded value always encodes
		text = string(b)
	}
	text = cutText(text, maxSampleRunes)
	if !f.distinct[text] && len(f.samples) < maxSamples {
		f.samples = append(f.samples, text)
	}
	f.distinct[text] = true
}

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

func typeOfNumber(n json.Number) string {
	if strings.ContainsAny(n.String(), ".eE") {
		return "number"
	}
	// Beyond 2^53 a number is kept as text, since many JSON readers would change it.
	if i, err := n.Int64(); err != nil || math.Abs(float64(i)) > maxExact {
		return "string"
	}
	return "integer"
}

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
		if _, ok := timeOf(s); ok {
			return "datetime", ""
		}
	}
	return "string", ""
}

// settle finds the one type that fits all values seen.
func (f *seenField) settle() (kind, format string) {
	kinds := map[string]bool{}
	formats := map[string]bool{}
	for both := range f.types {
		k, form, _ := strings.Cut(both, " ")
		kinds[k], formats[form] = true, true
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

var secretName = regexp.MustCompile(`(?i)(passw(or)?d|passphrase|pwd$|secret|(^|[._-])token$|[a-z]Token$|api_?key|private_?key|credential|salt$|hash$|(^|[._-])pin$|otp)`)

// secretValue are the beginnings of well known kinds of secret.
var secretValue = regexp.MustCompile(`^(\$2[aby]?\$|\$argon2|\{SSHA|\{SHA|\{CRYPT|-----BEGIN|eyJ[A-Za-z0-9_-]+\.eyJ)`)

func (f *seenField) secret(name string) bool {
	if secretName.MatchString(name[strings.LastIndexByte(name, '.')+1:]) {
		return true
	}
	for _, s := range f.samples {
		if secretValue.MatchString(s) {
			return true
		}
	}
	return false
}

// field describes one field. Samples of secrets are never shown; others keep only their shape when mask is set.
func (in *inference) field(name string, f *seenField, mask bool) v1.DiscoveredField {
	kind, format := f.settle()
	out := v1.DiscoveredField{
		Name: name, Path: name, Type: kind, Format: format, Multi: f.multi, Source: "sample", DistinctInSample: len(f.distinct),
		Secret: f.secret(name),
	}
	if in.records > 0 {
		out.NullRatio = ratio(in.records-f.present, in.records)
	}
	if f.values > 0 {
		out.UniqueRatio = ratio(len(f.distinct), f.values)
	}
	for _, s := range f.samples {
		switch {
		case out.Secret:
			s = "***"
		case mask:
			s = shapeOf(s)
		}
		out.Samples = append(out.Samples, s)
	}
	return out
}

// ratio is rounded, so that it reads well and compares equal.
func ratio(a, b int) float64 { return math.Round(float64(a)/float64(b)*1000) / 1000 }

// shapeOf hides a value but for its first letter and its punctuation: j***@e***.com becomes of jane@example.com.
func shapeOf(s string) string {
	var b strings.Builder
	inWord := false
	for _, r := range s {
		switch {
		case strings.ContainsRune("@.-_/: ,+", r):
			b.WriteRune(r)
			inWord = false
		case !inWord:
			b.WriteRune(r)
			b.WriteString("***")
			inWord = true
		}
	}
	return b.String()
}

func (in *inference) describe(mask bool) []v1.DiscoveredField {
	out := make([]v1.DiscoveredField, 0, len(in.fields))
	for name, f := range in.fields {
		out = append(out, in.field(name, f, mask))
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}
