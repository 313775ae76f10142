package ldapdn

import (
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"
)

// Normalize gives the form under which two spellings of one distinguished name (RFC 4514) are equal: lower
// case, no spaces around separators, runs of spaces inside values taken as one, escapes written one way, the
// parts of a multi-valued name in order. A text that is no DN is lower-cased and trimmed. Normalize of its
// own result changes nothing.
func Normalize(dn string) string {
	if normalized(dn) {
		return dn
	}
	if out, ok := normalizeFast(dn); ok {
		return out
	}
	if out, ok := normalizeFull(dn); ok {
		return out
	}
	return strings.ToLower(strings.TrimSpace(dn))
}

// normalized reports whether a DN needs no work: the common case on servers that keep names in lower case.
func normalized(dn string) bool {
	prev := byte(',')
	for i := 0; i < len(dn); i++ {
		c := dn[i]
		switch {
		case c >= 'A' && c <= 'Z', c >= utf8.RuneSelf, c == '\\', c == '"', c == '+', c == ';', c == '#', c == '<',
			c == '>', c < ' ':
			return false
		case c == ' ' && (prev == ' ' || prev == ',' || prev == '='), c == ',' && (prev == ' ' || prev == ','):
			return false
		case c == '=' && prev == ' ':
			return false
		}
		prev = c
	}
	return prev != ' ' && prev != ','
}

// normalizeFast handles names without escapes, quotes, multi-valued parts and anything beyond ASCII in one pass.
func normalizeFast(dn string) (string, bool) {
	var stack [256]byte
	out := stack[:0]
	value := false // behind the first '=' of a part
	for i := 0; i < len(dn); i++ {
		c := dn[i]
		switch {
		case c >= utf8.RuneSelf, c == '\\', c == '"', c == '+', c == ';', c == '#', c == '<', c == '>', c < ' ':
			return "", false
		case c >= 'A' && c <= 'Z':
			out = append(out, c+'a'-'A')
		case c == ' ':
			if n := len(out); n > 0 && out[n-1] != ' ' && out[n-1] != ',' && out[n-1] != '=' {
				out = append(out, c)
			}
		case c == '=' && value:
			return "", false
		case c == ',' || c == '=':
			out = trimSpace(out)
			if len(out) == 0 || c == ',' && !value {
				return "", false
			}
			out = append(out, c)
			value = c == '='
		default:
			out = append(out, c)
		}
	}
	out = trimSpace(out)
	if !value {
		return "", false
	}
	return string(out), true
}

// trimSpace cuts spaces off the end.
func trimSpace(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}

// normalizeFull understands all of RFC 4514, and the quoted values and semicolons of RFC 2253 section 4.
func normalizeFull(dn string) (string, bool) {
	p := dnParser{in: dn}
	var parts, avas []string
	for {
		ava, ok := p.attributeValue()
		if !ok {
			return "", false
		}
		avas = append(avas, ava)
		sep, more := p.separator()
		if more && sep == '+' {
			continue
		}
		slices.Sort(avas)
		parts = append(parts, strings.Join(avas, "+"))
		avas = avas[:0]
		if !more {
			return strings.Join(parts, ","), p.at == len(dn)
		}
	}
}

// dnParser reads a DN from left to right; at is the next byte.
type dnParser struct {
	in string
	at int
}

// skipSpaces passes over spaces, which RFC 2253 section 4 allows around separators.
func (p *dnParser) skipSpaces() {
	for p.at < len(p.in) && p.in[p.at] == ' ' {
		p.at++
	}
}

// separator takes the character behind a value.
func (p *dnParser) separator() (byte, bool) {
	p.skipSpaces()
	if p.at >= len(p.in) {
		return 0, false
	}
	c := p.in[p.at]
	if c != ',' && c != ';' && c != '+' {
		return 0, false
	}
	p.at++
	return c, true
}

// attributeValue reads attribute=value and gives its normal form.
func (p *dnParser) attributeValue() (string, bool) {
	eq := strings.IndexByte(p.in[p.at:], '=')
	if eq < 0 {
		return "", false
	}
	name := strings.ToLower(strings.TrimSpace(p.in[p.at : p.at+eq]))
	if name == "" || strings.ContainsAny(name, `,+";\<>`) {
		return "", false
	}
	p.at += eq + 1
	p.skipSpaces()
	quoted := p.at < len(p.in) && p.in[p.at] == '"'
	if quoted {
		p.at++
	}
	if !quoted && p.at < len(p.in) && p.in[p.at] == '#' {
		return name + "=" + strings.ToLower(p.hexValue()), true
	}
	value, ok := p.value(quoted)
	if !ok {
		return "", false
	}
	return name + "=" + escape(Fold(value)), true
}

// hexValue reads a value in BER, such as #04024869, up to the next separator. It is compared as
// written.
func (p *dnParser) hexValue() string {
	from := p.at
	for p.at < len(p.in) && strings.IndexByte(",;+ ", p.in[p.at]) < 0 {
		p.at++
	}
	return p.in[from:p.at]
}

// value reads up to the next separator, or up to the closing quote, with escapes undone.
func (p *dnParser) value(quoted bool) (string, bool) {
	var b []byte
	for p.at < len(p.in) {
		c := p.in[p.at]
		switch {
		case c == '\\':
			var ok bool
			if b, ok = p.escape(b); !ok {
				return "", false
			}
			continue
		case quoted && c == '"':
			p.at++
			return string(b), true
		case !quoted && (c == ',' || c == ';' || c == '+'):
			return string(b), true
		}
		b = append(b, c)
		p.at++
	}
	return string(b), !quoted
}

// escape reads what follows a backslash, two hexadecimal digits or one character, and appends it to
// b. It gives false at the end of the text.
func (p *dnParser) escape(b []byte) ([]byte, bool) {
	if p.at+2 < len(p.in) {
		var x [1]byte
		if _, err := hex.Decode(x[:], []byte(p.in[p.at+1:p.at+3])); err == nil {
			p.at += 3
			return append(b, x[0]), true
		}
	}
	if p.at+1 >= len(p.in) {
		return b, false
	}
	b = append(b, p.in[p.at+1])
	p.at += 2
	return b, true
}

// Fold does what matching with caseIgnoreMatch (RFC 4518) does to case and spaces.
func Fold(s string) string {
	if utf8.ValidString(s) { // ToLower would make all invalid bytes alike
		s = strings.ToLower(s)
	}
	s = strings.Trim(s, " ")
	if !strings.Contains(s, "  ") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' || b[len(b)-1] != ' ' {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// escape writes a value as the normal form does: only what would be read as something else is
// escaped.
func escape(s string) string {
	if s == "" || s[0] != '#' && !strings.ContainsAny(s, ",+\"\\<>;\x00") {
		return s
	}
	b := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == 0:
			b = append(b, `\00`...)
		case strings.IndexByte(",+\"\\<>;", c) >= 0, c == '#' && i == 0:
			b = append(b, '\\', c)
		default:
			b = append(b, c)
		}
	}
	return string(b)
}
