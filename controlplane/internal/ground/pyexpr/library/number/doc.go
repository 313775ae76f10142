// Package number declares what an expression does with numbers: the types int, float and bool with their methods, the
// builtins abs, round, divmod, pow, hex, oct and bin, and the module math.
//
// It is imported for its declarations, by package pyexpr; the operators are those of object/operator. For example,
// round(2.5) is 2 and int('1_000') is 1000, as in Python; an int of more than object.MaxDigits digits is not read,
// and one of more than object.MaxBits bits not made.
package number

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

type (
	thread = object.Thread
	value  = object.Value
	values = []object.Value
)
