package text

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/operator"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

// splits adds the methods of str that take it apart.
func splits() {
	library.AddMethod(
		library.Str,
		"split",
		"sep? maxsplit?",
		func(t *thread, a values) value { return split(t, a, false) },
	)
	library.AddMethod(
		library.Str,
		"rsplit",
		"sep? maxsplit?",
		func(t *thread, a values) value { return split(t, a, true) },
	)
	library.AddMethod(library.Str, "splitlines", "keepends?", splitLines)
	library.AddMethod(
		library.Str,
		"partition",
		"sep/",
		func(t *thread, a values) value { return partition(t, a, false) },
	)
	library.AddMethod(
		library.Str,
		"rpartition",
		"sep/",
		func(t *thread, a values) value { return partition(t, a, true) },
	)
}

func partition(t *thread, a values, right bool) value {
	s, sep := a[0].(string), library.TextArg(t, a[1], "sep")
	if sep == "" {
		t.ValueError("empty separator")
	}
	t.Read(len(s))
	t.Items(6)
	i := strings.Index(s, sep)
	if right {
		i = strings.LastIndex(s, sep)
	}
	switch {
	case i >= 0:
		return object.NewTuple(s[:i], sep, s[i+len(sep):])
	case right:
		return object.NewTuple("", "", s)
	}
	return object.NewTuple(s, "", "")
}

func split(t *thread, a values, right bool) value {
	s, most := a[0].(string), library.CountOr(t, a[2], -1)
	if most < 0 {
		most = len(s) + 1
	}
	t.Read(len(s))
	switch sep := library.OrNone(a[1]).(type) {
	case nil:
		return fields(t, s, most, right)
	case string:
		if sep == "" {
			t.ValueError("empty separator")
		}
		n := min(strings.Count(s, sep), most)
		t.Items(2*n + 4)
		t.Steps(n / 4)
		if !right {
			return library.NewTextList(t, strings.SplitN(s, sep, n+1))
		}
		var parts []string
		for range n {
			i := strings.LastIndex(s, sep)
			parts, s = append(parts, s[i+len(sep):]), s[:i]
		}
		return library.NewTextList(t, reversed(append(parts, s)))
	default:
		t.TypeError("must be str or None, not %s", object.TypeName(sep))
	}
	return nil
}

// fields splits at white space.
func fields(t *thread, s string, most int, right bool) value {
	var parts []string
	if right {
		for s = strings.TrimRightFunc(s, unitext.IsSpace); s != ""; s = strings.TrimRightFunc(s, unitext.IsSpace) {
			t.Items(2)
			i := strings.LastIndexFunc(s, unitext.IsSpace)
			if i < 0 || len(parts) == most {
				parts, s = append(parts, s), ""
				break
			}
			_, n := utf8.DecodeRuneInString(s[i:])
			parts, s = append(parts, s[i+n:]), s[:i]
		}
		return library.NewTextList(t, reversed(parts))
	}
	for s = strings.TrimLeftFunc(s, unitext.IsSpace); s != ""; s = strings.TrimLeftFunc(s, unitext.IsSpace) {
		t.Items(2)
		i := strings.IndexFunc(s, unitext.IsSpace)
		if i < 0 || len(parts) == most {
			parts = append(parts, s)
			break
		}
		parts, s = append(parts, s[:i]), s[i:]
	}
	return library.NewTextList(t, parts)
}

func splitLines(t *thread, a values) value {
	s, keep := a[0].(string), !library.Omitted(a[1]) && operator.Truth(t, a[1])
	var parts []string
	for from, i := 0, 0; from < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if n > 0 && !unitext.IsBreak(r) {
			i += n
			continue
		}
		if r == '\r' && strings.HasPrefix(s[i+1:], "\n") {
			n = 2
		}
		end := i
		if i += n; keep {
			end = i
		}
		t.Items(2)
		parts = append(parts, s[from:end])
		from = i
	}
	t.Steps(len(s) / 16)
	return library.NewTextList(t, parts)
}

func reversed(parts []string) []string {
	slices.Reverse(parts)
	return parts
}
