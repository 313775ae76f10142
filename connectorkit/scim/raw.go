package scim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/connectorkit/jsonscan"
	"github.com/grantwright/grantwright/connectorkit/target"
)

// Bounds of one value of an answer. What is beyond them is passed over; the rest of the answer is read all the same.
const (
	maxResource = 4 << 20   // bytes of a resource; of a group, without its members
	maxValue    = 256 << 10 // bytes of one attribute of a group
	maxMember   = 64 << 10  // bytes of one entry of members
	maxDepth    = 100       // objects and arrays inside each other

	// A value of two bytes of JSON takes a hundred bytes of memory and more, so these are counted beside the bytes.
	maxResourceValues = 60_000  // objects, arrays and their elements in a resource
	maxAnswerValues   = 2000000 // the same in all that is kept of one answer
	maxAnswerObjects  = 400_000 // objects and arrays in all that is kept of one answer
	maxResources      = 100_000 // in one answer
	// resources of one answer that have no usable id, beyond which it is the target that is broken
	maxUnfit = 1000
)

// raw reads JSON value by value without decoding it, so that one bad value does not spoil the answer around it: a
// resource that is too deep, too large or no text can be left out, where a decoder would give up the whole page.
type raw struct {
	in   *bufio.Reader
	text []byte // of the value read last; used again for the next

	values, objects int // kept so far
}

// keep charges a value that is to be kept, before it is decoded.
func (r *raw) keep(v value) error {
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

// rawOf begins to read an answer that claims to be JSON.
func rawOf(resp *target.Response) (*raw, error) {
	in := bufio.NewReaderSize(resp.Body, 64<<10)
	resp.Body = in // JSON looks at the first byte through the same buffer, and leaves it there
	if _, err := resp.JSON(); err != nil {
		return nil, err
	}
	return &raw{in: in}, nil
}

// syntaxError is JSON that cannot be followed any further.
type syntaxError struct{ what string }

// Error says what came instead.
func (e *syntaxError) Error() string { return "the JSON is broken: " + e.what }

func unexpected(b byte) error { return &syntaxError{fmt.Sprintf("unexpected %q", rune(b))} }

// peek gives the first byte of the next value or sign, and leaves it there.
func (r *raw) peek() (byte, error) {
	for {
		b, err := r.in.ReadByte()
		if err != nil {
			return 0, inside(err)
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, r.in.UnreadByte()
		}
	}
}

// inside turns the end of the input into what it is in the middle of a document.
func inside(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// sign reads the sign that must come next.
func (r *raw) sign(want byte) error {
	got, err := r.peek()
	if err != nil {
		return err
	}
	if got != want {
		return unexpected(got)
	}
	_, err = r.in.Discard(1)
	return err
}

// value is one JSON value as it came.
type value struct {
	text  []byte // until the next one is read
	large bool   // text was cut off at the bound
	depth int

	values  int // objects, arrays and their elements
	objects int // objects and arrays
}

// next reads one value and keeps at most limit bytes of it.
func (r *raw) next(limit int) (value, error) {
	first, err := r.peek()
	if err != nil {
		return value{}, err
	}
	s := scan{value: value{text: r.text[:0]}, limit: limit}
	defer func() { r.text = s.text }()
	if strings.IndexByte(`{["-0123456789tfn`, first) < 0 {
		return value{}, unexpected(first)
	}
	for !s.done {
		if _, err := r.in.Peek(1); err != nil {
			if errors.Is(err, io.EOF) && s.bare {
				break // a bare number may end with the document
			}
			return s.value, inside(err)
		}
		chunk, _ := r.in.Peek(r.in.Buffered())
		n := s.take(chunk)
		if _, err := r.in.Discard(n); err != nil {
			return s.value, err
		}
	}
	return s.value, nil
}

// scan finds the end of a value.
type scan struct {
	value
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
	if room := s.limit - len(s.text); len(part) > room {
		part, s.large = part[:max(room, 0)], true
	}
	s.text = append(s.text, part...)
}

// object reads one value and, if it is an object, calls each for its members; each reads exactly one value. Another
// value is passed over.
func (r *raw) object(each func(name string) error) error {
	first, err := r.peek()
	if err != nil {
		return err
	}
	if first != '{' {
		_, err := r.next(0)
		return err
	}
	return r.list('{', '}', func() error {
		key, err := r.next(maxValue)
		if err != nil {
			return err
		}
		var name string
		if err := json.Unmarshal(key.text, &name); err != nil {
			return &syntaxError{"a member of an object has no name"}
		}
		if err := r.sign(':'); err != nil {
			return err
		}
		return each(name)
	})
}

// array reads one value and, if it is an array, calls each at each of its elements; each reads exactly one value. ok is
// false for another value, which is passed over.
func (r *raw) array(each func() error) (ok bool, err error) {
	first, err := r.peek()
	if err != nil {
		return false, err
	}
	if first != '[' {
		_, err := r.next(0)
		return false, err
	}
	return true, r.list('[', ']', each)
}

// list reads what stands between two brackets, separated by commas.
func (r *raw) list(open, end byte, each func() error) error {
	if err := r.sign(open); err != nil {
		return err
	}
	b, err := r.peek()
	if err != nil {
		return err
	}
	for b != end {
		if err := each(); err != nil {
			return err
		}
		if b, err = r.peek(); err != nil {
			return err
		}
		if b == ',' {
			if err := r.sign(','); err != nil {
				return err
			}
			b = 0 // a value must follow
		} else if b != end {
			return unexpected(b)
		}
	}
	return r.sign(end)
}

// trouble says why a value is not to be used, or nothing.
func (v value) trouble(limit int) string {
	switch {
	case v.large:
		return fmt.Sprintf("is larger than %d KiB", limit>>10)
	case v.depth > maxDepth:
		return fmt.Sprintf("is nested more than %d levels deep", maxDepth)
	case v.values > maxResourceValues:
		return fmt.Sprintf("has more than %d values", maxResourceValues)
	case !utf8.Valid(v.text):
		return "is no UTF-8 text"
	}
	return ""
}

// decode gives the value, with numbers kept as json.Number.
func (v value) decode() (out any, err error) {
	dec := json.NewDecoder(bytes.NewReader(v.text))
	dec.UseNumber()
	return out, dec.Decode(&out)
}

// resource is one element of Resources: a record, or what is known of one that cannot be used.
type resource struct {
	rec record
	bad string // why it cannot be used; empty: it can
	id  string // of one that cannot be used, where it can be made out
}

// resource reads one whole resource.
func (r *raw) resource() (resource, error) {
	v, err := r.next(maxResource)
	if err != nil {
		return resource{}, err
	}
	bad := v.trouble(maxResource)
	if bad == "" {
		if err := r.keep(v); err != nil {
			return resource{}, err
		}
		out, err := v.decode()
		if err == nil {
			rec, _ := out.(map[string]any)
			return resource{rec: rec}, nil
		}
		bad = "is no valid JSON"
	}
	return resource{bad: bad, id: idIn(v.text)}, nil
}

// idIn finds the id in a resource that cannot be used as a whole.
func idIn(text []byte) (id string) {
	r := &raw{in: bufio.NewReader(bytes.NewReader(text))}
	_ = r.object(func(name string) error {
		v, err := r.next(4 << 10)
		if err != nil || !strings.EqualFold(name, "id") || v.trouble(0) != "" {
			return err // whatever came before the trouble counts
		}
		if out, err := v.decode(); err == nil {
			id = textOf(out)
		}
		return nil
	})
	if badID(id) != "" {
		return ""
	}
	return id
}
