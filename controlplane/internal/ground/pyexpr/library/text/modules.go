package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

func init() {
	library.Names["unicodedata"] = &library.Module{Name: "unicodedata", Attrs: map[string]value{
		"normalize": library.NewFunc("normalize", "form/ unistr/", func(t *thread, a values) value {
			return normalize(
				t,
				library.TextArg(t, a[0], "normalize() argument 1"),
				library.TextArg(t, a[1], "normalize() argument 2"),
			)
		}),
		"is_normalized": library.NewFunc("is_normalized", "form/ unistr/", func(t *thread, a values) value {
			s := library.TextArg(t, a[1], "is_normalized() argument 2")
			return normalize(t, library.TextArg(t, a[0], "is_normalized() argument 1"), s) == s
		}),
		"combining": library.NewFunc("combining", "chr/", func(t *thread, a values) value {
			return int64(norm.NFD.PropertiesString(string(oneChar(t, a[0]))).CCC())
		}),
		"category": library.NewFunc("category", "chr/", func(t *thread, a values) value {
			t.Steps(20) // for the tables that are looked through
			return category(oneChar(t, a[0]))
		}),
	}, Not: map[string]string{"name": "the names of characters are not kept here",
		"lookup": "the names of characters are not kept here"}}
	stringModule := &library.Module{Name: "string", Attrs: map[string]value{
		"ascii_lowercase": "abcdefghijklmnopqrstuvwxyz",
		"ascii_uppercase": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		"ascii_letters":   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
		"digits":          "0123456789",
		"hexdigits":       "0123456789abcdefABCDEF",
		"octdigits":       "01234567",
		"punctuation":     "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
		"whitespace":      " \t\n\r\v\f",
	}}
	stringModule.Attrs["printable"] = stringModule.Attrs["digits"].(string) +
		stringModule.Attrs["ascii_letters"].(string) +
		stringModule.Attrs["punctuation"].(string) + stringModule.Attrs["whitespace"].(string)
	stringModule.Attrs["capwords"] = library.NewFunc("capwords", "s sep?", func(t *thread, a values) value {
		s, ok := a[0].(string)
		if !ok {
			t.Raise("AttributeError", "'%s' object has no attribute 'split'", object.TypeName(a[0]))
		}
		words := split(t, values{s, a[1], object.Missing}, false).(*object.List)
		for i, w := range words.Items {
			words.Items[i] = library.Call(t, library.Str.Methods["capitalize"], w)
		}
		sep, ok := library.OrNone(a[1]).(string)
		if !ok {
			sep = " "
		}
		return join(t, values{sep, words})
	})
	library.Names["string"] = stringModule
}

func oneChar(t *thread, v value) rune {
	s := library.TextArg(t, v, "argument")
	if utf8.RuneCountInString(s) != 1 {
		t.TypeError("need a single Unicode character as parameter")
	}
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// category is the general category of a character.
func category(r rune) string {
	for name, table := range unicode.Categories {
		if len(name) == 2 && name != "LC" && !strings.HasPrefix(name, "Cn") && unicode.Is(table, r) {
			return name
		}
	}
	return "Cn"
}
