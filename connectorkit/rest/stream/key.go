package stream

import (
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
)

// KeyNames are the members that are taken for the key of a record if the settings name none, the best first.
var KeyNames = []string{
	"id",
	"uuid",
	"guid",
	"externalId",
	"external_id",
	"employeeId",
	"employee_id",
	"userId",
	"user_id",
	"login",
}

// KeyOf is the record's key: what key_path says, or the first of the usual members that has a value.
func (st *Stream) KeyOf(b *jsonpath.Budget, record any) (string, bool) {
	if st.Key != nil {
		v, _ := st.Key.First(b, record)
		text, ok := jsonvalue.Text(v)
		return text, ok && text != ""
	}
	object, ok := record.(map[string]any)
	if !ok {
		text, ok := jsonvalue.Text(record)
		return text, ok && text != ""
	}
	for _, name := range KeyNames {
		if text, ok := jsonvalue.Text(jsonvalue.Member(object, name)); ok && text != "" {
			return text, true
		}
	}
	return "", false
}

// KeyOf is the key of an element: where none is among the usual members, a value or a name is.
func (e Expansion) KeyOf(b *jsonpath.Budget, element any) string {
	id, ok := (&Stream{Key: e.key}).KeyOf(b, element)
	object, is := element.(map[string]any)
	if ok || e.key != nil || !is {
		return id
	}
	for _, name := range []string{"value", "name", "code", "key"} {
		if id, ok := jsonvalue.Text(jsonvalue.Member(object, name)); ok && id != "" {
			return id
		}
	}
	return ""
}

// Expansion makes rows from the elements of an array in a record.
type Expansion struct {
	ExplodeDefinition
	// Path selects the elements; key and Name are paths within one.
	Path, key, Name *jsonpath.Path
}

// expansions compiles the expansions of arrays. Elements of an entitlement's record can only be
// grants.
func (c *Compiler) expansions(st *Stream) {
	for i, d := range st.Definition.Explode {
		member := func(name string) string {
			if len(st.Definition.Explode) == 1 {
				return "explode." + name
			}
			return fmt.Sprintf("explode[%d].%s", i, name)
		}
		if d.Path == "" {
			c.Wrong("%s is missing", member("path"))
		}
		d.As = c.OneOf(member("as"), strings.TrimSuffix(d.As, "s"), "both", "grant", "entitlement", "both")
		d.Principal = c.OneOf(member("principal"), d.Principal, ObjectAccount, ObjectAccount, ObjectEntitlement)
		switch {
		case st.Object == ObjectGrant:
			c.Wrong("explode cannot be used on a stream of grants")
		case st.Object == ObjectEntitlement && d.As == "entitlement":
			c.Wrong("%s must be grant on a stream of entitlements", member("as"))
		case st.Object == ObjectEntitlement:
			d.As = "grant"
		}
		st.Expansions = append(st.Expansions, Expansion{
			ExplodeDefinition: d, Path: c.Path(member("path"), d.Path),
			key: c.Path(member("key_path"), d.KeyPath), Name: c.Path(member("name_path"), d.NamePath),
		})
	}
}
