package text

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/formatting"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

func init() {
	library.Str.New = library.NewFunc("str", "object? encoding? errors?", newStr)
	library.Names["str"] = library.Str
	for name, fn := range map[string]func(string) string{
		"lower": unitext.Lower, "upper": unitext.Upper, "title": unitext.Title, "capitalize": unitext.Capitalize,
		"casefold": unitext.Fold,
		"swapcase": unitext.SwapCase,
	} {
		library.AddMethod(library.Str, name, "", func(t *thread, a values) value {
			s := a[0].(string)
			t.Alloc(3*len(s) + 16)
			if !object.IsASCII(s) {
				t.Steps(len(s))
			}
			return fn(s)
		})
	}
	for name, is := range map[string]func(rune) bool{
		"isalpha": unitext.IsAlpha, "isdigit": unitext.IsDigit, "isdecimal": unitext.IsDecimal,
		"isnumeric": unitext.IsNumeric,
		"isalnum":   unitext.IsAlnum, "isspace": unitext.IsSpace,
	} {
		library.AddMethod(
			library.Str,
			name,
			"",
			func(t *thread, a values) value { return every(t, a[0].(string), false, is) },
		)
	}
	library.AddMethod(
		library.Str,
		"isprintable",
		"",
		func(t *thread, a values) value {
			return every(t, a[0].(string), true, object.Printable)
		},
	)
	library.AddMethod(library.Str, "isascii", "", func(t *thread, a values) value {
		t.Read(len(a[0].(string)))
		return object.IsASCII(a[0].(string))
	})
	library.AddMethod(library.Str, "islower", "", func(t *thread, a values) value {
		return cased(t, a[0].(string), unitext.IsLower)
	})
	library.AddMethod(library.Str, "isupper", "", func(t *thread, a values) value {
		return cased(t, a[0].(string), unitext.IsUpper)
	})
	library.AddMethod(library.Str, "istitle", "", isTitle)
	library.AddMethod(library.Str, "isidentifier", "", isIdentifier)
	for name, sides := range map[string][2]bool{"strip": {true, true}, "lstrip": {true, false},
		"rstrip": {false, true}} {
		library.AddMethod(
			library.Str,
			name,
			"chars/?",
			func(t *thread, a values) value {
				return strip(t, name, a[0].(string), a[1], sides[0], sides[1])
			},
		)
	}
	for name, side := range map[string]int{"ljust": 0, "rjust": 1, "center": 2} {
		library.AddMethod(
			library.Str,
			name,
			"width/ fillchar/?",
			func(t *thread, a values) value { return justify(t, a, side) },
		)
	}
	library.AddMethod(library.Str, "zfill", "width/", zfill)
	library.AddMethod(library.Str, "removeprefix", "prefix/", func(t *thread, a values) value {
		return library.NewText(
			t,
			strings.TrimPrefix(a[0].(string), library.TextArg(t, a[1], "removeprefix() argument")),
		)
	})
	library.AddMethod(library.Str, "removesuffix", "suffix/", func(t *thread, a values) value {
		return library.NewText(
			t,
			strings.TrimSuffix(a[0].(string), library.TextArg(t, a[1], "removesuffix() argument")),
		)
	})
	library.AddMethod(library.Str, "expandtabs", "tabsize?", expandTabs)
	library.AddMethod(library.Str, "replace", "old/ new/ count/?", replace)
	library.AddMethod(library.Str, "translate", "table/", translate)
	library.AddMethod(library.Str, "join", "iterable/", join)
	library.AddMethod(library.Str, "encode", "encoding? errors?", encode)
	library.AddMethod(library.Str, "format", "*args **named", format)
	library.AddMethod(library.Str, "format_map", "mapping/", func(t *thread, a values) value {
		return formatting.Template(t,
			a[0].(string),
			nil,
			func(name string) (value, bool) { return t.Subscript(a[1], name), true },
			formatAttr(t),
		)
	})
	library.Str.Statics["maketrans"] = library.NewFunc("maketrans", "x/ y/? z/?", makeTrans)
	searches()
	splits()
}

func newStr(t *thread, a values) value {
	switch {
	case library.Omitted(a[0]):
		return ""
	case !library.Omitted(a[1]) || !library.Omitted(a[2]):
		b, ok := a[0].(object.Bytes)
		if !ok {
			t.TypeError("decoding to str: need a bytes-like object, %s found", object.TypeName(a[0]))
		}
		return decode(t, values{b, a[1], a[2]})
	}
	return t.Str(a[0])
}

func replace(t *thread, a values) value {
	s, from, to := a[0].(string), library.TextArg(
		t,
		a[1],
		"replace() argument 1",
	), library.TextArg(
		t,
		a[2],
		"replace() argument 2",
	)
	most := library.CountOr(t, a[3], -1)
	t.Read(len(s))
	n := strings.Count(s, from)
	if most >= 0 {
		n = min(n, most)
	}
	if n > 0 && len(to) > object.MaxBytes/n {
		t.Alloc(-1)
	}
	t.Alloc(len(s) + n*len(to) + 16)
	t.Steps(n / 8)
	return strings.Replace(s, from, to, n)
}

func join(t *thread, a values) value {
	sep := a[0].(string)
	items := t.Collect(a[1])
	size := 16
	for i, v := range items {
		s, ok := v.(string)
		if !ok {
			t.TypeError("sequence item %d: expected str instance, %s found", i, object.TypeName(v))
		}
		size += len(s) + len(sep)
		if size > object.MaxBytes {
			t.Alloc(-1)
		}
	}
	t.Alloc(size)
	t.Steps(len(items) / 4)
	var b strings.Builder
	b.Grow(size)
	for i, v := range items {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(v.(string))
	}
	return b.String()
}

func format(t *thread, a values) value {
	named := a[2].(*object.Dict)
	return formatting.Template(t, a[0].(string), a[1].(*object.Tuple).Items, named.Lookup, formatAttr(t))
}

// formatAttr reads the attributes that a format names; those that begin with _ are not reachable.
func formatAttr(t *thread) func(v value, name string) value {
	return func(v value, name string) value {
		if strings.HasPrefix(name, "_") {
			t.Raise("AttributeError", "%s: names that begin with _ are not reachable here", name)
		}
		return library.Attr(t, v, name)
	}
}

// charOffsets are the byte offsets of the bounds lo:hi of characters, as in s.find(x, lo, hi). ok is false when lo is
// behind the end.
func charOffsets(t *thread, s string, lo, hi value) (from, to int, ok bool) {
	if library.OrNone(lo) == nil && library.OrNone(hi) == nil {
		return 0, len(s), true
	}
	n := t.Len(s)
	at := func(v value, otherwise int) int {
		if library.OrNone(v) == nil {
			return otherwise
		}
		i := t.Index(v)
		if i < 0 {
			i = max(max(i, -n-1)+n, 0)
		}
		return i
	}
	i, j := at(lo, 0), min(at(hi, n), n)
	if i > n || i > j {
		return 0, 0, false
	}
	t.Read(len(s))
	return object.Offset(s, i), object.Offset(s, j), true
}
