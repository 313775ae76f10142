package merge

import (
	"reflect"
	"slices"
)

// Equal compares values in the form of Normal.
func Equal(a, b any) bool { return reflect.DeepEqual(a, b) }

// Differing are the names, sorted, of the fields of b that have another value in a.
func Differing(a, b Fields) []string {
	names := []string{}
	for name, v := range b {
		if !Equal(a[name], v) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ThreeWay merges what both sides have changed since base. conflicts are the names of the fields that both have
// changed, each to another value; merged has mine in them. Fields that theirs does not have stay as in mine.
func ThreeWay(base, mine, theirs Fields) (merged Fields, conflicts []string) {
	merged = Fields{}
	for name, v := range mine {
		merged[name] = v
	}
	for name, wanted := range theirs {
		was, is := base[name], mine[name]
		switch {
		case name == TableField:
			both, clash := Tables(was, is, wanted)
			if merged[name] = both; clash {
				conflicts = append(conflicts, name)
			}
		case slices.Contains(SetFields, name):
			merged[name] = Sets(base.IDs(name), mine.IDs(name), theirs.IDs(name))
		case Equal(is, wanted) || Equal(was, wanted): // the same on both sides, or nothing new
		case Equal(was, is):
			merged[name] = wanted
		default:
			conflicts = append(conflicts, name)
		}
	}
	merged.Sort()
	slices.Sort(conflicts)
	return merged, conflicts
}

// Sets merges three sets: it removes from mine what theirs removed from base, and adds what theirs added.
func Sets(base, mine, theirs []string) []any {
	out := []any{}
	for _, id := range mine {
		if !slices.Contains(base, id) || slices.Contains(theirs, id) {
			out = append(out, id)
		}
	}
	for _, id := range theirs {
		if !slices.Contains(base, id) && !slices.Contains(mine, id) {
			out = append(out, id)
		}
	}
	return out
}
