package regex

import (
	"strconv"
	"strings"
)

func (p *parser) classed(c byte, f Flags) *node {
	return &node{kind: char, set: (&set{classes: []byte{c}, ascii: f&ASCII != 0}).finish()}
}

// escape reads what follows a backslash outside of brackets.
func (p *parser) escape(f Flags, at int) (*node, error) {
	if !p.more() {
		return nil, wrong(at, "bad escape (end of pattern)")
	}
	r := p.peek()
	p.i++
	switch r {
	case 'd', 'D', 's', 'S', 'w', 'W':
		return p.classed(byte(r), f), nil
	case 'A':
		return &node{kind: assert, n: textStart}, nil
	case 'Z':
		return &node{kind: assert, n: textEnd}, nil
	case 'b':
		return &node{kind: assert, n: boundary, flags: f}, nil
	case 'B':
		return &node{kind: assert, n: noBoundary, flags: f}, nil
	}
	if r >= '1' && r <= '9' {
		if c, ok := p.octal(r); ok {
			return p.single(c, f), nil
		}
		n := int(r - '0')
		if p.peek() >= '0' && p.peek() <= '9' {
			n = n*10 + int(p.peek()-'0')
			p.i++
		}
		return p.reference(n, f, at)
	}
	c, err := p.escaped(r, at)
	if err != nil {
		return nil, err
	}
	return p.single(c, f), nil
}

// octal reads three octal digits, the first of which has been read.
func (p *parser) octal(r rune) (rune, bool) {
	if p.i+1 < len(p.src) && r <= '3' && isOctal(p.src[p.i]) && isOctal(p.src[p.i+1]) {
		c := (r-'0')*64 + (p.src[p.i]-'0')*8 + (p.src[p.i+1] - '0')
		p.i += 2
		return c, true
	}
	return 0, false
}

func isOctal(r rune) bool { return r >= '0' && r <= '7' }

// escaped is the character that an escape stands for, inside and outside of brackets.
func (p *parser) escaped(r rune, at int) (rune, error) {
	switch r {
	case 'a':
		return '\a', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'v':
		return '\v', nil
	case 'x':
		return p.hex(2, at)
	case 'u':
		return p.hex(4, at)
	case 'U':
		return p.hex(8, at)
	case '0':
		c := rune(0)
		for n := 0; n < 2 && isOctal(p.peek()); n++ {
			c = c*8 + p.peek() - '0'
			p.i++
		}
		return c, nil
	}
	if r < 128 && (r|0x20 >= 'a' && r|0x20 <= 'z') {
		return 0, wrong(at, `bad escape \%c`, r)
	}
	return r, nil
}

func (p *parser) hex(digits, at int) (rune, error) {
	if p.i+digits <= len(p.src) {
		s := string(p.src[p.i : p.i+digits])
		if c, err := strconv.ParseUint(s, 16, 32); err == nil && c <= 0x10ffff {
			p.i += digits
			return rune(c), nil
		}
	}
	return 0, wrong(at, "incomplete escape")
}

// class reads a set of characters in brackets.
func (p *parser) class(f Flags, at int) (*node, error) {
	s := &set{fold: f&IgnoreCase != 0, ascii: f&ASCII != 0}
	s.negative = p.accept("^")
	for first := true; first || p.peek() != ']'; first = false {
		low, class, err := p.member(s, at)
		if err != nil {
			return nil, err
		}
		if p.peek() != '-' || p.i+1 < len(p.src) && p.src[p.i+1] == ']' {
			if !class {
				s.ranges = append(s.ranges, low, low)
			}
			continue
		}
		p.i++
		high, other, err := p.member(s, at)
		if err != nil {
			return nil, err
		}
		if class || other || high < low {
			return nil, wrong(at, "bad character range")
		}
		s.ranges = append(s.ranges, low, high)
	}
	p.i++
	return &node{kind: char, set: s.finish()}, nil
}

// member reads one character of a set, or a class, which it adds.
func (p *parser) member(s *set, at int) (r rune, class bool, err error) {
	if !p.more() {
		return 0, false, wrong(at, "unterminated character set")
	}
	r = p.peek()
	p.i++
	if r != '\\' {
		return r, false, nil
	}
	if !p.more() {
		return 0, false, wrong(at, "unterminated character set")
	}
	r = p.peek()
	p.i++
	if strings.ContainsRune("dDsSwW", r) {
		s.classes = append(s.classes, byte(r))
		return 0, true, nil
	}
	if r == 'b' {
		return '\b', false, nil
	}
	if isOctal(r) {
		c := r - '0'
		for n := 0; n < 2 && isOctal(p.peek()); n++ {
			c = c*8 + p.peek() - '0'
			p.i++
		}
		if c > 0o377 {
			return 0, false, wrong(at, "octal escape value outside of range 0-0o377")
		}
		return c, false, nil
	}
	if r == '8' || r == '9' {
		return 0, false, wrong(at, `bad escape \%c`, r)
	}
	r, err = p.escaped(r, at)
	return r, false, err
}
