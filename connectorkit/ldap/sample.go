package ldap

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

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

type fieldSample struct {
	present  int
	multi    bool
	distinct map[string]bool
	values   []string // the first distinct ones, as text; never binary
	binary   bool
}

func (s *sample) add(d *dictionary, e *wire.Entry) {
	s.entries++
	for _, raw := range e.Attributes {
		a := d.lookup(raw.Name)
		if len(raw.Values) == 0 {
			continue
		}
		if a.slot == slotObjectClass {
			s.addClasses(raw.Values)
		}
		f := s.fields[a.key]
		if f == nil {
			f = &fieldSample{distinct: map[string]bool{}}
			s.fields[a.key] = f
		}
		f.add(a, raw.Values)
	}
}

func (s *sample) addClasses(values [][]byte) {
	for _, v := range values {
		if c := string(v); !slices.Contains(s.classes, c) {
			s.classes = append(s.classes, c)
		}
	}
}

func (f *fieldSample) add(a *attribute, values [][]byte) {
	f.present++
	f.multi = f.multi || len(values) > 1
	if a.member || isSecret(strings.ToLower(a.base)) {
		return
	}
	f.distinct[string(values[0])] = true
	for _, v := range values {
		text, ok := a.value(v).(string)
		if !ok {
			f.binary = f.binary || !isNever(v)
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
		out.Samples = append(out.Samples, shown(v, mask))
	}
}

func shown(v string, mask bool) string {
	if mask {
		v = masked(v)
	}
	if r := []rune(v); len(r) > sampleLength {
		return fmt.Sprintf("%s…", string(r[:sampleLength]))
	}
	return v
}

// masked keeps the shape of a value and hides it: j***@e***.com.
func masked(v string) string {
	tail := ""
	if dot := strings.LastIndexByte(v, '.'); strings.Contains(v, "@") && dot > 0 && len(v)-dot-1 <= mailTopDomain {
		v, tail = v[:dot], v[dot:]
	}
	var b strings.Builder
	inside := false
	for _, r := range v {
		word := unicode.IsLetter(r) || unicode.IsDigit(r)
		switch {
		case word && !inside:
			b.WriteRune(r)
			b.WriteString("***")
		case !word:
			b.WriteRune(r)
		}
		inside = word
	}
	return b.String() + tail
}
