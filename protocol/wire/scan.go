package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// scanner finds the members of a frame's envelope without decoding what they hold. encoding/json would read a chunk
// three times over to do the same; for a directory of 50,000 people that is seconds.
type scanner struct {
	msg []byte
	pos int
}

// object calls member for every member of the one object that the message is.
func (s *scanner) object(member func(key string, value []byte) error) error {
	if s.space(); s.peek() != '{' {
		return s.wrong("a frame is a JSON object")
	}
	s.pos++
	for first := true; ; first = false {
		s.space()
		if s.peek() == '}' && first {
			break
		}
		if err := s.member(member); err != nil {
			return err
		}
		s.space()
		if s.peek() == '}' {
			break
		}
		if s.peek() != ',' {
			return s.wrong("expected a comma or the end of the object")
		}
		s.pos++
	}
	s.pos++
	if s.space(); s.pos != len(s.msg) {
		return s.wrong("more than one JSON value")
	}
	return nil
}

// member reads one member of an object and gives its name and its raw value on.
func (s *scanner) member(member func(key string, value []byte) error) error {
	start := s.pos
	if err := s.text(); err != nil {
		return err
	}
	var key string
	if err := json.Unmarshal(s.msg[start:s.pos], &key); err != nil {
		return s.wrong("a member's name cannot be read")
	}
	if s.space(); s.peek() != ':' {
		return s.wrong("expected a colon")
	}
	s.pos++
	s.space()
	start = s.pos
	if err := s.value(); err != nil {
		return err
	}
	return member(key, s.msg[start:s.pos])
}

// value moves past one value.
func (s *scanner) value() error {
	switch c := s.peek(); {
	case c == '{' || c == '[':
		return s.nested()
	case c == '"':
		return s.text()
	case isNumber(c):
		return s.number()
	default:
		start := s.pos
		for s.peek() >= 'a' && s.peek() <= 'z' {
			s.pos++
		}
		switch string(s.msg[start:s.pos]) {
		case "true", "false", "null":
			return nil
		}
		return s.wrong("expected a value")
	}
}

// nested moves past an object or array by its brackets alone. Numbers are looked at on the way.
func (s *scanner) nested() error {
	var open [maxDepth]byte
	depth := 0
	for s.pos < len(s.msg) {
		switch c := s.msg[s.pos]; c {
		case '"':
			if err := s.text(); err != nil {
				return err
			}
			continue
		case '{', '[':
			if depth == maxDepth {
				return s.wrong(fmt.Sprintf("nested deeper than %d", maxDepth))
			}
			open[depth] = c + 2 // the closing bracket: '{'+2 is '}', '['+2 is ']'
			depth++
		case '}', ']':
			depth--
			if open[depth] != c {
				return s.wrong("brackets do not match")
			}
			if depth == 0 {
				s.pos++
				return nil
			}
		default:
			if isNumber(c) {
				if err := s.number(); err != nil {
					return err
				}
				continue
			}
		}
		s.pos++
	}
	return s.wrong("it ends in the middle")
}

// text moves past a string.
func (s *scanner) text() error {
	if s.peek() != '"' {
		return s.wrong("expected a string")
	}
	for i := s.pos + 1; i < len(s.msg); i++ {
		switch c := s.msg[i]; {
		case c == '"':
			s.pos = i + 1
			return nil
		case c == '\\':
			i++
		case c < ' ':
			s.pos = i
			return s.wrong("a control character in a string")
		}
	}
	s.pos = len(s.msg)
	return s.wrong("it ends inside a string")
}

// number moves past a number and refuses one that a reader with 64-bit floats would change.
func (s *scanner) number() error {
	start := s.pos
	short := true
	for s.pos < len(s.msg) && isNumeric(s.msg[s.pos]) {
		if c := s.msg[s.pos]; c == 'e' || c == 'E' {
			short = false
		}
		s.pos++
	}
	// 15 digits are always below 2^53.
	if short && s.pos-start <= 15 {
		return nil
	}
	if !exact(string(s.msg[start:s.pos])) {
		return s.wrong("a number beyond 2^53; send it as a string")
	}
	return nil
}

// exact says whether a number can be kept by every JSON reader.
func exact(number string) bool {
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		return -maxExact <= n && n <= maxExact
	}
	f, err := strconv.ParseFloat(number, 64)
	return err == nil && -maxExact < f && f < maxExact
}

// isNumber says whether a number can begin with c.
func isNumber(c byte) bool { return c == '-' || (c >= '0' && c <= '9') }

// isNumeric says whether c can be in a number.
func isNumeric(c byte) bool { return isNumber(c) || c == '+' || c == '.' || c == 'e' || c == 'E' }

// space passes over white space.
func (s *scanner) space() {
	for s.pos < len(s.msg) {
		switch s.msg[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek is the next byte; 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.msg) {
		return s.msg[s.pos]
	}
	return 0
}

// wrong is the error at the present position.
func (s *scanner) wrong(what string) error {
	return fmt.Errorf("%w: %s (at byte %d)", ErrMalformed, what, s.pos)
}
