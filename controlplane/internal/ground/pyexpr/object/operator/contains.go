package operator

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Contains is v in container.
func Contains(t *object.Thread, container, v object.Value) bool {
	switch c := container.(type) {
	case string:
		s, ok := v.(string)
		if !ok {
			t.TypeError("'in <string>' requires string as left operand, not %s", object.TypeName(v))
		}
		t.Read(len(c) + len(s))
		return strings.Contains(c, s)
	case *object.Dict:
		_, ok := t.Get(c, v)
		return ok
	case *object.Set:
		return t.Includes(c, v)
	case object.Bytes:
		if s, ok := v.(object.Bytes); ok {
			t.Read(len(c))
			return strings.Contains(string(c), string(s))
		}
		if !object.IsInt(v) {
			t.TypeError("a bytes-like object is required, not '%s'", object.TypeName(v))
		}
	case *object.Range:
		if i, b, ok := object.AsInt(v); ok && b == nil {
			return c.Find(i) >= 0
		}
	}
	next := t.Iterate(container)
	for x, ok := next(); ok; x, ok = next() {
		t.Steps(1)
		if Same(x, v) || Equal(t, x, v) {
			return true
		}
	}
	return false
}

// Truth is bool(v).
func Truth(t *object.Thread, v object.Value) bool {
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
	case object.Bytes:
		return v != ""
	case *object.Tuple:
		return len(v.Items) > 0
	case *object.List:
		return len(v.Items) > 0
	case *object.Dict:
		return v.Len() > 0
	case *object.Set:
		return v.Len() > 0
	case *object.Range:
		return v.Len() > 0
	case object.Truther:
		return v.Truth()
	}
	return true
}
