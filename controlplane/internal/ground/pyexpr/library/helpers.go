package library

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/calendar"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// The helpers are what mappings need often and Python says at length. All of them give None for None, so that a field
// which a record lacks needs no question of its own.
func init() {
	for _, name := range []string{"lower", "upper", "title", "capitalize", "casefold"} {
		helper(
			name,
			"value",
			func(t *thread, a values) value { return t.CallValue(strType.Methods[name], t.Str(a[0])) },
		)
	}
	for _, name := range []string{"strip", "lstrip", "rstrip"} {
		helper(name, "value chars?", func(t *thread, a values) value {
			return strip(t, name, t.Str(a[0]), a[1], name != "rstrip", name != "lstrip")
		})
	}
	helper(
		"replace",
		"value old new count?",
		func(t *thread, a values) value { return replace(t, append(values{t.Str(a[0])}, a[1:]...)) },
	)
	helper(
		"split",
		"value sep? maxsplit?",
		func(t *thread, a values) value { return split(t, append(values{t.Str(a[0])}, a[1:]...), false) },
	)
	helper("join", "values sep?", joinTexts)
	helper("re_sub", "pattern repl value count? flags?", func(t *thread, a values) value {
		s, _ := substitute(t, compiled(t, a[0], a[4]), a[1], t.Str(a[2]), a[3])
		return s
	})
	helper("re_match", "pattern value flags?", func(t *thread, a values) value {
		return matchOnce(t, compiled(t, a[0], a[2]), t.Str(a[1]), object.Missing, object.Missing, 0) != nil
	})
	helper("re_extract", "pattern value group? flags?", func(t *thread, a values) value {
		m, ok := matchOnce(t, compiled(t, a[0], a[3]), t.Str(a[1]), object.Missing, object.Missing, 0).(*match)
		if !ok {
			return nil
		}
		if !missing(a[2]) {
			return m.group(t, m.number(t, a[2]), nil)
		}
		return m.group(t, min(1, m.p.Groups), nil)
	})
	helper("unaccent", "value", func(t *thread, a values) value { return unaccent(t, t.Str(a[0])) })
	helper("escape_dn", "value", func(t *thread, a values) value { return escapeDN(t, t.Str(a[0])) })
	helper(
		"normalize",
		"value form?",
		func(t *thread, a values) value { return normalize(t, textOr(t, a[1], "NFC"), t.Str(a[0])) },
	)
	helper("parse_date", "value *formats", func(t *thread, a values) value { return date{days(parseMoment(t, a))} })
	helper("parse_datetime", "value *formats", func(t *thread, a values) value { return parseMoment(t, a) })
	helper("format_date", "value format?", formatDate)
	function("coalesce", "*values", func(_ *thread, a values) value {
		for _, v := range a[0].(*object.Tuple).Items {
			if v != nil && v != "" {
				return v
			}
		}
		return nil
	})
	function("map_value", "value mapping default?", func(t *thread, a values) value {
		d, ok := a[1].(*object.Dict)
		if !ok {
			t.TypeError("map_value() argument 2 must be dict, not %s", object.TypeName(a[1]))
		}
		if v, found := t.Get(d, a[0]); found {
			return v
		}
		if missing(a[2]) && a[0] != nil {
			t.Raise("KeyError", "%s", t.Repr(a[0]))
		}
		return orNone(a[2])
	})
	function("first", "values default?", func(t *thread, a values) value {
		switch v := a[0].(type) {
		case nil:
			return orNone(a[1])
		case string:
			return v
		default:
			if x, ok := t.Iterate(v)(); ok {
				return x
			}
			return orNone(a[1])
		}
	})
	function("get", "record path default?", get)
}

// helper adds a function that gives None when the value it works on is None. That is the parameter called value or
// values.
func helper(name, params string, fn func(t *thread, a values) value) {
	at := 0
	for i, p := range strings.Fields(params) {
		if p == "value" || p == "values" {
			at = i
		}
	}
	function(name, params, func(t *thread, a values) value {
		if a[at] == nil {
			return nil
		}
		return fn(t, a)
	})
}

// joinTexts joins what is neither None nor empty.
func joinTexts(t *thread, a values) value {
	if s, ok := a[0].(string); ok {
		return s
	}
	l := &object.List{}
	for _, v := range t.Collect(a[0]) {
		if v != nil && v != "" {
			t.Items(2)
			l.Items = append(l.Items, t.Str(v))
		}
	}
	return join(t, values{textOr(t, a[1], " "), l})
}

// get follows a path of names and numbers with dots between them.
func get(t *thread, a values) value {
	v := a[0]
	if d, ok := v.(*object.Dict); ok {
		if whole, found := d.Lookup(text(t, a[1], "get() argument 2")); found {
			return whole
		}
	}
	path := strings.Split(text(t, a[1], "get() argument 2"), ".")
	t.Items(2 * len(path))
	for _, name := range path {
		t.Steps(1)
		switch x := v.(type) {
		case *object.Dict:
			next, found := x.Lookup(name)
			if !found {
				return orNone(a[2])
			}
			v = next
		case *object.List:
			i := 0
			for _, c := range name {
				if c < '0' || c > '9' || i > len(x.Items) {
					return orNone(a[2])
				}
				i = i*10 + int(c-'0')
			}
			if name == "" || i >= len(x.Items) {
				return orNone(a[2])
			}
			v = x.Items[i]
		default:
			return orNone(a[2])
		}
	}
	return v
}

// letters are those that no normal form takes apart, in ASCII.
var letters = strings.NewReplacer(
	"ß",
	"ss",
	"ẞ",
	"SS",
	"æ",
	"ae",
	"Æ",
	"AE",
	"œ",
	"oe",
	"Œ",
	"OE",
	"ø",
	"o",
	"Ø",
	"O",
	"đ",
	"d",
	"Đ",
	"D",
	"ð",
	"d",
	"Ð",
	"D",
	"þ",
	"th",
	"Þ",
	"TH",
	"ł",
	"l",
	"Ł",
	"L",
	"ħ",
	"h",
	"Ħ",
	"H",
	"ı",
	"i",
	"ŋ",
	"n",
	"Ŋ",
	"N",
	"ŧ",
	"t",
	"Ŧ",
	"T",
	"ĸ",
	"k",
	"ſ",
	"s",
)

// unaccent takes accents away and writes the letters of Europe that are none of ASCII in ASCII.
func unaccent(t *thread, s string) value {
	if object.IsASCII(s) {
		t.Read(len(s))
		return s
	}
	t.Alloc(3 * len(s))
	s = normalize(t, "NFKD", letters.Replace(s))
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf && unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, s))
}

// escapeDN writes a text as the value of one attribute in a DN (RFC 4514 section 2.4).
func escapeDN(t *thread, s string) value {
	t.Alloc(3 * len(s))
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == 0:
			b.WriteString(`\00`)
		case strings.IndexByte(`,+"\<>;=`, c) >= 0, c == '#' && i == 0, c == ' ' && (i == 0 || i == len(s)-1):
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// parseMoment reads a date by the formats given, or by ISO 8601 where there are none.
func parseMoment(t *thread, a values) moment {
	switch v := a[0].(type) {
	case moment:
		return v
	case date:
		return moment{micros: v.days * calendar.Day}
	}
	s := strings.TrimSpace(t.Str(a[0]))
	formats := a[1].(*object.Tuple).Items
	if len(formats) == 0 {
		if m, err := calendar.ParseISO(s); err == nil {
			return fromMoment(t, m)
		}
		t.ValueError("%s is no date of ISO 8601; name its format, as in parse_date(value, '%%d.%%m.%%Y')", t.Repr(s))
	}
	for _, f := range formats {
		format := text(t, f, "a format of parse_date()")
		if m, ok := tryFormat(t, s, format); ok {
			return m
		}
	}
	t.ValueError("%s is in none of the formats", t.Repr(s))
	return moment{}
}

// tryFormat is strptime where a text that does not fit is no error.
func tryFormat(t *thread, s, format string) (m moment, ok bool) {
	mark := t.Mark()
	defer func() {
		if r := recover(); r != nil {
			if _, raised := r.(*object.Raised); !raised {
				panic(r)
			}
			t.Restore(mark)
			ok = false
		}
	}()
	return strptime(t, s, format).(moment), true
}

func formatDate(t *thread, a values) value {
	format := textOr(t, a[1], "%Y-%m-%d")
	switch v := a[0].(type) {
	case date, moment:
		return v.(object.Formatter).Format(t, format)
	}
	return strftime(t, parseMoment(t, values{a[0], &object.Tuple{}}), format)
}
