package write

import (
	"maps"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/desired"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
)

const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp"

// operation adds or removes by a PATCH.
func (c *change) operation(add bool, path string, value any) map[string]any {
	op := map[string]any{"op": c.word("add")}
	if !add {
		op["op"] = c.word("remove")
	}
	if path != "" {
		op["path"] = path
	}
	if value != nil {
		op["value"] = value
	}
	return op
}

// byPut says whether a record is replaced by PUT instead of changed by PATCH: where the settings or
// the profile say so, or the service declares that it has no PATCH. A service that declares nothing
// is sent a PATCH.
func (c *change) byPut() bool {
	if c.Write.Update != "" {
		return c.Write.Update == quirks.ByPut
	}
	return c.provider.Declared && !c.provider.Patch
}

// patched is the body of a PATCH (RFC 7644 section 3.5.2).
func (c *change) patched(operations ...any) map[string]any {
	return map[string]any{"schemas": []any{patchSchema}, "Operations": operations}
}

// word is the name of an operation as the service wants it: "replace" or, with some, "Replace".
func (c *change) word(op string) string {
	if c.Write.Words == quirks.WordsCapital {
		return strings.ToUpper(op[:1]) + op[1:]
	}
	return op
}

// truth is a value as the service wants it: some take truth values as the texts "True" and "False"
// only. Other values are as they were.
func (c *change) truth(v any) any {
	b, is := v.(bool)
	switch {
	case !is || c.Write.Booleans != quirks.BooleansText:
		return v
	case b:
		return "True"
	}
	return "False"
}

// operations are those of a PATCH.
func (c *change) operations(rec resource.Record, unmet []desired.Attribute) []any {
	var ops []any
	object := resource.Record{}
	for _, w := range unmet {
		at, v := w.Path, w.Value
		if at.IsMultiValued() && at.SubAttribute == "value" {
			at, v = at.Whole(), w.ItemsFor(rec)
		}
		if v == nil && at.URN == resource.EnterpriseUser && at.Attribute == "manager" {
			at = at.Whole()
		}
		switch {
		case v == nil:
			ops = append(ops, map[string]any{"op": c.word("remove"), "path": at.String()})
		case c.Write.Style == quirks.StyleNoPath:
			at.Set(object, c.truth(v))
		case !resource.IsEmpty(at.Value(rec)):
			ops = append(ops, map[string]any{"op": c.word("replace"), "path": at.String(), "value": c.truth(v)})
		case at.SubAttribute != "" && resource.IsEmpty(at.Whole().Value(rec)):
			// Not every target makes the whole for the sake of a part.
			ops = append(
				ops,
				map[string]any{
					"op":    c.word("add"),
					"path":  at.Whole().String(),
					"value": map[string]any{at.SubAttribute: c.truth(v)},
				},
			)
		default:
			ops = append(ops, map[string]any{"op": c.word("add"), "path": at.String(), "value": c.truth(v)})
		}
	}
	if len(object) > 0 {
		ops = append([]any{map[string]any{"op": c.word("replace"), "value": map[string]any(object)}}, ops...)
	}
	return ops
}

// apply writes wishes into a record that is sent whole.
func (c *change) apply(rec resource.Record, unmet []desired.Attribute) {
	for _, w := range unmet {
		at, v := w.Path, w.Value
		if at.IsMultiValued() && at.SubAttribute == "value" {
			at, v = at.Whole(), w.ItemsFor(rec)
		}
		if v == nil && at.URN == resource.EnterpriseUser && at.Attribute == "manager" {
			at = at.Whole()
		}
		at.Set(rec, c.truth(v))
	}
	maps.DeleteFunc(
		rec,
		func(name string, v any) bool { return resource.SchemaURN.MatchString(name) && resource.IsEmpty(v) },
	)
}

// takeOut removes what only the target writes (RFC 7643 sections 3.1, 4.1.2 and 4.3), what it declares to be so, and
// what the profile knows of.
func (c *change) takeOut(rec resource.Record, locked map[string]bool) {
	maps.DeleteFunc(rec, func(name string, _ any) bool {
		lower := strings.ToLower(name)
		return lower == "meta" || lower == "groups" || lower != "id" && locked[lower]
	})
	names := append(
		[]string{resource.EnterpriseUser + ":manager.displayName", resource.EnterpriseUser + ":manager.$ref"},
		c.Write.ReadOnly...)
	for key := range locked {
		names = append(names, key)
	}
	for _, name := range names {
		if strings.EqualFold(name, "id") {
			continue
		}
		if p, err := resource.ParsePath(name); err == nil {
			p.Set(rec, nil)
		}
	}
}

// schemasOf names the schemas of a record: the core one and those of its extensions.
func schemasOf(rec resource.Record, core string) []any {
	out := []any{core}
	for _, name := range slices.Sorted(maps.Keys(rec)) {
		if len(name) > 4 && strings.EqualFold(name[:4], "urn:") && !resource.IsEmpty(rec[name]) {
			out = append(out, name)
		}
	}
	return out
}
