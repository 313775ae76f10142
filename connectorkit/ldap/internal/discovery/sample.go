package discovery

import (
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	samplesShown  = 3
	sampleLength  = 120 // characters
	mailTopDomain = 4   // a last label up to this length is left readable in a masked address
)

// sample is what a few entries hold.
type sample struct {
	entries int
	classes []string // of all sampled entries
	fields  map[string]*fieldSample
}

// fieldSample is what the sampled entries hold in one attribute.
type fieldSample struct {
	// present is the number of entries that have the attribute.
	present int
	// multi says that some entry has several values.
	multi bool
	// distinct are the first different values of the entries, to count them.
	distinct map[string]bool
	values   []string // the first distinct ones, as text; never binary
	binary   bool
}

// add counts one entry. Attributes without values, which some servers send, count as absent.
func (s *sample) add(d *entry.Dictionary, e *wire.Entry) {
	s.entries++
	for _, raw := range e.Attributes {
		a := d.Lookup(raw.Name)
		if len(raw.Values) == 0 {
			continue
		}
		if a.Slot == entry.SlotObjectClass {
			s.addClasses(raw.Values)
		}
		f := s.fields[a.Key]
		if f == nil {
			f = &fieldSample{distinct: map[string]bool{}}
			s.fields[a.Key] = f
		}
		f.add(a, raw.Values)
	}
}

// addClasses adds the classes of an entry to those of the sample.
func (s *sample) addClasses(values [][]byte) {
	for _, v := range values {
		if c := string(v); !slices.Contains(s.classes, c) {
			s.classes = append(s.classes, c)
		}
	}
}

// add counts the values of one entry. Of memberships and secrets only the presence is noted; their
// values are never kept.
func (f *fieldSample) add(a *entry.Attribute, values [][]byte) {
	f.present++
	f.multi = f.multi || len(values) > 1
	if a.Member || entry.IsSecret(strings.ToLower(a.Base)) {
		return
	}
	f.distinct[string(values[0])] = true
	for _, v := range values {
		text, ok := a.Value(v).(string)
		if !ok {
			f.binary = f.binary || !entry.IsNever(v)
			continue
		}
		if len(f.values) < samplesShown && !slices.Contains(f.values, text) {
			f.values = append(f.values, text)
		}
	}
}

// describe adds to a declared field what the sample shows.
func (s *sample) describe(out *v1.DiscoveredField, mask bool) {
	f := s.fields[out.Name]
	if f == nil {
		return
	}
	if out.Source == "schema" {
		out.Source = "both"
	} else {
		out.Multi = out.Multi || f.multi
	}
	out.NullRatio = float64(s.entries-f.present) / float64(s.entries)
	if out.Secret {
		return
	}
	out.DistinctInSample = len(f.distinct)
	out.UniqueRatio = float64(len(f.distinct)) / float64(f.present)
	if f.binary && len(f.values) == 0 {
		out.Type, out.Format = "binary", ""
		return
	}
	if out.Type == "binary" && !f.binary {
		out.Type = "string" // an octet string that holds text
	}
	for _, v := range f.values {
		out.Samples = append(out.Samples, sampleText(v, mask))
	}
}
