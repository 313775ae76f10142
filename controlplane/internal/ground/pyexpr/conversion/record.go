package conversion

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Record is the source record that transforms read as record. It is converted once for all of them, and used by one
// goroutine at a time.
type Record struct {
	fields map[string]any
	shared object.Value
	single map[string]object.Value // fields that were read one by one
}

// NewRecord makes a record of the fields of a source. Its fields stand in the order of their names.
func NewRecord(fields map[string]any) *Record { return &Record{fields: fields} }

// Dict is the whole record as a dict. Expressions share a frozen one; with own the caller gets a dict of its own,
// which may be changed. A nil Record is an empty dict.
func (r *Record) Dict(own bool) object.Value {
	switch {
	case r == nil:
		return &object.Dict{Frozen: !own}
	case own:
		return ToValue(r.fields, true)
	case r.shared == nil:
		r.shared = ToValue(r.fields, false)
	}
	return r.shared
}

// Field is one field of the record, frozen, converted at the first use. ok is false where the record has no such
// field.
func (r *Record) Field(name string) (object.Value, bool) {
	if r == nil {
		return nil, false
	}
	if d, ok := r.shared.(*object.Dict); ok {
		return d.Lookup(name)
	}
	raw, ok := r.fields[name]
	if !ok {
		return nil, false
	}
	switch v := raw.(type) {
	case nil, bool, int64:
		return v, true
	case string:
		return ToValue(v, false), true
	}
	if v, known := r.single[name]; known {
		return v, true
	}
	if r.single == nil {
		r.single = map[string]object.Value{}
	}
	v := ToValue(raw, false)
	r.single[name] = v
	return v, true
}
