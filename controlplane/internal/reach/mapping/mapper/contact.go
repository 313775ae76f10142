package mapper

import (
	"cmp"
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Custom attributes that the phone numbers and addresses of a source fill. An identity has no fields of its own for
// them.
const (
	PhoneNumbers = "phone_numbers"
	Addresses    = "addresses"
)

// home is the type of numbers and addresses that are private. They stay in the record of the source, and are stored
// only if a user maps them.
const home = "home"

// contact gives the phone numbers and addresses of a record as custom attributes, the primary ones first; nil for an
// empty list. What the source does not say is left out.
func contact(r *v1.RemoteIdentity) map[string]any {
	out := map[string]any{}
	if r.PhoneNumbers != nil {
		out[PhoneNumbers] = listed(r.PhoneNumbers,
			func(n v1.PhoneNumber) (string, string, bool) { return n.Value, n.Type, n.Primary })
	}
	if r.Addresses != nil {
		out[Addresses] = listed(r.Addresses,
			func(a v1.Address) (string, string, bool) { return oneLine(a), a.Type, a.Primary })
	}
	return out
}

// listed are the texts of values, each once; nil if there are none.
func listed[T any](values []T, of func(T) (text, kind string, primary bool)) any {
	rank := func(v T) int {
		if _, _, primary := of(v); primary {
			return 0
		}
		return 1
	}
	values = slices.Clone(values)
	slices.SortStableFunc(values, func(a, b T) int { return cmp.Compare(rank(a), rank(b)) })
	var out []any
	for _, v := range values {
		text, kind, _ := of(v)
		text = strings.TrimSpace(text)
		if text == "" || strings.EqualFold(kind, home) || slices.Contains(out, any(text)) || len(out) == maxCustom {
			continue
		}
		out = append(out, text)
	}
	if out == nil {
		return nil
	}
	return out
}

// oneLine is an address in one line.
func oneLine(a v1.Address) string {
	if a.Formatted != "" {
		return strings.Join(strings.FieldsFunc(a.Formatted, func(r rune) bool { return r == '\n' || r == '\r' }), ", ")
	}
	town := strings.TrimSpace(a.PostalCode + " " + a.Locality)
	parts := []string{a.StreetAddress, town, a.Region, a.Country}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// Attributes are the custom attributes of a person: the mapped ones, and those that the source names itself as far as
// the attribute schema takes them.
func (p *Person) Attributes(taken func(name string) bool) map[string]any {
	for name, value := range p.Contact {
		if _, mapped := p.Custom[name]; mapped || !taken(name) {
			continue
		}
		if p.Custom == nil {
			p.Custom = map[string]any{}
		}
		p.Custom[name] = value
	}
	return p.Custom
}
