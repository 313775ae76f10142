package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// The helpers are what mappings need often and Python says at length. All of them give None for None, so that a field
// which a record lacks needs no question of its own.
func init() {
	for _, name := range []string{"lower", "upper", "title", "capitalize", "casefold"} {
		library.AddHelper(
			name,
			"value",
			func(t *thread, a values) value {
				return library.Call(t, library.Str.Methods[name], t.Str(a[0]))
			},
		)
	}
	for _, name := range []string{"strip", "lstrip", "rstrip"} {
		library.AddHelper(name, "value chars?", func(t *thread, a values) value {
			return strip(t, name, t.Str(a[0]), a[1], name != "rstrip", name != "lstrip")
		})
	}
	library.AddHelper(
		"replace",
		"value old new count?",
		func(t *thread, a values) value {
			return replace(t, append(values{t.Str(a[0])}, a[1:]...))
		},
	)
	library.AddHelper(
		"split",
		"value sep? maxsplit?",
		func(t *thread, a values) value {
			return split(t, append(values{t.Str(a[0])}, a[1:]...), false)
		},
	)
	library.AddHelper("join", "values sep?", joinTexts)
	library.AddHelper("unaccent", "value", func(t *thread, a values) value { return unaccent(t, t.Str(a[0])) })
	library.AddHelper("escape_dn", "value", func(t *thread, a values) value { return escapeDN(t, t.Str(a[0])) })
	library.AddHelper(
		"normalize",
		"value form?",
		func(t *thread, a values) value {
			return normalize(t, library.TextOr(t, a[1], "NFC"), t.Str(a[0]))
		},
	)
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
	return join(t, values{library.TextOr(t, a[1], " "), l})
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
