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
	limit   int
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
