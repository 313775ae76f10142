package jsonscan

import (
	"io"
)

const (
	// maxLevels is how deep a document may be nested; what lies deeper is not read.
	maxLevels = 512

	// tooDeep stands for a value that lies too deep, and tooDeepJSON writes it. No target sends it by chance.
	tooDeep     = "\x00deeper than can be read"
	tooDeepJSON = `"\u0000deeper than can be read"`
)

// Shallow passes a document on with every object and array that lies too deep replaced, so that one such
// record does not cost the whole document: encoding/json gives up at 10 000 levels. It holds no more than a
// buffer.
type Shallow struct {
	From io.Reader
	At   Scanner
	lost bool // inside a value that is too deep
	over []byte
	err  error
}

// Read gives the document.
func (s *Shallow) Read(p []byte) (int, error) {
	if len(s.over) > 0 {
		n := copy(p, s.over)
		s.over = s.over[n:]
		return n, nil
	}
	for s.err == nil {
		n, err := s.From.Read(p)
		s.err = err
		kept := 0
		if s.lost {
			s.rest(p[:n])
		} else {
			kept = s.filter(p[:n])
		}
		if kept > 0 {
			return kept, nil
		}
		if len(s.over) > 0 {
			return s.Read(p)
		}
	}
	return 0, s.err
}

// filter keeps what may be passed on at the beginning of b and says how much that is. What does not fit there
// goes into over.
func (s *Shallow) filter(b []byte) int {
	for i, c := range b {
		if s.At.Step(c) && s.At.Depth > maxLevels {
			return s.cut(b, i)
		}
	}
	return len(b)
}

// cut puts the replacement in the place of what begins at b[i], too deep. It may be longer than what it stands for, so
// everything behind takes the way round.
func (s *Shallow) cut(b []byte, i int) int {
	s.over = append(s.over, tooDeepJSON...)
	s.lost = true
	s.rest(b[i+1:])
	return i
}

// rest filters behind a value that is too deep. It writes to over.
func (s *Shallow) rest(b []byte) {
	for _, c := range b {
		opens := s.At.Step(c)
		switch {
		case s.lost:
			s.lost = s.At.Depth > maxLevels
		case opens && s.At.Depth > maxLevels:
			s.over = append(s.over, tooDeepJSON...)
			s.lost = true
		default:
			s.over = append(s.over, c)
		}
	}
}
