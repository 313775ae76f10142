package desired

import (
	"bytes"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
)

// same reports whether two values are equal as far as the directory cares.
func (w *Encoder) same(name string, a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	of := w.Finder.Dictionary.Lookup([]byte(name))
	switch of.Format {
	case entry.AsFiletime:
		x, okX := syntax.ParseFiletime(string(a))
		y, okY := syntax.ParseFiletime(string(b))
		return okX && okY && x.Equal(y) || entry.IsNever(a) && entry.IsNever(b)
	case entry.AsTime:
		x, okX := syntax.ParseGeneralizedTime(string(a))
		y, okY := syntax.ParseGeneralizedTime(string(b))
		return okX && okY && x.Equal(y)
	case entry.AsBinary:
		return false
	}
	lower := strings.ToLower(of.Base)
	switch {
	case dnAttributes[lower]:
		return ldapdn.Normalize(string(a)) == ldapdn.Normalize(string(b))
	case lower == "objectclass", syntax.IsTrue(a) || syntax.IsFalse(a):
		return bytes.EqualFold(a, b)
	}
	return false
}

// contains says whether v is among the values, as the directory compares values of the attribute.
func (w *Encoder) contains(name string, list [][]byte, v []byte) bool {
	return slices.ContainsFunc(list, func(have []byte) bool { return w.same(name, have, v) })
}

// missing gives the values of want that are not in have.
func (w *Encoder) missing(name string, have, want [][]byte) [][]byte {
	var out [][]byte
	for _, v := range want {
		if !w.contains(name, have, v) {
			out = append(out, v)
		}
	}
	return out
}

// ChangesTo are the modifications that make have into the desired values. Of several values those are added and
// deleted that differ, so that changes of the others by other programs stay; what a directory cannot
// compare is replaced.
func (w *Encoder) ChangesTo(x Value, have [][]byte) []wire.Change {
	missing, extra := w.missing(x.Attribute, have, x.Raw), w.missing(x.Attribute, x.Raw, have)
	if strings.EqualFold(x.Attribute, "objectClass") {
		extra = nil // the classes that a directory adds by itself are not ours to remove
	}
	switch {
	case len(missing)+len(extra) == 0:
		return nil
	case len(x.Raw) == 0, len(x.Raw) == 1 && len(have) <= 1, len(have) == 0,
		w.Finder.Dictionary.Lookup([]byte(x.Attribute)).Format == entry.AsBinary:
		if strings.EqualFold(x.Attribute, "objectClass") {
			break
		}
		return []wire.Change{{Kind: wire.ChangeReplace, Name: x.Attribute, Values: x.Raw}}
	}
	var out []wire.Change
	if len(extra) > 0 {
		out = append(out, wire.Change{Kind: wire.ChangeDelete, Name: x.Attribute, Values: extra})
	}
	if len(missing) > 0 {
		out = append(out, wire.Change{Kind: wire.ChangeAdd, Name: x.Attribute, Values: missing})
	}
	return out
}

// Differing reports whether an account is as desired, and otherwise in which attributes it is not.
func (w *Encoder) Differing(e *lookup.Account, wishes []Value) (differing []string) {
	for _, x := range wishes {
		have := e.Values[strings.ToLower(x.Attribute)]
		extra := len(w.missing(x.Attribute, x.Raw, have)) > 0 && !strings.EqualFold(x.Attribute, "objectClass")
		if extra || len(w.missing(x.Attribute, have, x.Raw)) > 0 {
			differing = append(differing, x.Attribute)
		}
	}
	return differing
}
