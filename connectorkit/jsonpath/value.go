package jsonpath

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Flaw is yielded in the place of a record that is JSON but cannot be passed on as it is: two members of one name, text that
// is no Unicode, a NUL, numbers beyond any range, nesting too deep. Record is what a lenient reader makes of it.
type Flaw struct {
	Why    string
	Record any
}

// record reads a value that is to be a record.
func (r *reading) record() (any, error) {
	r.in.allow("record", r.limits.Record)
	if err := r.broken(r.dec.Decode(&r.raw)); err != nil {
		return nil, err
	}
	v, flaw := decodeValue(r.raw, r.limits.Values)
	if n := int64(len(r.raw)); r.limits.Aside > 0 && n > r.limits.Aside && flaw == "" {
		flaw = fmt.Sprintf("it is %d bytes long", n)
	}
	if cap(r.raw) > maxKept {
		r.raw = nil
	}
	if flaw != "" {
		return &Flaw{Why: flaw, Record: v}, nil
	}
	return v, nil
}

// maxKept is the size in bytes up to which the buffer of one record serves for the next.
const maxKept = 1 << 20

// sound is a record, or what can be made of a flawed one.
func sound(v any) any {
	if f, ok := v.(*Flaw); ok {
		return f.Record
	}
	return v
}

// valueReader decodes one JSON value whose syntax was checked already. Numbers become json.Number.
type valueReader struct {
	raw  []byte
	at   int
	flaw string // the first one found
	room *int   // values that may still be decoded, what is beyond them is left out; nil: any number
}

// decodeValue decodes raw, which is valid JSON nested at most maxLevels deep, and says what is wrong with it beyond syntax. Of
// more values than most, if that is not 0, the first ones are decoded.
func decodeValue(raw []byte, most int) (v any, flaw string) {
	r := &valueReader{raw: raw}
	if most > 0 {
		room := most
		r.room = &room
	}
	v = r.value()
	if r.full() {
		return v, fmt.Sprintf("it has more than %d values", most)
	}
	return v, r.flaw
}

// charge takes one value off the room before it is made. It is false when there is no room for it.
func (r *valueReader) charge() (fits bool) {
	if r.room == nil {
		return true
	}
	if *r.room >= 0 {
		*r.room--
	}
	return *r.room >= 0
}

func (r *valueReader) full() bool { return r.room != nil && *r.room < 0 }

func (r *valueReader) wrong(format string, args ...any) {
	if r.flaw == "" {
		r.flaw = fmt.Sprintf(format, args...)
	}
}

// next gives the first byte of the next token.
func (r *valueReader) next() byte {
	for r.at < len(r.raw) {
		switch c := r.raw[r.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			r.at++
		default:
			return c
		}
	}
	return 0
}

func (r *valueReader) value() any {
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

func (r *valueReader) object() any {
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
		out[name] = r.value()
	}
}

func (r *valueReader) array() any {
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
		out = append(out, r.value())
	}
}

func (r *valueReader) number() any {
	from := r.at
	whole := true
	for r.at < len(r.raw) {
		c := r.raw[r.at]
		if (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		whole = whole && (c == '-' || c >= '0' && c <= '9')
		r.at++
	}
	text := string(r.raw[from:r.at])
	if !whole {
		if _, err := strconv.ParseFloat(text, 64); err != nil {
			r.wrong("the number %.40s is out of range", text)
		}
	}
	return json.Number(text)
}

// text reads a string. What is no Unicode becomes the replacement character, and a flaw.
func (r *valueReader) text() string {
	r.at++
	from := r.at
	for r.at < len(r.raw) {
		switch c := r.raw[r.at]; {
		case c == '"':
			out := string(r.raw[from:r.at])
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
func (r *valueReader) escaped(from int) string {
	out := append([]byte(nil), r.raw[from:r.at]...)
	for r.at < len(r.raw) {
		c := r.raw[r.at]
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

func (r *valueReader) checked(out []byte) string {
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

var plainEscapes = map[byte]byte{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func (r *valueReader) escape(out []byte) []byte {
	c := r.raw[r.at]
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
		if r.at+6 <= len(r.raw) && r.raw[r.at] == '\\' && r.raw[r.at+1] == 'u' {
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
	if code == 0 && string(r.raw[min(r.at, len(r.raw)):min(r.at+len(tooDeep)-1, len(r.raw))]) != tooDeep[1:] {
		r.wrong("a text has a NUL character")
	}
	return utf8.AppendRune(out, code)
}

func (r *valueReader) hex() rune {
	n, _ := strconv.ParseUint(string(r.raw[r.at:min(r.at+4, len(r.raw))]), 16, 32) // the decoder has checked the digits
	r.at += 4
	return rune(n)
}
