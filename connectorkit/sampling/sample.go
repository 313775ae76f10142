package sampling

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"sort"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// DigestOf changes when an object, a field's name or its type does.
func DigestOf(objects []v1.DiscoveredObject) string {
	h := sha256.New()
	for _, o := range objects {
		fmt.Fprintf(h, "%q %q\n", o.Kind, o.NativeType)
		for _, f := range o.Fields {
			fmt.Fprintf(h, " %q %s\n", f.Name, f.Type)
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Inference learns the fields of a native type from records.
type Inference struct {
	// Records is the number of records that were seen.
	Records int
	Fields  map[string]*ObservedField
}

const (
	maxSamples     = 5
	maxSampleRunes = 120
	maxFields      = 500
)

// Add takes in one record: an object, or a bare value that becomes the field value.
func (in *Inference) Add(record any) {
	in.Records++
	attributes := flattenAsRead(record)
	for _, name := range jsonvalue.SortedKeys(attributes) {
		f := in.Fields[name]
		if f == nil {
			if len(in.Fields) >= maxFields {
				continue
			}
			f = &ObservedField{types: map[string]int{}, Distinct: map[string]bool{}}
			in.Fields[name] = f
		}
		f.add(attributes[name])
	}
}

// flattenAsRead has the names of flatten and the values as they were read.
func flattenAsRead(record any) map[string]any {
	object, ok := record.(map[string]any)
	if !ok {
		return map[string]any{"value": record}
	}
	out := map[string]any{}
	var walk func(prefix string, object map[string]any, depth int)
	walk = func(prefix string, object map[string]any, depth int) {
		for name, v := range object {
			if nested, ok := v.(map[string]any); ok && len(nested) > 0 && depth < jsonvalue.MaxNesting {
				walk(prefix+name+".", nested, depth+1)
				continue
			}
			out[prefix+name] = v
		}
	}
	walk("", object, 0)
	return out
}

// field describes one field. Samples of secrets are never shown; others keep only their shape when mask is set.
func (in *Inference) field(name string, f *ObservedField, mask bool) v1.DiscoveredField {
	kind, format := f.settle()
	out := v1.DiscoveredField{
		Name: name, Path: name, Type: kind, Format: format, Multi: f.Multi, Source: "sample",
		DistinctInSample: len(f.Distinct),
		Secret:           f.secret(name),
	}
	if in.Records > 0 {
		out.NullRatio = ratio(in.Records-f.Present, in.Records)
	}
	if f.Values > 0 {
		out.UniqueRatio = ratio(len(f.Distinct), f.Values)
	}
	for _, s := range f.samples {
		switch {
		case out.Secret:
			s = "***"
		case mask:
			s = maskValue(s)
		}
		out.Samples = append(out.Samples, s)
	}
	return out
}

// ratio is rounded, so that it reads well and compares equal.
func ratio(a, b int) float64 { return math.Round(float64(a)/float64(b)*1000) / 1000 }

// Describe gives the fields seen so far, sorted by name. With mask, examples keep only their shape.
func (in *Inference) Describe(mask bool) []v1.DiscoveredField {
	out := make([]v1.DiscoveredField, 0, len(in.Fields))
	for name, f := range in.Fields {
		out = append(out, in.field(name, f, mask))
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// Sample learns the fields of one kind of record from a few records, for all connectors whose targets have no schema to
// ask for. The zero value is ready.
type Sample struct{ in Inference }

// Add takes in one record, decoded with numbers as json.Number. Its nested objects become fields with dotted names.
func (s *Sample) Add(record map[string]any) {
	if s.in.Fields == nil {
		s.in.Fields = map[string]*ObservedField{}
	}
	s.in.Add(record)
}

// Len is the number of records taken in.
func (s *Sample) Len() int { return s.in.Records }

// Fields describes what was seen, by name. Samples of what looks secret are hidden, all others only when mask is set.
func (s *Sample) Fields(mask bool) []v1.DiscoveredField { return s.in.Describe(mask) }

// Hide masks the samples of a field that was described elsewhere, by the same rules.
func Hide(f v1.DiscoveredField, mask bool) v1.DiscoveredField {
	f.Secret = f.Secret || (&ObservedField{samples: f.Samples}).secret(f.Name)
	samples := make([]string, 0, min(len(f.Samples), maxSamples))
	for _, s := range f.Samples[:min(len(f.Samples), maxSamples)] {
		switch s = jsonvalue.Shorten(s, maxSampleRunes); {
		case f.Secret:
			s = "***"
		case mask:
			s = maskValue(s)
		}
		samples = append(samples, s)
	}
	if f.Samples = samples; len(samples) == 0 {
		f.Samples = nil
	}
	return f
}

// Digest changes when an object, a field's name or its type does.
func Digest(objects []v1.DiscoveredObject) string { return DigestOf(objects) }

// Flatten lays a record out as attributes with dotted names; see Sample.
func Flatten(record map[string]any) map[string]any { return jsonvalue.Flatten(record) }
