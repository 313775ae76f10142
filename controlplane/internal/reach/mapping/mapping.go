// Package mapping turns a source's records into the fields of identities, accounts, entitlements and grants. It is
// pure: no database, no clock.
//
// Records of people are mapped by heuristics until a person has decided. The other kinds keep what the connector names,
// and the heuristics make proposals alone. Every field of the source is looked at by the same heuristics: its name
// equals one of ours or a case variant of it (exact), it is an attribute of the SCIM enterprise user extension
// (scim_extension, RFC 7643 section 4.3), a common synonym (synonym), the first date of the record (type_shape) or a
// vendor's word (vendor_template). The rule named first wins where two source fields claim one of ours. Where a person
// has decided (package fieldmap keeps that), their rules take the heuristics' place.
package mapping

import (
	"strings"
)

// Rule says how a source field came to be mapped.
type Rule string

// The rules, best first.
const (
	Exact          Rule = "exact"
	ScimExtension  Rule = "scim_extension"
	Synonym        Rule = "synonym"
	TypeShape      Rule = "type_shape"
	VendorTemplate Rule = "vendor_template"

	// SectorPack is no heuristic: a pack that the tenant has installed offers it.
	SectorPack Rule = "sector_pack"

	// Manual and Copied are no heuristics: a person said so, here or at another connector.
	Manual Rule = "manual"
	Copied Rule = "copied"
)

// fold makes one of displayName, display_name, Display-Name and DISPLAYNAME. Dots and colons keep their meaning.
func fold(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

// rank orders the rules; a lower one wins.
var rank = map[Rule]int{Exact: 0, ScimExtension: 1, SectorPack: 2, Synonym: 3, TypeShape: 4, VendorTemplate: 5}

// Match says which field of an object a source field maps to by default, and by which rule. ok is false where none
// does.
func Match(object, source string) (f Field, rule Rule, ok bool) {
	name, words := fold(source), wordsOf(object)
	if strings.HasPrefix(name, fold(enterprise)) {
		f, ok = words.extension[strings.TrimPrefix(name, fold(enterprise))]
		return f, ScimExtension, ok
	}
	if f, ok = words.exact[name]; ok {
		return f, Exact, true
	}
	if f, ok = words.vendor[name]; ok {
		return f, VendorTemplate, true
	}
	f, ok = words.synonyms[name]
	return f, Synonym, ok
}
