package desired

import (
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Changes returns the old and new values of the attributes, without secrets.
func Changes(rec resource.Record, unmet []Attribute) []v1.ChangedField {
	var out []v1.ChangedField
	for _, w := range unmet {
		name := w.Path.String()
		if w.Secret {
			out = append(out, v1.ChangedField{Field: name, New: "[secret]"})
			continue
		}
		var old any
		if w.Path.IsMultiValued() && w.Path.SubAttribute == "value" {
			if items := rec.Items(w.Path.Attribute); resource.Foremost(items) >= 0 {
				old = items[resource.Foremost(items)].Get("value")
			}
		} else {
			old = w.Path.Value(rec)
		}
		out = append(
			out,
			v1.ChangedField{
				Field: name,
				Old:   resource.WithoutSecrets(name, old),
				New:   resource.WithoutSecrets(name, w.Value),
			},
		)
	}
	return out
}
