package text

import (
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/unitext"
)

func strip(t *thread, name, s string, chars value, left, right bool) value {
	is := unitext.IsSpace
	switch c := library.OrNone(chars).(type) {
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
	if !library.Omitted(a[2]) {
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
	s, size := a[0].(string), max(library.CountOr(t, a[1], 8), 0)
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
