package response

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonscan"
	"github.com/grantwright/grantwright/connectorkit/target"
)

// Reader reads JSON value by value without decoding it, so that one bad value does not spoil the answer around it: a
// resource that is too deep, too large or no text can be left out, where a decoder would give up the whole page.
type Reader struct {
	in   *bufio.Reader
	text []byte // of the value read last; used again for the next

	values, objects int // kept so far
}

// Charge counts a value against the bounds of the answer before it is decoded and kept.
func (r *Reader) Charge(v Value) error {
	r.values += 1 + v.values
	r.objects += v.objects
	switch {
	case r.values > maxAnswerValues:
		return &jsonscan.Error{What: "values", Limit: maxAnswerValues}
	case r.objects > maxAnswerObjects:
		return &jsonscan.Error{What: "objects and arrays", Limit: maxAnswerObjects}
	}
	return nil
}

// NewReader begins to read an answer that claims to be JSON.
func NewReader(resp *target.Response) (*Reader, error) {
	in := bufio.NewReaderSize(resp.Body, 64<<10)
	resp.Body = in // JSON looks at the first byte through the same buffer, and leaves it there
	if _, err := resp.JSON(); err != nil {
		return nil, err
	}
	return &Reader{in: in}, nil
}

// syntaxError is JSON that cannot be followed any further.
type syntaxError struct{ what string }

// Error says what came instead.
func (e *syntaxError) Error() string { return "the JSON is broken: " + e.what }

// unexpectedByte is the error for a byte that JSON does not allow where it stands.
func unexpectedByte(b byte) error { return &syntaxError{fmt.Sprintf("unexpected %q", rune(b))} }

// Peek gives the first byte of the next value or sign, and leaves it there.
func (r *Reader) Peek() (byte, error) {
	for {
		b, err := r.in.ReadByte()
		if err != nil {
			return 0, unexpectedEOF(err)
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, r.in.UnreadByte()
		}
	}
}

// unexpectedEOF turns the end of the input into what it is in the middle of a document.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// punctuation reads the sign that must come next.
func (r *Reader) punctuation(want byte) error {
	got, err := r.Peek()
	if err != nil {
		return err
	}
	if got != want {
		return unexpectedByte(got)
	}
	_, err = r.in.Discard(1)
	return err
}

// Next reads one value and keeps at most limit bytes of it.
func (r *Reader) Next(limit int) (Value, error) {
	first, err := r.Peek()
	if err != nil {
		return Value{}, err
	}
	s := scan{Value: Value{Text: r.text[:0]}, limit: limit}
	defer func() { r.text = s.Text }()
	if strings.IndexByte(`{["-0123456789tfn`, first) < 0 {
		return Value{}, unexpectedByte(first)
	}
	for !s.done {
		if _, err := r.in.Peek(1); err != nil {
			if errors.Is(err, io.EOF) && s.bare {
				break // a bare number may end with the document
			}
			return s.Value, unexpectedEOF(err)
		}
		chunk, _ := r.in.Peek(r.in.Buffered())
		n := s.take(chunk)
		if _, err := r.in.Discard(n); err != nil {
			return s.Value, err
		}
	}
	return s.Value, nil
}

// Object reads one value and, if it is an object, calls each for its members; each reads exactly one value. Another
// value is passed over.
func (r *Reader) Object(each func(name string) error) error {
	first, err := r.Peek()
	if err != nil {
		return err
	}
	if first != '{' {
		_, err := r.Next(0)
		return err
	}
	return r.list('{', '}', func() error {
		key, err := r.Next(MaxValue)
		if err != nil {
			return err
		}
		var name string
		if err := json.Unmarshal(key.Text, &name); err != nil {
			return &syntaxError{"a member of an object has no name"}
		}
		if err := r.punctuation(':'); err != nil {
			return err
		}
		return each(name)
	})
}

// Array reads one value and, if it is an array, calls each at each of its elements; each reads exactly one value. ok is
// false for another value, which is passed over.
func (r *Reader) Array(each func() error) (ok bool, err error) {
	first, err := r.Peek()
	if err != nil {
		return false, err
	}
	if first != '[' {
		_, err := r.Next(0)
		return false, err
	}
	return true, r.list('[', ']', each)
}

// list reads what stands between two brackets, separated by commas.
func (r *Reader) list(open, end byte, each func() error) error {
	if err := r.punctuation(open); err != nil {
		return err
	}
	b, err := r.Peek()
	if err != nil {
		return err
	}
	for b != end {
		if err := each(); err != nil {
			return err
		}
		if b, err = r.Peek(); err != nil {
			return err
		}
		if b == ',' {
			if err := r.punctuation(','); err != nil {
				return err
			}
			b = 0 // a value must follow
		} else if b != end {
			return unexpectedByte(b)
		}
	}
	return r.punctuation(end)
}
