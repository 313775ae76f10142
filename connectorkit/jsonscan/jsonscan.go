package jsonscan

import (
	"fmt"
	"io"
)

// Scanner follows a document byte by byte.
type Scanner struct {
	Depth  int // of what is open now
	Values int // objects, lists and what follows a comma, so far

	text    bool // inside a string
	escaped bool // behind a backslash in it
}

// Step takes the next byte, and reports whether an object or array begins with it.
func (s *Scanner) Step(c byte) (opens bool) {
	if s.text {
		switch {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.text = false
		}
		return false
	}
	switch c {
	case '"':
		s.text = true
	case '{', '[':
		s.Depth++
		s.Values++
		return true
	case '}', ']':
		s.Depth--
	case ',':
		s.Values++
	}
	return false
}

// Measure counts the values of a document and its deepest nesting.
func Measure(doc []byte) (values, depth int) {
	var s Scanner
	for _, c := range doc {
		if s.Step(c) {
			depth = max(depth, s.Depth)
		}
	}
	return s.Values, depth
}

// Error says that a document has more than its bounds allow.
type Error struct {
	What  string // values, levels
	Limit int
}

// Error names the bound.
func (e *Error) Error() string { return fmt.Sprintf("the JSON has more than %d %s", e.Limit, e.What) }

// Reader passes a document on until it has more values, or more levels, than the bounds allow. What is beyond them
// reaches no decoder.
type Reader struct {
	from          io.Reader
	values, depth int
	at            Scanner
	err           error
}

// NewReader bounds what is read from a document.
func NewReader(from io.Reader, values, depth int) *Reader {
	return &Reader{from: from, values: values, depth: depth}
}

// Read gives the next part of the document. It fails with *Error before it gives a part that is beyond the bounds.
func (r *Reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.from.Read(p)
	for _, c := range p[:n] {
		switch opens := r.at.Step(c); {
		case opens && r.at.Depth > r.depth:
			r.err = &Error{What: "levels", Limit: r.depth}
			return 0, r.err
		case r.at.Values > r.values:
			r.err = &Error{What: "values", Limit: r.values}
			return 0, r.err
		}
	}
	return n, err
}
