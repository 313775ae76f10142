package text

import (
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// searches adds the methods of str that look for something.
func searches() {
	for name, find := range map[string]func(s, sub string) int{
		"find": strings.Index, "index": strings.Index, "rfind": strings.LastIndex, "rindex": strings.LastIndex,
	} {
		library.AddMethod(library.Str, name, "sub/ start/? end/?", func(t *thread, a values) value {
			s, sub := a[0].(string), library.TextArg(t, a[1], name+"() argument 1")
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
	library.AddMethod(library.Str, "count", "sub/ start/? end/?", func(t *thread, a values) value {
		s, sub := a[0].(string), library.TextArg(t, a[1], "count() argument 1")
		from, to, ok := charOffsets(t, s, a[2], a[3])
		t.Read(len(s) + len(sub))
		if !ok {
			return int64(0)
		}
		return int64(strings.Count(s[from:to], sub))
	})
	for name, has := range map[string]func(s, x string) bool{"startswith": strings.HasPrefix,
		"endswith": strings.HasSuffix} {
		library.AddMethod(
			library.Str,
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
