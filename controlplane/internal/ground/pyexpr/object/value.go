package object

// Value is a value of Python.
type Value any

// Bytes is a bytes object.
type Bytes string

// Tuple is a tuple.
type Tuple struct{ Items []Value }

// List is a list. A frozen one belongs to the caller of the expression and is not to be changed.
type List struct {
	Items  []Value
	Frozen bool
}

// Range is a range of integers of 64 bits.
type Range struct{ Start, Stop, Step int64 }

// Iter is an iterator: what zip, map or a generator expression gives.
type Iter struct {
	Type string
	Next func() (Value, bool)
}

type missing struct{}

// Missing stands for an argument that was not given.
var Missing Value = &missing{}

// Object is a value of a kind that this package does not know. Further interfaces describe its abilities.
type Object interface{ TypeName() string }

// Writer is an Object with a text of its own; Repr as well as Str.
type Writer interface {
	Repr(t *Thread) string
	Str(t *Thread) string
}

// Operand is an Object that knows operators. Swapped is true when it stands on the right.
type Operand interface {
	Binary(t *Thread, op string, other Value, swapped bool) (Value, bool)
}

// Comparable is an Object that is equal to others by what it holds. Order is false in ok where the two have none.
type Comparable interface {
	Equal(other Value) bool
	Order(t *Thread, other Value) (cmp int, ok bool)
	Key() any // a comparable Go value, the same for equal objects
}

// Formatter is an Object that reads format specifications in its own way.
type Formatter interface {
	Format(t *Thread, spec string) string
}

// Indexed is an Object that may be subscripted.
type Indexed interface {
	Index(t *Thread, key Value) Value
}

// Truther is an Object that may be false.
type Truther interface{ Truth() bool }

// NewTuple makes a tuple of what it is given.
func NewTuple(items ...Value) *Tuple { return &Tuple{Items: items} }

// TypeName is what type(v).__name__ gives.
func TypeName(v Value) string {
	switch v := v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case string:
		return "str"
	case float64:
		return "float"
	case Bytes:
		return "bytes"
	case *Tuple:
		return "tuple"
	case *List:
		return "list"
	case *Dict:
		return "dict"
	case *Set:
		if v.Immutable {
			return "frozenset"
		}
		return "set"
	case *Range:
		return "range"
	case *Iter:
		return v.Type
	case Object:
		return v.TypeName()
	}
	return "int"
}
