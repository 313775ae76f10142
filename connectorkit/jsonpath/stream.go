package jsonpath

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/grantwright/grantwright/connectorkit/jsonpath/internal/budget"
	"github.com/grantwright/grantwright/connectorkit/jsonscan"
)

// Limits bound what a Plan holds in memory. Zero means no bound.
type Limits struct {
	Record   int64 // bytes of one record, and of one picked value
	Document int64 // bytes of a document that must be held whole
	Aside    int64 // bytes of a record above which it is yielded as a Flaw
	Values   int   // objects, lists and their elements in one record, above which it is yielded as a Flaw
	Whole    int   // the same of a document that must be held whole, or of a value picked from one
}

// TooLargeError says that a part of the document is larger than the Limits allow.
type TooLargeError struct {
	What   string // record, document
	Limit  int64
	Values bool // the limit is one of values, not of bytes
}

// Error names the limit.
func (e *TooLargeError) Error() string {
	if e.Values {
		return fmt.Sprintf("the %s has more than %d values", e.What, e.Limit)
	}
	return fmt.Sprintf("the %s is larger than %d bytes", e.What, e.Limit)
}

// ErrTrailing says that something follows the end of the document.
var ErrTrailing = errors.New("there is more data after the end of the JSON document")

// Result is what Run came across besides the records.
type Result struct {
	Found   bool    // the place of the records exists, be it empty
	Records int     // records yielded
	Picks   [][]any // what each pick selected, in the order given to NewPlan
}

// Run reads one document from r and yields its records in document order, a *Flaw in the place of one that
// cannot be passed on. Numbers are decoded as json.Number. It ends with yield's error, with the reader's, or
// with one of the document: a *json.SyntaxError, io.ErrUnexpectedEOF where the document breaks off, io.EOF
// where there is none at all, *TooLargeError, *BudgetError or ErrTrailing.
func (pl *Plan) Run(b *budget.Budget, r io.Reader, limits Limits, yield func(record any) error) (Result, error) {
	run := &reading{b: b, plan: pl, yield: yield, limits: limits, in: &metered{b: b, from: &jsonscan.Shallow{From: r}}}
	run.out.Picks = make([][]any, len(pl.picks))
	run.dec = json.NewDecoder(run.in)
	run.dec.UseNumber()
	var err error
	if pl.streams {
		err = run.walk(pl.root)
		run.pickLast()
	} else {
		err = run.whole()
	}
	switch {
	case b.Err() != nil && err == nil:
		return run.out, b.Err()
	case err != nil:
		return run.out, err
	}
	return run.out, run.end()
}

// reading is one document on its way through a plan.
type reading struct {
	b      *budget.Budget
	plan   *Plan
	yield  func(any) error
	limits Limits
	in     *metered
	dec    *json.Decoder
	raw    json.RawMessage // of the record read last
	out    Result
	last   any  // the element read last ...
	any    bool // ... if there was one
}

// metered lets a reader give so many bytes and no more until it is topped up again.
type metered struct {
	b     *budget.Budget
	from  *jsonscan.Shallow
	what  string
	limit int64
	left  int64
	most  int // values that may come; 0: any number
}

// values bounds how many values may come from now on, before they are decoded.
func (m *metered) values(most int) {
	if most > 0 {
		m.most = m.from.At.Values + most
	}
}

// allow lets limit bytes through, counted from now; what is the name of the bound in errors. No
// limit is zero.
func (m *metered) allow(what string, limit int64) { m.what, m.limit, m.left = what, limit, limit }

// Read implements io.Reader. It ends with a TooLargeError when more comes than was allowed.
func (m *metered) Read(b []byte) (int, error) {
	switch {
	case m.limit <= 0:
		m.left = math.MaxInt64
	case m.left <= 0:
		return 0, &TooLargeError{What: m.what, Limit: m.limit}
	}
	if int64(len(b)) > m.left {
		b = b[:m.left]
	}
	n, err := m.from.Read(b)
	m.left -= int64(n)
	m.b.Earn(int64(n))
	if m.most > 0 && m.from.At.Values > m.most {
		return 0, &TooLargeError{What: m.what, Limit: int64(m.most), Values: true}
	}
	return n, err
}

// token reads the next token, within the bound of a record.
func (r *reading) token() (json.Token, error) {
	r.in.allow("record", r.limits.Record)
	t, err := r.dec.Token()
	return t, r.broken(err)
}

// value decodes what is picked from the document, or a member of what is held whole.
func (r *reading) value(what string, room *int) (any, error) {
	if err := r.broken(r.dec.Decode(&r.raw)); err != nil {
		return nil, err
	}
	in := &jsonscan.Decoder{Raw: r.raw, Room: room}
	v := in.Value()
	if cap(r.raw) > maxKept {
		r.raw = nil
	}
	if room != nil && *room < 0 {
		return nil, &TooLargeError{What: what, Limit: int64(r.limits.Whole), Values: true}
	}
	return v, nil
}

// room is how many values may still be held of a document; nil: any number.
func (r *reading) room() *int {
	if r.limits.Whole <= 0 {
		return nil
	}
	room := r.limits.Whole
	return &room
}

// broken turns the end of the input inside a document into what it is.
func (r *reading) broken(err error) error {
	if errors.Is(err, io.EOF) && r.dec.InputOffset() > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// end makes sure that the document ended where its value did.
func (r *reading) end() error {
	switch _, err := r.dec.Token(); {
	case err == io.EOF:
		return nil
	case err == nil, errors.As(err, new(*json.SyntaxError)):
		return ErrTrailing
	default:
		return err
	}
}

// walk reads the value that comes next, going only where a query leads.
func (r *reading) walk(at *node) error {
	switch {
	case at == nil:
		return r.skip()
	case at.records:
		return r.records()
	case len(at.captures) > 0:
		r.in.allow("record", r.limits.Record)
		v, err := r.value("value", r.room())
		if err != nil {
			return err
		}
		r.capture(at, v)
		return nil
	}
	t, err := r.token()
	if err != nil {
		return err
	}
	return r.inside(t, func(name string, index int64) *node {
		if t == json.Delim('{') {
			return at.names[name]
		}
		return at.indexes[index]
	})
}

// inside reads the rest of an object or array whose opening was t, each part with the node that child names.
func (r *reading) inside(t json.Token, child func(name string, index int64) *node) error {
	open, ok := t.(json.Delim)
	if !ok {
		return nil
	}
	for i := int64(0); r.more(); i++ {
		name := ""
		if open == '{' {
			key, err := r.token()
			if err != nil {
				return err
			}
			name, _ = key.(string)
		}
		if err := r.walk(child(name, i)); err != nil {
			return err
		}
	}
	_, err := r.token()
	return err
}

// more says whether the array or object goes on.
func (r *reading) more() bool {
	r.in.allow("record", r.limits.Record)
	return r.dec.More()
}

// skip passes over a value without keeping it.
func (r *reading) skip() error {
	depth := 0
	for {
		t, err := r.token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// capture takes the picks at a place whose value is read already, and at those below.
func (r *reading) capture(at *node, v any) {
	for _, c := range at.captures {
		r.out.Picks[c.pick] = run(r.b, c.rest, v, v)
	}
	if object, ok := v.(map[string]any); ok {
		for name, below := range at.names {
			if child, ok := object[name]; ok {
				r.capture(below, child)
			}
		}
	}
	if array, ok := v.([]any); ok {
		for i, below := range at.indexes {
			if i < int64(len(array)) {
				r.capture(below, array[i])
			}
		}
	}
}

// records reads the place where the records stand.
func (r *reading) records() error {
	t, err := r.token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return r.notArray(t)
	}
	r.out.Found = true
	for i := int64(0); r.more(); i++ {
		v, err := r.record()
		if err != nil {
			return err
		}
		// Only an array has a last element: the members of an object have no order and no index.
		r.last, r.any = sound(v), true
		if err := r.element(i, v); err != nil {
			return err
		}
	}
	_, err = r.token()
	return err
}

// element yields what is selected from the element with index i.
func (r *reading) element(i int64, v any) error {
	if _, flawed := v.(*Flaw); flawed {
		return r.give(v)
	}
	if each := r.plan.each; each != nil {
		switch {
		case each.kind == bySlice && !each.slice.contains(i):
			return nil
		case each.kind == byFilter && !each.filter.holds(r.b, v, v):
			return r.b.Err()
		}
	}
	if len(r.plan.rest) == 0 {
		return r.give(v)
	}
	found := run(r.b, r.plan.rest, v, v)
	if r.b.Err() != nil {
		return r.b.Err()
	}
	return r.giveAll(found)
}

// notArray reads an object or a plain value, which began with t, where an array was to be.
func (r *reading) notArray(t json.Token) error {
	each := r.plan.each
	if t != json.Delim('{') {
		// A null in the place of the records says that there are none.
		r.out.Found = t == nil || each == nil
		if t == nil || each != nil {
			return nil
		}
		return r.give(t)
	}
	if each != nil && each.kind != bySlice && len(r.plan.inner) == 0 {
		return r.members()
	}
	object, err := r.object()
	if err != nil {
		return err
	}
	place := len(lead(r.plan.records.segments))
	for _, i := range r.plan.inner {
		r.out.Picks[i] = run(r.b, r.plan.picks[i].segments[place:], object, object)
	}
	switch {
	case each == nil:
		r.out.Found = true
		return r.give(object)
	case each.kind == bySlice:
		return nil
	}
	r.out.Found = true
	for i, child := range children(r.b, object) {
		if err := r.element(int64(i), child); err != nil {
			return err
		}
	}
	return nil
}

// object reads the rest of an object whose opening brace is read.
func (r *reading) object() (any, error) {
	r.in.allow("document", r.limits.Document)
	out, room := map[string]any{}, r.room()
	for r.dec.More() {
		name, err := r.dec.Token()
		if err != nil {
			return nil, r.broken(err)
		}
		v, err := r.value("document", room)
		if err != nil {
			return nil, err
		}
		key, _ := name.(string)
		out[key] = v
	}
	_, err := r.dec.Token()
	return out, r.broken(err)
}

// members yields the members of an object as records, as a wildcard over an object does.
func (r *reading) members() error {
	r.out.Found = true
	for r.more() {
		if _, err := r.token(); err != nil {
			return err
		}
		v, err := r.record()
		if err != nil {
			return err
		}
		if err := r.element(0, v); err != nil {
			return err
		}
	}
	_, err := r.token()
	return err
}

// give yields a record.
func (r *reading) give(v any) error {
	r.out.Records++
	return r.yield(v)
}

// giveAll yields what a query selected, an array that a name or index led to element by element.
func (r *reading) giveAll(found []any) error {
	segments := r.plan.records.segments
	spread := len(segments) == 0
	if !spread {
		s := segments[len(segments)-1]
		spread = len(s.selectors) == 1 && s.selectors[0].kind <= byIndex
	}
	for _, v := range found {
		array, ok := v.([]any)
		switch {
		case spread && v == nil:
			continue // a null in the place of a list says that there are none
		case !ok || !spread:
			array = []any{v}
		}
		for _, e := range array {
			if err := r.give(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// pickLast takes the picks from the last record.
func (r *reading) pickLast() {
	if !r.any {
		return
	}
	for _, p := range r.plan.last {
		r.out.Picks[p.pick] = run(r.b, p.rest, r.last, r.last)
	}
}

// whole decodes the document and selects in it.
func (r *reading) whole() error {
	r.in.allow("document", r.limits.Document)
	r.in.values(r.limits.Whole)
	doc, err := r.value("document", r.room())
	if err != nil {
		return err
	}
	for i, p := range r.plan.picks {
		r.out.Picks[i] = p.Select(r.b, doc)
	}
	segments := r.plan.records.segments
	found := run(r.b, segments, doc, doc)
	if r.b.Err() != nil {
		return r.b.Err()
	}
	r.out.Found = len(found) > 0 || len(run(r.b, segments[:len(lead(segments))], doc, doc)) > 0
	return r.giveAll(found)
}
