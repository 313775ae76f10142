package text

import (
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// codec is the last code point that an encoding of one byte knows; -1 is UTF-8.
func codec(t *thread, v value) rune {
	if library.Omitted(v) {
		return -1
	}
	name := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(library.TextArg(t, v, "encoding")))
	switch name {
	case "utf8", "u8", "utf", "cp65001":
		return -1
	case "ascii", "usascii", "646":
		return 127
	case "latin1", "latin", "iso88591", "l1", "8859", "cp819":
		return 255
	}
	t.Raise(
		"LookupError",
		"unknown encoding: %s (utf-8, ascii and latin-1 are there)",
		library.TextArg(t, v, "encoding"),
	)
	return 0
}

func onError(t *thread, v value) string {
	if library.Omitted(v) {
		return "strict"
	}
	name := library.TextArg(t, v, "errors")
	switch name {
	case "strict", "ignore", "replace", "xmlcharrefreplace", "backslashreplace":
		return name
	}
	t.Raise("LookupError", "unknown error handler name '%s'", name)
	return ""
}

func encode(t *thread, a values) value {
	s, last, handler := a[0].(string), codec(t, a[1]), onError(t, a[2])
	t.Alloc(len(s) + 16)
	if last < 0 || object.IsASCII(s) {
		return object.Bytes(s)
	}
	var b []byte
	for _, r := range s {
		switch {
		case r <= last:
			b = append(b, byte(r))
		case handler == "strict":
			t.Raise("UnicodeEncodeError", "%s is a character that the encoding does not have", t.ASCII(string(r)))
		case handler == "replace":
			b = append(b, '?')
		case handler == "xmlcharrefreplace":
			t.Alloc(10)
			b = append(b, "&#"+strconv.Itoa(int(r))+";"...)
		case handler == "backslashreplace":
			t.Alloc(10)
			b = append(b, strings.Trim(t.ASCII(string(r)), "'")...)
		}
	}
	return object.Bytes(b)
}

func decode(t *thread, a values) value {
	s, last, handler := string(a[0].(object.Bytes)), codec(t, a[1]), onError(t, a[2])
	t.Alloc(3*len(s) + 16)
	if last == 255 {
		runes := make([]rune, len(s))
		for i := range len(s) {
			runes[i] = rune(s[i])
		}
		return string(runes)
	}
	if object.IsASCII(s) || last < 0 && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r < utf8.RuneSelf || last < 0 && (r != utf8.RuneError || n > 1) {
			b.WriteRune(r)
			i += n
			continue
		}
		if last < 0 {
			n = broken(s[i:])
		} else {
			n = 1
		}
		switch handler {
		case "ignore":
		case "replace":
			b.WriteRune(utf8.RuneError)
		case "backslashreplace":
			for j := range n {
				t.Alloc(4)
				b.WriteString(`\x` + hex.EncodeToString([]byte{s[i+j]}))
			}
		default:
			t.Raise("UnicodeDecodeError", "byte 0x%02x in position %d is no text of the encoding", s[i], i)
		}
		i += n
	}
	return b.String()
}

// broken is how many bytes at the start of s begin a character that does not go on.
func broken(s string) int {
	low, high, want := byte(0x80), byte(0xbf), 0
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		want = 1
	case c >= 0xe0 && c <= 0xef:
		want = 2
		if c == 0xe0 {
			low = 0xa0
		} else if c == 0xed {
			high = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		want = 3
		if c == 0xf0 {
			low = 0x90
		} else if c == 0xf4 {
			high = 0x8f
		}
	}
	n := 1
	for ; n <= want && n < len(s) && s[n] >= low && s[n] <= high; n++ {
		low, high = 0x80, 0xbf
	}
	return n
}
