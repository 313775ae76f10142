package jsonscan

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Decoder decodes one JSON value whose syntax was checked already. Numbers become json.Number.
type Decoder struct {
	Raw  []byte
	at   int
	flaw string // the first one found
	Room *int   // values that may still be decoded, what is beyond them is left out; nil: any number
}

// Decode decodes raw, which is valid JSON nested at most maxLevels deep, and says what is wrong with it
// beyond syntax. Of more values than most, if that is not 0, the first ones are decoded.
func Decode(raw []byte, most int) (v any, flaw string) {
	r := &Decoder{Raw: raw}
	if most > 0 {
		room := most
		r.Room = &room
	}
	v = r.Value()
	if r.full() {
		return v, fmt.Sprintf("it has more than %d values", most)
	}
	return v, r.flaw
}

// charge takes one value off the room before it is made. It is false when there is no room for it.
func (r *Decoder) charge() (fits bool) {
	if r.Room == nil {
		return true
	}
	if *r.Room >= 0 {
		*r.Room--
	}
	return *r.Room >= 0
}

// full says that no room is left.
func (r *Decoder) full() bool { return r.Room != nil && *r.Room < 0 }

// wrong notes the first flaw. The decoding goes on.
func (r *Decoder) wrong(format string, args ...any) {
	if r.flaw == "" {
		r.flaw = fmt.Sprintf(format, args...)
	}
}

// next gives the first byte of the next token.
func (r *Decoder) next() byte {
	for r.at < len(r.Raw) {
		switch c := r.Raw[r.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.at++
		default:
			return c
		}
	}
	return 0
}

// Value decodes the next value.
func (r *Decoder) Value() any {
	switch c := r.next(); c {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return r.text()
	case 't':
		r.at += len("true")
		return true
	case 'f':
		r.at += len("false")
		return false
	case 'n':
		r.at += len("null")
		return nil
	}
	return r.number()
}

// object decodes an object. Of two members of one name the last stays, and that is a flaw.
func (r *Decoder) object() any {
	r.at++
	out := map[string]any{}
	for {
		switch r.next() {
		case '}', 0:
			r.at++
			return out
		}
		if !r.charge() {
			return out
		}
		name := r.text()
		if _, twice := out[name]; twice {
			r.wrong("the member %.64q is there twice", name)
		}
		out[name] = r.Value()
	}
}

// array decodes an array.
func (r *Decoder) array() any {
	r.at++
	out := []any{}
	for {
		switch r.next() {
		case ']', 0:
			r.at++
			return out
		}
		if !r.charge() {
			return out
		}
		out = append(out, r.Value())
	}
}

// number takes a number as it is written, so that no digit is lost.
func (r *Decoder) number() any {
	from := r.at
	whole := true
	for r.at < len(r.Raw) {
		c := r.Raw[r.at]
		if (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		whole = whole && (c == '-' || c >= '0' && c <= '9')
		r.at++
	}
	text := string(r.Raw[from:r.at])
	if !whole {
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			r.wrong("the number %.40s is out of range", text)
		}
	}
	return json.Number(text)
}

// text reads a string. What is no Unicode becomes the replacement character, and a flaw.
func (r *Decoder) text() string {
	r.at++
	from := r.at
	for r.at < len(r.Raw) {
		switch c := r.Raw[r.at]; {
		case c == '"':
			out := string(r.Raw[from:r.at])
			r.at++
			if !utf8.ValidString(out) {
				r.wrong("a text is not valid UTF-8")
				return string([]rune(out))
			}
			return out
		case c == '\\':
			return r.escaped(from)
		}
		r.at++
	}
	return ""
}

// escaped reads the rest of a string that has escapes.
func (r *Decoder) escaped(from int) string {
	out := append([]byte(nil), r.Raw[from:r.at]...)
	for r.at < len(r.Raw) {
		c := r.Raw[r.at]
		r.at++
		switch c {
		case '"':
			return r.checked(out)
		case '\\':
			out = r.escape(out)
		default:
			out = append(out, c)
		}
	}
	return r.checked(out)
}

// checked is the text that was decoded. What is no UTF-8 is replaced, and that is a flaw.
func (r *Decoder) checked(out []byte) string {
	s := string(out)
	switch {
	case s == tooDeep:
		r.wrong("it is nested more than %d deep", maxLevels)
		return ""
	case !utf8.ValidString(s):
		r.wrong("a text is not valid UTF-8")
		return string([]rune(s))
	}
	return s
}

// plainEscapes are the escapes of one character that represent another character.
var plainEscapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape decodes what follows a backslash. Half a surrogate pair and NUL are flaws.
func (r *Decoder) escape(out []byte) []byte {
	c := r.Raw[r.at]
	r.at++
	if c != 'u' {
		if p, ok := plainEscapes[c]; ok {
			c = p
		}
		return append(out, c)
	}
	code := r.hex()
	if utf16.IsSurrogate(code) {
		second := rune(-1)
		if r.at+6 <= len(r.Raw) && r.Raw[r.at] == '\\' && r.Raw[r.at+1] == 'u' {
			at := r.at
			r.at += 2
			if second = utf16.DecodeRune(code, r.hex()); second == utf8.RuneError {
				r.at = at
			}
		}
		if second < 0 || second == utf8.RuneError {
			r.wrong("a text has half of a surrogate pair")
			second = utf8.RuneError
		}
		code = second
	}
	if code == 0 && string(r.Raw[min(r.at, len(r.Raw)):min(r.at+len(tooDeep)-1, len(r.Raw))]) != tooDeep[1:] {
		r.wrong("a text has a NUL character")
	}
	return utf8.AppendRune(out, code)
}

// hex reads four hexadecimal digits.
func (r *Decoder) hex() rune {
	n, _ := strconv.ParseUint(string(r.Raw[r.at:min(r.at+4, len(r.Raw))]), 16, 32) // the decoder has checked the digits
	r.at += 4
	return rune(n)
}
