package discovery

import (
	"encoding/json"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// observed is what the samples tell of one field.
type observed struct {
	// present counts records, and values counts single values: a record with three e-mail addresses
	// has one of the former and three of the latter. The ratio of distinct values is that of the
	// values.
	present int // records that have a value
	values  int
	// distinct are the texts that were seen, shortened as samples are.
	distinct map[string]bool
	samples  []string
	// types and formats are sets: where values differ, the field has the wider type, and no format.
	types   map[string]bool
	formats map[string]bool
	multi   bool
	secret  bool
}

// fill writes the ratios and samples of a field. records is how many records were sampled, and
// greater than 0. With mask, letters and digits of samples are replaced, and their shape stays.
func (o *observed) fill(f *v1.DiscoveredField, records int, mask bool) {
	f.NullRatio = round(1 - float64(o.present)/float64(records))
	f.DistinctInSample = len(o.distinct)
	if o.values > 0 {
		f.UniqueRatio = round(float64(len(o.distinct)) / float64(o.values))
	}
	if f.Secret {
		return // that the value is secret is all that is shown
	}
	for _, s := range o.samples {
		if mask {
			s = maskShape(s)
		}
		f.Samples = append(f.Samples, s)
	}
}

// observe looks at all values of all records, once, and sorts them by the names of attributes as
// Flatten makes them. Secrets, which Flatten omits, are noted by their paths without their values.
func observe(recs []resource.Record) map[string]*observed {
	seen := map[string]*observed{}
	at := func(name string) *observed {
		if seen[name] == nil {
			seen[name] = &observed{distinct: map[string]bool{}, types: map[string]bool{}, formats: map[string]bool{}}
		}
		return seen[name]
	}
	for _, rec := range recs {
		flat, _ := resource.Flatten(rec)
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
func secretPaths(prefix string, rec resource.Record, found []string) []string {
	for name, v := range rec {
		path := prefix + name
		if m, ok := v.(map[string]any); ok {
			sep := "."
			if strings.HasPrefix(strings.ToLower(name), "urn:") {
				sep = ":"
			}
			found = secretPaths(path+sep, m, found)
		} else if v != nil && resource.IsSecret(path) {
			found = append(found, path)
		}
	}
	return found
}

// see takes note of one record's value of a field. Each element of a list counts, and an empty text
// counts as no value, since targets send it for what is not set.
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

// sampleText is a value as a sample shows it: text as it is, anything else as JSON. It is cut at
// sampleBytes, between characters.
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

// format is the one that all values have; empty where they differ.
func (o *observed) format() string {
	if len(o.formats) == 1 {
		for f := range o.formats {
			return f
		}
	}
	return ""
}
