package formatting

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// spec is a format specification: [[fill]align][sign][z][#][0][width][grouping][.precision][type].
type spec struct {
	fill             rune
	align, sign      byte
	z, alt, zero     bool
	width, precision int // -1 when not given
	group            byte
	kind             byte
}

func parseSpec(t *object.Thread, s string, v object.Value) spec {
	p := spec{fill: ' ', width: -1, precision: -1}
	filled := false
	if r, n := utf8.DecodeRuneInString(s); len(s) > n && strings.IndexByte("<>=^", s[n]) >= 0 {
		filled, p.fill, p.align, s = true, r, s[n], s[n+1:]
	} else if s != "" && strings.IndexByte("<>=^", s[0]) >= 0 {
		p.align, s = s[0], s[1:]
	}
	aligned := p.align != 0
	take := func(set string) (c byte) {
		if s != "" && strings.IndexByte(set, s[0]) >= 0 {
			c, s = s[0], s[1:]
		}
		return c
	}
	p.sign = take("+- ")
	p.z = take("z") != 0
	p.alt = take("#") != 0
	if p.zero = take("0") != 0; p.zero {
		if !filled {
			p.fill = '0'
		}
		if _, text := v.(string); !aligned && text {
			p.align = '<'
		} else if !aligned {
			p.align = '='
		}
	}
	p.width = readCount(t, &s, "Too many decimal digits in format string")
	p.group = take(",_")
	if p.group != 0 && take(",_") != 0 {
		t.ValueError("Cannot specify both ',' and '_'.")
	}
	if take(".") != 0 {
		if p.precision = readCount(t, &s, "Too many decimal digits in format string"); p.precision < 0 {
			t.ValueError("Format specifier missing precision")
		}
	}
	if len(s) > 1 {
		t.ValueError("Invalid format specifier")
	}
	if s != "" {
		p.kind = s[0]
	}
	if max(p.width, p.precision) > 0 {
		t.Alloc(2 * max(p.width, p.precision))
	}
	return p
}

// count reads a number at the start of s; -1 when there is none.
func readCount(t *object.Thread, s *string, msg string) int {
	n := 0
	for n < len(*s) && (*s)[n] >= '0' && (*s)[n] <= '9' {
		n++
	}
	if n == 0 {
		return -1
	}
	i, err := strconv.ParseInt((*s)[:n], 10, 63)
	if err != nil {
		t.ValueError("%s", msg)
	}
	*s = (*s)[n:]
	return int(i)
}
