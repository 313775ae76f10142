package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// decode turns the text of a literal between its quotes into what it stands for. off is where the text begins.
func decode(s string, off int, bytes bool) (string, *Error) {
	if bytes {
		for i := range len(s) {
			if s[i] >= utf8.RuneSelf {
				return "", errorAt(off+i, "bytes can only contain ASCII literal characters")
			}
		}
	}
	if strings.IndexByte(s, '\\') < 0 {
		return strings.ReplaceAll(s, "\r\n", "\n"), nil
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		n, err := escape(&b, s[i:], off+i, bytes)
		if err != nil {
			return "", err
		}
		i += n
	}
	return b.String(), nil
}

var simple = map[byte]string{
	'\n': "",
	'\\': "\\",
	'\'': "'",
	'"':  "\"",
	'a':  "\a",
	'b':  "\b",
	'f':  "\f",
	'n':  "\n",
	'r':  "\r",
	't':  "\t",
	'v':  "\v",
}

// escape writes what the escape at the start of s stands for and tells its length. An escape that is none stays as it
// is.
func escape(b *strings.Builder, s string, off int, bytes bool) (int, *Error) {
	if to, ok := simple[s[1]]; ok {
		b.WriteString(to)
		return 2, nil
	}
	switch c := s[1]; {
	case c >= '0' && c <= '7':
		n := 2
		for n < len(s) && n < 4 && s[n] >= '0' && s[n] <= '7' {
			n++
		}
		code, _ := strconv.ParseUint(s[1:n], 8, 32)
		return n, put(b, code, off, bytes)
	case c == 'x':
		return hex(b, s, 2, off, bytes)
	case c == 'u' && !bytes:
		return hex(b, s, 4, off, false)
	case c == 'U' && !bytes:
		return hex(b, s, 8, off, false)
	case c == 'N' && !bytes:
		return 0, refuseAt(off, `\N{...} is not possible here; use \uXXXX`)
	}
	b.WriteByte('\\')
	return 1, nil
}

func hex(b *strings.Builder, s string, digits, off int, bytes bool) (int, *Error) {
	if len(s) < 2+digits {
		return 0, errorAt(off, `truncated \%cXX escape`, s[1])
	}
	code, err := strconv.ParseUint(s[2:2+digits], 16, 32)
	if err != nil || s[2] == '+' {
		return 0, errorAt(off, `truncated \%cXX escape`, s[1])
	}
	return 2 + digits, put(b, code, off, bytes)
}

func put(b *strings.Builder, code uint64, off int, bytes bool) *Error {
	switch {
	case bytes:
		b.WriteByte(byte(code))
	case code > utf8.MaxRune:
		return errorAt(off, "illegal Unicode character")
	case !utf8.ValidRune(rune(code)):
		return refuseAt(off, "half of a surrogate pair is no character; write the whole character")
	default:
		b.WriteRune(rune(code))
	}
	return nil
}

// literal joins adjacent string tokens into one node.
func (p *parser) literal() (Expr, *Error) {
	first := p.tok()
	bytes := strings.Contains(first.prefix, "b")
	var parts []Expr
	for p.tok().kind == text {
		t := p.take()
		if strings.Contains(t.prefix, "b") != bytes {
			return nil, errorAt(t.off, "cannot mix bytes and nonbytes literals")
		}
		more, err := p.pieces(t)
		if err != nil {
			return nil, err
		}
		parts = append(parts, more...)
	}
	return joined(Pos(first.off), parts, bytes, p.formatted(first.off)), nil
}

// formatted tells whether one of the strings from the given offset to here has an f before it.
func (p *parser) formatted(off int) bool {
	for i := p.i - 1; i >= 0 && p.tokens[i].kind == text && p.tokens[i].off >= off; i-- {
		if strings.Contains(p.tokens[i].prefix, "f") {
			return true
		}
	}
	return false
}

func joined(at Pos, parts []Expr, bytes, formatted bool) Expr {
	if formatted {
		return &FString{Pos: at, Parts: parts}
	}
	var all strings.Builder
	for _, part := range parts {
		all.WriteString(part.(*Const).Value.(string))
	}
	if bytes {
		return &Const{Pos: at, Value: Bytes(all.String())}
	}
	return &Const{Pos: at, Value: all.String()}
}

// pieces are the parts of one string token.
func (p *parser) pieces(t token) ([]Expr, *Error) {
	quotes := 1
	if t.triple {
		quotes = 3
	}
	off := t.off + len(t.prefix) + quotes
	if strings.Contains(t.prefix, "f") {
		f := &fstring{parser: p, raw: strings.Contains(t.prefix, "r"), pos: off, end: t.end - quotes}
		return f.parts(0)
	}
	s := t.text
	if !strings.Contains(t.prefix, "r") {
		var err *Error
		if s, err = decode(s, off, strings.Contains(t.prefix, "b")); err != nil {
			return nil, err
		}
	} else if strings.Contains(t.prefix, "b") {
		for i := range len(s) {
			if s[i] >= utf8.RuneSelf {
				return nil, errorAt(off+i, "bytes can only contain ASCII literal characters")
			}
		}
	}
	return []Expr{&Const{Pos: Pos(t.off), Value: s}}, nil
}
