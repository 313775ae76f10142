package jsonpath

import (
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/jsonscan"
)

// Flaw is yielded in the place of a record that is JSON but cannot be passed on as it is: two members of one
// name, text that is no Unicode, a NUL, numbers beyond any range, nesting too deep. Record is what a lenient
// reader makes of it.
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
	v, flaw := jsonscan.Decode(r.raw, r.limits.Values)
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
