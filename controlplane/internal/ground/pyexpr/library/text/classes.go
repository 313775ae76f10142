package text

import (
	"unicode"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

func every(t *thread, s string, none bool, is func(rune) bool) bool {
	t.Steps(len(s) / 4)
	for _, r := range s {
		if !is(r) {
			return false
		}
	}
	return s != "" || none
}

// cased reports whether there are cased letters, and all of them are as wanted.
func cased(t *thread, s string, wanted func(rune) bool) bool {
	t.Steps(len(s) / 4)
	found := false
	for _, r := range s {
		switch {
		case wanted(r):
			found = true
		case unitext.IsCased(r):
			return false
		}
	}
	return found
}

func isTitle(t *thread, a values) value {
	s := a[0].(string)
	t.Steps(len(s) / 4)
	found, before := false, false
	for _, r := range s {
		switch {
		case unitext.IsUpper(r) || unitext.IsTitle(r):
			if before {
				return false
			}
			found, before = true, true
		case unitext.IsLower(r):
			if !before {
				return false
			}
			found, before = true, true
		default:
			before = false
		}
	}
	return found
}

func isIdentifier(t *thread, a values) value {
	s := a[0].(string)
	t.Steps(len(s) / 4)
	for i, r := range s {
		if r != '_' && !unitext.IsAlpha(r) &&
			(i == 0 || !unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc)) {
			return false
		}
	}
	return s != ""
}
