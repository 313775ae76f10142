package jsonpath

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/grantwright/grantwright/connectorkit/jsonpath/internal/budget"
)

// maxInt bounds indexes and slice parts to what JSON numbers carry exactly (RFC 9535 section 2.1).
const maxInt = 1<<53 - 1

// maxDepth bounds nested parentheses and filters, so that no query can exhaust the stack.
const maxDepth = 64

// parser reads a query from left to right. at is the next byte.
type parser struct {
	text     string
	at       int
	depth    int
	descents int
	bounded  bool // refuse more than MaxDescents
}

// fail is the syntax error at the present column, counted in characters from 1.
func (p *parser) fail(format string, args ...any) error {
	column := utf8.RuneCountInString(p.text[:min(p.at, len(p.text))]) + 1
	return &SyntaxError{Text: p.text, Column: column, Reason: fmt.Sprintf(format, args...)}
}

// done says whether the text was read to its end.
func (p *parser) done() bool { return p.at >= len(p.text) }

// peek is the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.done() {
		return 0
	}
	return p.text[p.at]
}

// here names what stands at the current place, for error texts.
func (p *parser) here() string {
	if p.done() {
		return "end of the query"
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return strconv.QuoteRune(r)
}

// accept reads s, if it comes next.
func (p *parser) accept(s string) bool {
	if strings.HasPrefix(p.text[p.at:], s) {
		p.at += len(s)
		return true
	}
	return false
}

// blank reads white space (RFC 9535 section 2.1.1).
func (p *parser) blank() {
	for !p.done() && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// query reads $ or @ and the segments behind it.
func (p *parser) query(root byte) ([]segment, error) {
	if p.peek() != root {
		return nil, p.fail("a query starts with %c, found %s", root, p.here())
	}
	p.at++
	var out []segment
	for {
		start := p.at
		p.blank()
		switch {
		case p.peek() == '.', p.peek() == '[':
		default:
			// Blanks after the last segment are not part of the query.
			p.at = start
			return out, nil
		}
		s, err := p.segment()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
}

// segment reads a child or descendant segment. Of descendant segments only a few are allowed where
// queries come from settings: their cost multiplies.
func (p *parser) segment() (segment, error) {
	switch {
	case p.accept(".."):
		if p.descents++; p.bounded && p.descents > budget.MaxDescents {
			p.at -= len("..")
			return segment{}, p.fail("a query may have .. only once; name the members between")
		}
		s := segment{descend: true}
		if p.peek() == '[' {
			p.at++
			return p.bracket(s)
		}
		return p.shorthand(s)
	case p.accept("."):
		return p.shorthand(segment{})
	default:
		p.at++
		return p.bracket(segment{})
	}
}

// shorthand reads what may follow a dot: a plain name or a star.
func (p *parser) shorthand(s segment) (segment, error) {
	if p.accept("*") {
		s.selectors = []selector{{kind: byWildcard}}
		return s, nil
	}
	start := p.at
	for !p.done() {
		r, n := utf8.DecodeRuneInString(p.text[p.at:])
		if r == utf8.RuneError && n == 1 {
			return s, p.fail("the query is not valid UTF-8")
		}
		if !nameRune(r, p.at == start) {
			break
		}
		p.at += n
	}
	if p.at == start {
		return s, p.fail("expected a member name or *, found %s (write other names as ['name'])", p.here())
	}
	s.selectors = []selector{{kind: byName, name: p.text[start:p.at]}}
	return s, nil
}

// nameRune says whether a character may be in a name in shorthand.
func nameRune(r rune, first bool) bool {
	switch {
	case r == '_', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= 0x80:
		return true
	}
	return !first && r >= '0' && r <= '9'
}

// bracket reads the selectors of a segment in brackets.
func (p *parser) bracket(s segment) (segment, error) {
	for {
		p.blank()
		sel, err := p.selector()
		if err != nil {
			return s, err
		}
		s.selectors = append(s.selectors, sel)
		p.blank()
		switch {
		case p.accept(","):
		case p.accept("]"):
			return s, nil
		default:
			return s, p.fail("expected , or ] in brackets, found %s", p.here())
		}
	}
}

// selector reads one selector in brackets.
func (p *parser) selector() (selector, error) {
	switch c := p.peek(); {
	case c == '\'' || c == '"':
		name, err := p.str()
		return selector{kind: byName, name: name}, err
	case c == '*':
		p.at++
		return selector{kind: byWildcard}, nil
	case c == '?':
		p.at++
		p.blank()
		expr, err := p.or()
		return selector{kind: byFilter, filter: expr}, err
	case c == ':' || c == '-' || c >= '0' && c <= '9':
		return p.indexOrSlice()
	}
	return selector{}, p.fail("expected a quoted name, an index, a slice, * or a ?filter, found %s", p.here())
}

// indexOrSlice reads an index, or start:end:step with each part optional.
func (p *parser) indexOrSlice() (selector, error) {
	start, err := p.optionalInt()
	if err != nil {
		return selector{}, err
	}
	mark := p.at
	p.blank()
	if !p.accept(":") {
		p.at = mark
		return selector{kind: byIndex, index: *start}, nil
	}
	out := slice{start: start, step: 1}
	p.blank()
	if out.end, err = p.optionalInt(); err != nil {
		return selector{}, err
	}
	mark = p.at
	p.blank()
	if !p.accept(":") {
		p.at = mark
		return selector{kind: bySlice, slice: out}, nil
	}
	p.blank()
	step, err := p.optionalInt()
	if err != nil {
		return selector{}, err
	}
	if step != nil {
		out.step = *step
	}
	return selector{kind: bySlice, slice: out}, nil
}

// optionalInt reads an integer without leading zeros, nil where none stands.
func (p *parser) optionalInt() (*int64, error) {
	start := p.at
	p.accept("-")
	digits := p.at
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.at++
	}
	text := p.text[start:p.at]
	switch {
	case text == "":
		return nil, nil
	case p.at == digits:
		return nil, p.fail("expected a digit after -, found %s", p.here())
	case p.text[digits] == '0' && text != "0":
		p.at = start
		return nil, p.fail("%s is no valid index: no leading zeros, no -0", text)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > maxInt || n < -maxInt {
		p.at = start
		return nil, p.fail("%s is out of range", text)
	}
	return &n, nil
}

// str reads a quoted string with the escapes of RFC 9535 section 2.3.1.1.
func (p *parser) str() (string, error) {
	quote := p.peek()
	opening := p.at
	p.at++
	var b strings.Builder
	for {
		if p.done() {
			p.at = opening
			return "", p.fail("the quote is never closed")
		}
		r, n := utf8.DecodeRuneInString(p.text[p.at:])
		switch {
		case r == utf8.RuneError && n == 1:
			return "", p.fail("the query is not valid UTF-8")
		case byte(r) == quote && n == 1:
			p.at++
			return b.String(), nil
		case r < 0x20:
			return "", p.fail("control characters must be escaped")
		case r == '\\':
			p.at++
			if err := p.escape(&b, quote); err != nil {
				return "", err
			}
		default:
			b.WriteRune(r)
			p.at += n
		}
	}
}

// escapes are the escapes of one character.
var escapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', '/': '/', '\\': '\\'}

// escape reads what follows a backslash. Surrogates come in pairs.
func (p *parser) escape(b *strings.Builder, quote byte) error {
	c := p.peek()
	if plain, ok := escapes[c]; ok || c == quote {
		if c == quote {
			plain = quote
		}
		b.WriteByte(plain)
		p.at++
		return nil
	}
	if c != 'u' {
		return p.fail("unknown escape \\%s", strings.Trim(p.here(), "'"))
	}
	p.at++
	first, err := p.hex4()
	if err != nil {
		return err
	}
	if !utf16.IsSurrogate(first) {
		b.WriteRune(first)
		return nil
	}
	if !p.accept(`\u`) {
		return p.fail("half of a surrogate pair")
	}
	second, err := p.hex4()
	if err != nil {
		return err
	}
	r := utf16.DecodeRune(first, second)
	if r == utf8.RuneError {
		return p.fail("half of a surrogate pair")
	}
	b.WriteRune(r)
	return nil
}

// hex4 reads four hexadecimal digits.
func (p *parser) hex4() (rune, error) {
	if p.at+4 > len(p.text) {
		return 0, p.fail("\\u needs four hexadecimal digits")
	}
	n, err := strconv.ParseUint(p.text[p.at:p.at+4], 16, 16)
	if err != nil {
		return 0, p.fail("\\u needs four hexadecimal digits")
	}
	p.at += 4
	return rune(n), nil
}
