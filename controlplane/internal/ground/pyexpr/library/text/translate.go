package text

import (
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

func makeTrans(t *thread, a values) value {
	table := &object.Dict{}
	if library.Omitted(a[1]) {
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
	from, to := []rune(
		library.TextArg(t, a[0], "first maketrans argument"),
	), []rune(
		library.TextArg(t, a[1], "maketrans() argument 2"),
	)
	if len(from) != len(to) {
		t.ValueError("the first two maketrans arguments must have equal length")
	}
	for i, r := range from {
		t.Put(table, int64(r), int64(to[i]))
	}
	if !library.Omitted(a[2]) {
		for _, r := range library.TextArg(t, a[2], "maketrans() argument 3") {
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
