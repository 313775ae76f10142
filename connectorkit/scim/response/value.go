package response

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Value is one JSON value as it came.
type Value struct {
	Text  []byte // until the next one is read
	large bool   // text was cut off at the bound
	depth int

	values  int // objects, arrays and their elements
	objects int // objects and arrays
}

// scan finds the end of a value.
type scan struct {
	Value
	// limit is how many bytes of the value are kept; the rest is read and thrown away.
	limit int
	// open is how many brackets and braces are open. A value ends with the one that closes the
	// first.
	open    int
	quoted  bool // inside a string
	escaped bool // after a backslash
	bare    bool // a number, true, false or null
	began   bool
	done    bool
}

// take looks at what came and says how much of it belongs to the value.
func (s *scan) take(chunk []byte) (n int) {
	defer func() { s.keep(chunk[:n]) }()
	for i, b := range chunk {
		switch {
		case s.quoted:
			s.inString(b)
		case s.bare:
			if strings.IndexByte(",]} \t\r\n", b) >= 0 {
				s.done = true
				return i
			}
		default:
			s.outside(b)
		}
		if s.done {
			return i + 1
		}
	}
	return len(chunk)
}

// inString takes a byte inside a text. Only a quotation mark that no backslash precedes ends it;
// the bytes of other characters need no attention, since UTF-8 has no byte below 0x80 in them.
func (s *scan) inString(b byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case b == '\\':
		s.escaped = true
	case b == '"':
		s.quoted = false
		s.done = s.open == 0
	}
}

// outside takes a byte outside of texts. It counts values, objects and depth, by which a value that
// is too large to be unpacked is recognized before it is unpacked. It does not check the syntax:
// json.Unmarshal does.
func (s *scan) outside(b byte) {
	switch b {
	case '"':
		s.quoted = true
	case ',':
		s.values++
	case '{', '[':
		s.open++
		s.values++
		s.objects++
		s.depth = max(s.depth, s.open)
	case '}', ']':
		s.open--
		s.done = s.open == 0
	default:
		s.bare = !s.began
	}
	s.began = true
}

// keep adds bytes of the value up to the limit. The value is marked as too large when they are
// more.
func (s *scan) keep(part []byte) {
	if room := s.limit - len(s.Text); len(part) > room {
		part, s.large = part[:max(room, 0)], true
	}
	s.Text = append(s.Text, part...)
}

// Problem returns why a value cannot be used; empty if it can.
func (v Value) Problem(limit int) string {
	switch {
	case v.large:
		return fmt.Sprintf("is larger than %d KiB", limit>>10)
	case v.depth > maxDepth:
		return fmt.Sprintf("is nested more than %d levels deep", maxDepth)
	case v.values > maxResourceValues:
		return fmt.Sprintf("has more than %d values", maxResourceValues)
	case !utf8.Valid(v.Text):
		return "is no UTF-8 text"
	}
	return ""
}

// Decode gives the value, with numbers kept as json.Number.
func (v Value) Decode() (out any, err error) {
	dec := json.NewDecoder(bytes.NewReader(v.Text))
	dec.UseNumber()
	return out, dec.Decode(&out)
}
