package object

import (
	"strings"
)

// Contains is v in container.
func (t *Thread) Contains(container, v Value) bool {
	switch c := container.(type) {
	case string:
		s, ok := v.(string)
		if !ok {
			t.TypeError("'in <string>' requires string as left operand, not %s", TypeName(v))
		}
		t.Read(len(c) + len(s))
		return strings.Contains(c, s)
	case *Dict:
		_, ok := c.get(t.Hash(v))
		return ok
	case *Set:
		return c.has(t.setKey(v))
	case Bytes:
		if s, ok := v.(Bytes); ok {
			t.Read(len(c))
			return strings.Contains(string(c), string(s))
		}
		if !IsInt(v) {
			t.TypeError("a bytes-like object is required, not '%s'", TypeName(v))
		}
	case *Range:
		if i, b, ok := AsInt(v); ok && b == nil {
			return c.index(i) >= 0
		}
	}
	next := t.Iterate(container)
	for x, ok := next(); ok; x, ok = next() {
		t.Steps(1)
		if Same(x, v) || t.Equal(x, v) {
			return true
		}
	}
	return false
}

// setKey is the hash of v, where a set stands for the frozen one of the same elements.
func (t *Thread) setKey(v Value) any {
	if s, ok := v.(*Set); ok && !s.Immutable {
		return t.Hash(&Set{Dict: s.Dict, Immutable: true})
	}
	return t.Hash(v)
}

// Truth is bool(v).
func (t *Thread) Truth(v Value) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case int64:
		return v != 0
	case float64:
		return v != 0
	case string:
		return v != ""
	case Bytes:
		return v != ""
	case *Tuple:
		return len(v.Items) > 0
	case *List:
		return len(v.Items) > 0
	case *Dict:
		return v.Len() > 0
	case *Set:
		return v.Len() > 0
	case *Range:
		return v.Len() > 0
	case Truther:
		return v.Truth()
	}
	return true
}
