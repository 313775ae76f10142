package rest

import v1 "github.com/grantwright/grantwright/protocol/v1"

// Sample learns the fields of one kind of record from a few records, for all connectors whose targets have no schema to ask for.
// The zero value is ready.
type Sample struct{ in inference }

// Add takes in one record, decoded with numbers as json.Number. Its nested objects become fields with dotted names.
func (s *Sample) Add(record map[string]any) {
	if s.in.fields == nil {
		s.in.fields = map[string]*seenField{}
	}
	s.in.add(record)
}

// Len is the number of records taken in.
func (s *Sample) Len() int { return s.in.records }

// Fields describes what was seen, by name. Samples of what looks secret are hidden, all others only when mask is set.
func (s *Sample) Fields(mask bool) []v1.DiscoveredField { return s.in.describe(mask) }

// Hide masks the samples of a field that was described elsewhere, by the same rules.
func Hide(f v1.DiscoveredField, mask bool) v1.DiscoveredField {
	f.Secret = f.Secret || (&seenField{samples: f.Samples}).secret(f.Name)
	samples := make([]string, 0, min(len(f.Samples), maxSamples))
	for _, s := range f.Samples[:min(len(f.Samples), maxSamples)] {
		switch s = cutText(s, maxSampleRunes); {
		case f.Secret:
			s = "***"
		case mask:
			s = shapeOf(s)
		}
		samples = append(samples, s)
	}
	if f.Samples = samples; len(samples) == 0 {
		f.Samples = nil
	}
	return f
}

// Digest changes when an object, a field's name or its type does.
func Digest(objects []v1.DiscoveredObject) string { return digestOf(objects) }

// Flatten lays a record out as attributes with dotted names; see Sample.
func Flatten(record map[string]any) map[string]any { return flatten(record) }
