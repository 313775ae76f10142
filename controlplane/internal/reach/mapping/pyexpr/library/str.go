package library

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/pyexpr/unitext"
)

var strType = newType("str", func(v value) bool { _, ok := v.(string); return ok })

func init() {
	strType.New = object.NewFunc("str", "object? encoding? errors?", newStr)
	Names["str"] = strType
	for name, fn := range map[string]func(string) string{
		"lower": unitext.Lower, "upper": unitext.Upper, "title": unitext.Title, "capitalize": unitext.Capitalize, "casefold": unitext.Fold,
		"swapcase": unitext.SwapCase,
	} {
		method(strType, name, "", func(t *thread, a values) value {
			s := a[0].(string)
			t.Alloc(3*len(s) + 16)
			if !object.IsASCII(s) {
				t.Steps(len(s))
			}
			return fn(s)
		})
	}
	for name, is := range map[string]func(rune) bool{
		"isalpha": unitext.IsAlpha, "isdigit": unitext.IsDigit, "isdecimal": unitext.IsDecimal, "isnumeric": unitext.IsNumeric,
		"isalnum": unitext.IsAlnum, "isspace": unitext.IsSpace,
	} {
		method(strType, name, "", func(t *thread, a values) value { return every(t, a[0].(string), false, is) })
	}
	method(strType, "isprintable", "", func(t *thread, a values) value { return every(t, a[0].(string), true, object.Printable) })
	method(strType, "isascii", "", func(t *thread, a values) value {
		t.Read(len(a[0].(string)))
		return object.IsASCII(a[0].(string))
	})
	method(strType, "islower", "", func(t *thread, a values) value { return cased(t, a[0].(string), unitext.IsLower) })
	method(strType, "isupper", "", func(t *thread, a values) value { return cased(t, a[0].(string), unitext.IsUpper) })
	method(strType, "istitle", "", isTitle)
	method(strType, "isidentifier", "", isIdentifier)
	for name, sides := range map[string][2]bool{"strip": {true, true}, "lstrip": {true, false}, "rstrip": {false, true}} {
		method(strType, name, "chars/?", func(t *thread, a values) value { return strip(t, name, a[0].(string), a[1], sides[0], sides[1]) })
	}
	for name, side := range map[string]int{"ljust": 0, "rjust": 1, "center": 2} {
		method(strType, name, "width/ fillchar/?", func(t *thread, a values) value { return justify(t, a, side) })
	}
	method(strType, "zfill", "width/", zfill)
	method(strType, "removeprefix", "prefix/", func(t *thread, a values) value {
		return result(t, strings.TrimPrefix(a[0].(string), text(t, a[1], "removeprefix() argument")))
	})
	method(strType, "removesuffix", "suffix/", func(t *thread, a values) value {
		return result(t, strings.TrimSuffix(a[0].(string), text(t, a[1], "removesuffix() argument")))
	})
	method(strType, "expandtabs", "tabsize?", expandTabs)
	method(strType, "replace", "old/ new/ count/?", replace)
	method(strType, "translate", "table/", translate)
	method(strType, "join", "iterable/", join)
	method(strType, "encode", "encoding? errors?", encode)
	method(strType, "format", "*args **named", format)
	method(strType, "format_map", "mapping/", func(t *thread, a values) value {
		return t.FormatText(a[0].(string), nil, func(name string) (value, bool) { return t.Subscript(a[1], name), true }, formatAttr(t))
	})
	strType.Statics["maketrans"] = object.NewFunc("maketrans", "x/ y/? z/?", makeTrans)
	searches()
	splits()
}

func newStr(t *thread, a values) value {
	switch {
	case missing(a[0]):
		return ""
	case !missing(a[1]) || !missing(a[2]):
		b, ok := a[0].(object.Bytes)
		if !ok {
			t.TypeError("decoding to str: need a bytes-like object, %s found", object.TypeName(a[0]))
		}
		return decode(t, values{b, a[1], a[2]})
	}
	return t.Str(a[0])
}

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
		if r != '_' && !unitext.IsAlpha(r) && (i == 0 || !unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc)) {
			return false
		}
	}
	return s != ""
}

func strip(t *thread, name, s string, chars value, left, right bool) value {
	is := unitext.IsSpace
	switch c := orNone(chars).(type) {
	case nil:
	case string:
		t.Steps(len(s)*len(c)/64 + len(c)/16)
		is = func(r rune) bool { return strings.ContainsRune(c, r) }
	default:
		t.TypeError("%s arg must be None or str", name)
	}
	t.Alloc(16)
	t.Read(len(s))
	if left {
		s = strings.TrimLeftFunc(s, is)
	}
	if right {
		s = strings.TrimRightFunc(s, is)
	}
	return s
}

// pads charges n fill characters.
func pads(t *thread, s string, fill rune, n int) {
	if n > object.MaxBytes {
		t.Alloc(-1)
	}
	t.Alloc(len(s) + n*utf8.RuneLen(fill) + 16)
}

func justify(t *thread, a values, side int) value {
	s, width, fill := a[0].(string), t.Count(a[1]), ' '
	if !missing(a[2]) {
		f, ok := a[2].(string)
		if !ok || utf8.RuneCountInString(f) != 1 {
			t.TypeError("The fill character must be exactly one character long")
		}
		fill, _ = utf8.DecodeRuneInString(f)
	}
	length := t.Len(s)
	if width <= length {
		return s
	}
	n := width - length
	pads(t, s, fill, n)
	left := map[int]int{0: 0, 1: n, 2: n/2 + n&width&1}[side]
	return strings.Repeat(string(fill), left) + s + strings.Repeat(string(fill), n-left)
}

func zfill(t *thread, a values) value {
	s, width := a[0].(string), t.Count(a[1])
	length := t.Len(s)
	if width <= length {
		return s
	}
	pads(t, s, '0', width-length)
	sign := ""
	if s != "" && (s[0] == '+' || s[0] == '-') {
		sign, s = s[:1], s[1:]
	}
	return sign + strings.Repeat("0", width-length) + s
}

func expandTabs(t *thread, a values) value {
	s, size := a[0].(string), max(number(t, a[1], 8), 0)
	n := strings.Count(s, "\t")
	pads(t, s, ' ', min(size, object.MaxBytes+1))
	if n > 0 && size > object.MaxBytes/n {
		t.Alloc(-1)
	}
	t.Alloc(n * size)
	var b strings.Builder
	column := 0
	for _, r := range s {
		switch r {
		case '\t':
			if size > 0 {
				fill := size - column%size
				b.WriteString(strings.Repeat(" ", fill))
				column += fill
			}
			continue
		case '\n', '\r':
			column = -1
		}
		b.WriteRune(r)
		column++
	}
	return b.String()
}

func replace(t *thread, a values) value {
	s, from, to := a[0].(string), text(t, a[1], "replace() argument 1"), text(t, a[2], "replace() argument 2")
	most := number(t, a[3], -1)
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

func makeTrans(t *thread, a values) value {
	table := &object.Dict{}
	if missing(a[1]) {
		d, ok := a[0].(*object.Dict)
		if !ok {
			t.TypeError("if you give only one argument to maketrans it must be a dict")
		}
		for k, v := range d.All {
			if s, ok := k.(string); ok {
				if utf8.RuneCountInString(s) != 1 {
					t.ValueError("string keys in translate table must be of length 1")
				}
				r, _ := utf8.DecodeRuneInString(s)
				k = int64(r)
			} else if !object.IsInt(k) {
				t.TypeError("keys in translate table must be strings or integers")
			}
			t.Put(table, k, v)
		}
		return table
	}
	from, to := []rune(text(t, a[0], "first maketrans argument")), []rune(text(t, a[1], "maketrans() argument 2"))
	if len(from) != len(to) {
		t.ValueError("the first two maketrans arguments must have equal length")
	}
	for i, r := range from {
		t.Put(table, int64(r), int64(to[i]))
	}
	if !missing(a[2]) {
		for _, r := range text(t, a[2], "maketrans() argument 3") {
			t.Put(table, int64(r), nil)
		}
	}
	return table
}

func translate(t *thread, a values) value {
	d, ok := a[1].(*object.Dict)
	if !ok {
		t.TypeError("translate() needs a dict, as str.maketrans gives it")
	}
	var b strings.Builder
	for _, r := range a[0].(string) {
		t.Steps(1)
		v, found := t.Get(d, int64(r))
		switch v := v.(type) {
		case nil:
			if !found {
				b.WriteRune(r)
			}
		case string:
			t.Alloc(len(v))
			b.WriteString(v)
		case int64:
			b.WriteRune(character(t, v))
		default:
			t.TypeError("character mapping must return integer, None or str")
		}
	}
	t.Alloc(len(a[0].(string)) + 16)
	return b.String()
}

// character is chr(i).
func character(t *thread, v value) rune {
	i := t.Count(v)
	if i < -1<<31 || i >= 1<<31 {
		t.Raise("OverflowError", "Python int too large to convert to C int")
	}
	if i < 0 || i > utf8.MaxRune {
		t.ValueError("chr() arg not in range(0x110000)")
	}
	if i >= 0xd800 && i <= 0xdfff {
		t.ValueError("half of a surrogate pair is no character here")
	}
	return rune(i)
}

func format(t *thread, a values) value {
	named := a[2].(*object.Dict)
	return t.FormatText(a[0].(string), a[1].(*object.Tuple).Items, named.Lookup, formatAttr(t))
}

// formatAttr reads the attributes that a format names; those that begin with _ are not reachable.
func formatAttr(t *thread) func(v value, name string) value {
	return func(v value, name string) value {
		if strings.HasPrefix(name, "_") {
			t.Raise("AttributeError", "%s: names that begin with _ are not reachable here", name)
		}
		return Attr(t, v, name)
	}
}

// forms are the normal forms of Unicode.
var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

func normalize(t *thread, form, s string) string {
	f, ok := forms[form]
	if !ok {
		t.ValueError("invalid normalization form")
	}
	t.Steps(len(s) / 4)
	if !object.IsASCII(s) {
		t.Alloc(18 * len(s)) // what the longest decomposition makes of it
	}
	return f.String(s)
}

// charOffsets are the byte offsets of the bounds lo:hi of characters, as in s.find(x, lo, hi). ok is false when lo is behind
// the end.
func charOffsets(t *thread, s string, lo, hi value) (from, to int, ok bool) {
	if orNone(lo) == nil && orNone(hi) == nil {
		return 0, len(s), true
	}
	n := t.Len(s)
	at := func(v value, otherwise int) int {
		if orNone(v) == nil {
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

func reversed(parts []string) []string {
	slices.Reverse(parts)
	return parts
}
