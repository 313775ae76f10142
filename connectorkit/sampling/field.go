package sampling

import (
	"encoding/json"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
)

// ObservedField gathers what the samples show of one field.
type ObservedField struct {
	// Records that have a value.
	Present int
	// Multi says that the field was a list in some record.
	Multi bool
	// Type, or type and format, by values seen.
	types map[string]int
	// Distinct are the different values, shortened.
	Distinct map[string]bool
	Values   int
	samples  []string
}

// add counts a value of a record. Null, the empty text and the empty list count as absent.
func (f *ObservedField) add(v any) {
	list, ok := v.([]any)
	if !ok {
		if v != nil && v != "" {
			f.Present++
			f.value(v)
		}
		return
	}
	f.Multi = true
	if len(list) > 0 {
		f.Present++
	}
	for _, e := range list {
		if e != nil && e != "" {
			f.value(e)
		}
	}
}

// value counts one single value, with its type and format.
func (f *ObservedField) value(v any) {
	f.Values++
	kind, format := typeOf(v)
	f.types[kind+" "+format]++
	text, ok := jsonvalue.Text(v)
	if !ok {
		b, _ := json.Marshal(v) // a decoded value always encodes
		text = string(b)
	}
	text = jsonvalue.Shorten(text, maxSampleRunes)
	if !f.Distinct[text] && len(f.samples) < maxSamples {
		f.samples = append(f.samples, text)
	}
	f.Distinct[text] = true
}
