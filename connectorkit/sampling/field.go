package sampling

import (
	"encoding/json"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
)

// ObservedField gathers what the samples show of one field.
type ObservedField struct {
	// Records that have a value.
	Present int
	Multi   bool
	// Type, or type and format, by values seen.
	types    map[string]int
	Distinct map[string]bool
	Values   int
	samples  []string
}

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
