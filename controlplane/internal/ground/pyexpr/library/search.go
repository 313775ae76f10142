package library

import (
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

// searches adds the methods of str that look for something.
func searches() {
	for name, find := range map[string]func(s, sub string) int{
		"find": strings.Index, "index": strings.Index, "rfind": strings.LastIndex, "rindex": strings.LastIndex,
	} {
		method(strType, name, "sub/ start/? end/?", func(t *thread, a values) value {
			s, sub := a[0].(string), text(t, a[1], name+"() argument 1")
			from, to, ok := charOffsets(t, s, a[2], a[3])
			t.Read(len(s) + len(sub))
			i := -1
			if ok {
				i = find(s[from:to], sub)
			}
			switch {
			case i >= 0:
				return int64(utf8.RuneCountInString(s[:from+i]))
			case strings.HasSuffix(name, "index"):
				t.ValueError("substring not found")
			}
			return int64(-1)
		})
	}
	method(strType, "count", "sub/ start/? end/?", func(t *thread, a values) value {
		s, sub := a[0].(string), text(t, a[1], "count() argument 1")
		from, to, ok := charOffsets(t, s, a[2], a[3])
		t.Read(len(s) + len(sub))
		if !ok {
			return int64(0)
		}
		return int64(strings.Count(s[from:to], sub))
	})
	for name, has := range map[string]func(s, x string) bool{"startswith": strings.HasPrefix,
		"endswith": strings.HasSuffix} {
		method(
			strType,
			name,
			"prefix/ start/? end/?",
			func(t *thread, a values) value { return startsOrEnds(t, name, a, has) },
		)
	}
}

func startsOrEnds(t *thread, name string, a values, has func(s, x string) bool) value {
	s := a[0].(string)
	from, to, ok := charOffsets(t, s, a[2], a[3])
	one := func(v value) bool {
		x, is := v.(string)
		if !is {
			t.TypeError("%s first arg must be str or a tuple of str, not %s", name, object.TypeName(v))
		}
		t.Read(len(x))
		return ok && has(s[from:to], x)
	}
	if tuple, is := a[1].(*object.Tuple); is {
		for _, v := range tuple.Items {
			t.Steps(1)
			if one(v) {
				return true
			}
		}
		return false
	}
	return one(a[1])
}

// splits adds the methods of str that take it apart.
func splits() {
	method(strType, "split", "sep? maxsplit?", func(t *thread, a values) value { return split(t, a, false) })
	method(strType, "rsplit", "sep? maxsplit?", func(t *thread, a values) value { return split(t, a, true) })
	method(strType, "splitlines", "keepends?", splitLines)
	method(strType, "partition", "sep/", func(t *thread, a values) value { return partition(t, a, false) })
	method(strType, "rpartition", "sep/", func(t *thread, a values) value { return partition(t, a, true) })
}

func partition(t *thread, a values, right bool) value {
	s, sep := a[0].(string), text(t, a[1], "sep")
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
	s, most := a[0].(string), number(t, a[2], -1)
	if most < 0 {
		most = len(s) + 1
	}
	t.Read(len(s))
	switch sep := orNone(a[1]).(type) {
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
			return list(t, strings.SplitN(s, sep, n+1))
		}
		var parts []string
		for range n {
			i := strings.LastIndex(s, sep)
			parts, s = append(parts, s[i+len(sep):]), s[:i]
		}
		return list(t, reversed(append(parts, s)))
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
		return list(t, reversed(parts))
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
	return list(t, parts)
}

func splitLines(t *thread, a values) value {
	s, keep := a[0].(string), !missing(a[1]) && t.Truth(a[1])
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
	return list(t, parts)
}
