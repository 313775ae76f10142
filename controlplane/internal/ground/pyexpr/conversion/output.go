package conversion

import (
	"encoding/json"
	"math"
	"math/big"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/library"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// outputter turns a value into what JSON knows.
type outputter struct {
	t    *object.Thread
	size int
}

// ToJSON turns the result of an expression into what encoding/json writes: nil, a bool, an int64, a json.Number for
// an integer beyond that, a float64, a string, a []any or a map[string]any. Tuples, sets and iterators become lists,
// dates and times texts of ISO 8601. A value that JSON has nothing for raises a TypeError or a ValueError, and more
// than object.MaxOutput bytes exceed OutputLimit.
func ToJSON(t *object.Thread, v object.Value) any {
	o := &outputter{t: t}
	switch v := v.(type) {
	case nil, bool, int64:
		return v
	case string:
		o.charge(len(v))
		return v
	}
	return o.value(v)
}

// OutputLimit is the code of a result that is too large.
const OutputLimit = "output_limit"

func (o *outputter) charge(n int) {
	if o.size += n; o.size > object.MaxOutput {
		panic(&object.Exceeded{Code: OutputLimit, Msg: "the result is larger than 64 KiB"})
	}
}

func (o *outputter) value(v object.Value) any {
	o.t.Steps(1)
	o.t.Enter()
	defer o.t.Leave()
	o.charge(4)
	switch v := v.(type) {
	case nil, bool, int64:
		return v
	case *big.Int:
		s := o.t.Decimal(v)
		o.charge(len(s))
		return json.Number(s)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			o.t.ValueError("the result is %s, which JSON has no number for", object.FloatRepr(v))
		}
		return v
	case string:
		o.charge(len(v))
		return v
	case *object.Dict:
		return o.dict(v)
	case *library.Type, *library.Module, library.Callable, object.Bytes:
		o.t.TypeError("the result is of type %s, which is not a value of a field; %s", object.TypeName(v), remedy(v))
	case *object.List, *object.Tuple, *object.Set, *object.Range, *object.Iter, object.Iterable:
		return o.list(v)
	case object.Writer:
		return o.text(v)
	}
	o.t.TypeError("the result is of type %s, which is not a value of a field", object.TypeName(v))
	return nil
}

func remedy(v object.Value) string {
	switch v.(type) {
	case object.Bytes:
		return "write .decode() or .hex() after it"
	case *library.Type, *library.Module:
	case library.Callable:
		return "call it, with () after it"
	}
	return "a str, a number, a bool, None, a list or a dict is one"
}

// text is the result of a date or a time in the words of ISO 8601.
func (o *outputter) text(v object.Value) any {
	if m := library.Method(v, "isoformat"); m != nil {
		s := m.Invoke(o.t, []object.Value{v}, nil).(string)
		o.charge(len(s))
		return s
	}
	s := o.t.Str(v)
	o.charge(len(s))
	return s
}

func (o *outputter) list(v object.Value) any {
	if s, ok := v.(*object.Set); ok {
		return o.set(s)
	}
	out := []any{}
	next := o.t.Iterate(v)
	for x, ok := next(); ok; x, ok = next() {
		out = append(out, o.value(x))
	}
	return out
}

func (o *outputter) set(s *object.Set) any {
	out := []any{}
	for x := range s.All {
		out = append(out, o.value(x))
	}
	return out
}

func (o *outputter) dict(d *object.Dict) any {
	out := make(map[string]any, d.Len())
	for k, v := range d.All {
		name, ok := k.(string)
		if !ok {
			if !object.IsInt(k) {
				o.t.TypeError("a dict that is a result has keys of type str, not %s", object.TypeName(k))
			}
			name = o.t.Str(k)
		}
		o.charge(len(name))
		out[name] = o.value(v)
	}
	return out
}
