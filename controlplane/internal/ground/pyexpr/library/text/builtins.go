package text

import (
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object/formatting"
)

func init() {
	library.AddFunction("repr", "obj/", func(t *thread, a values) value { return t.Repr(a[0]) })
	library.AddFunction("ascii", "obj/", func(t *thread, a values) value { return t.ASCII(a[0]) })
	library.AddFunction("format", "value/ format_spec/?", func(t *thread, a values) value {
		if library.Omitted(a[1]) {
			return formatting.Format(t, a[0], "")
		}
		return formatting.Format(t, a[0], library.TextArg(t, a[1], "format() argument 2"))
	})
	library.AddFunction("chr", "i/", func(t *thread, a values) value { return string(character(t, a[0])) })
	library.AddFunction("ord", "c/", ord)
}

func ord(t *thread, a values) value {
	switch s := a[0].(type) {
	case string:
		if n := t.Len(s); n != 1 {
			t.TypeError("ord() expected a character, but string of length %d found", n)
		}
		r, _ := utf8.DecodeRuneInString(s)
		return int64(r)
	case object.Bytes:
		if len(s) == 1 {
			return int64(s[0])
		}
	}
	t.TypeError("ord() expected string of length 1, but %s found", object.TypeName(a[0]))
	return nil
}
