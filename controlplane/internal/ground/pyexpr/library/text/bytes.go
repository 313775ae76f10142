package text

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

var bytesType = library.NewType("bytes", func(v value) bool { _, ok := v.(object.Bytes); return ok })

func init() {
	library.Names["bytes"] = bytesType
	bytesType.New = library.NewFunc("bytes", "source/? encoding? errors?", newBytes)
	library.AddMethod(bytesType, "decode", "encoding? errors?", decode)
	library.AddMethod(bytesType, "hex", "", func(t *thread, a values) value {
		return library.NewText(t, hex.EncodeToString([]byte(a[0].(object.Bytes))))
	})
	bytesType.Statics["fromhex"] = library.NewFunc("fromhex", "string/", func(t *thread, a values) value {
		s := strings.Map(func(r rune) rune {
			if r < utf8.RuneSelf && unitext.IsSpace(r) {
				return -1
			}
			return r
		}, library.TextArg(t, a[0], "fromhex() argument"))
		t.Alloc(len(s))
		b, err := hex.DecodeString(s)
		if err != nil {
			t.ValueError("non-hexadecimal number found in fromhex() arg")
		}
		return object.Bytes(b)
	})
	for name, has := range map[string]func(s, x string) bool{"startswith": strings.HasPrefix,
		"endswith": strings.HasSuffix} {
		library.AddMethod(bytesType, name, "prefix/", func(t *thread, a values) value {
			b, ok := a[1].(object.Bytes)
			if !ok {
				t.TypeError("%s first arg must be bytes, not %s", name, object.TypeName(a[1]))
			}
			return has(string(a[0].(object.Bytes)), string(b))
		})
	}
}

func newBytes(t *thread, a values) value {
	switch v := a[0].(type) {
	case string:
		if library.Omitted(a[1]) {
			t.TypeError("string argument without an encoding")
		}
		return encode(t, a)
	case object.Bytes:
		return v
	case *object.List, *object.Tuple, *object.Range:
		items := t.Collect(v)
		b := make([]byte, 0, len(items))
		for _, x := range items {
			t.Steps(1)
			if !object.IsInt(x) {
				t.TypeError("'%s' object cannot be interpreted as an integer", object.TypeName(x))
			}
			i := t.Index(x)
			if i < 0 || i > 255 {
				t.ValueError("bytes must be in range(0, 256)")
			}
			b = append(b, byte(i))
		}
		t.Alloc(len(b))
		return object.Bytes(b)
	case int64:
		if v < 0 {
			t.ValueError("negative count")
		}
		t.Alloc(int(min(v, object.MaxBytes+1)))
		return object.Bytes(make([]byte, v))
	}
	if library.Omitted(a[0]) {
		return object.Bytes("")
	}
	t.TypeError("cannot convert '%s' object to bytes", object.TypeName(a[0]))
	return nil
}
