package library

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Names are what an expression may use by name.
var Names = map[string]object.Value{}

// AddFunction adds a builtin function; params are as in NewFunc.
func AddFunction(name, params string, fn func(t *thread, a values) value) *Func {
	f := NewFunc(name, params, fn)
	Names[name] = f
	return f
}

// AddHelper adds a builtin function that gives None when the value it works on is None: its parameter called value or
// values.
func AddHelper(name, params string, fn func(t *thread, a values) value) {
	at := 0
	for i, p := range strings.Fields(params) {
		if p == "value" || p == "values" {
			at = i
		}
	}
	AddFunction(name, params, func(t *thread, a values) value {
		if a[at] == nil {
			return nil
		}
		return fn(t, a)
	})
}
