package proposal

import (
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Misfit is a rule that was copied from another connector and does not fit here.
type Misfit struct {
	mapping.Mapping
	// Why the mapping does not fit: the field is missing, has another type, or looks like a secret.
	Code string `json:"code" enum:"no_such_field,other_type,looks_secret"`
	// Why the mapping does not fit, in words.
	Reason string `json:"reason"`
}

// Fit brings the rules of another connector to this one's fields: what fits, marked as copied, and what does not, with
// the reason. Fields here that the other does not know keep their present rules, unless a copied one fills the same
// field of ours.
func Fit(
	rules []mapping.Mapping,
	there, here []v1.DiscoveredObject,
	present []mapping.Mapping,
) (fit []mapping.Mapping, misfits []Misfit) {
	fields, before := index(here), index(there)
	taken := map[[2]string]bool{}
	fills := map[[2]string]bool{}
	for _, r := range rules {
		key := [2]string{r.Object, r.Source}
		f, ok := fields[key]
		was, known := before[key]
		switch {
		case !ok:
			misfits = append(misfits, Misfit{r, "no_such_field", "this source has no such field"})
			continue
		case f.Secret && r.Action == mapping.ActionMap:
			misfits = append(misfits, Misfit{r, "looks_secret", "the field looks like a secret here"})
			continue
		case known && r.Action == mapping.ActionMap && typeOf(was) != typeOf(f):
			misfits = append(
				misfits,
				Misfit{r, "other_type", "it is " + typeOf(f) + " here and " + typeOf(was) + " there"},
			)
			continue
		}
		r.Heuristic, r.Confidence, r.Overridden, r.Note = mapping.Copied, 1, true, ""
		fit = append(fit, r)
		taken[key] = true
		if r.Action == mapping.ActionMap {
			fills[[2]string{r.Object, string(r.Target)}] = true
		}
	}
	for _, r := range present {
		if taken[[2]string{r.Object, r.Source}] {
			continue
		}
		if r.Action == mapping.ActionMap && fills[[2]string{r.Object, string(r.Target)}] {
			r = ignored(r, string(r.Target)+" comes from a copied mapping")
		}
		fit = append(fit, r)
	}
	return fit, misfits
}
