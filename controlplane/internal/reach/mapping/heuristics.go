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

// Fold makes one of displayName, display_name, Display-Name and DISPLAYNAME. Dots and colons keep their meaning.
func Fold(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(name))
}

// Rank orders the rules; a lower one wins.
var Rank = map[Rule]int{Exact: 0, ScimExtension: 1, SectorPack: 2, Synonym: 3, TypeShape: 4, VendorTemplate: 5}

// Match says which field of an object a source field maps to by default, and by which rule. ok is false where none
// does.
func Match(object, source string) (f Field, rule Rule, ok bool) {
	name, words := Fold(source), wordsOf(object)
	if strings.HasPrefix(name, Fold(enterprise)) {
		f, ok = words.extension[strings.TrimPrefix(name, Fold(enterprise))]
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
