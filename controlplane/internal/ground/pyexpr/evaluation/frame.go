package evaluation

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Frame holds the variables of one scope while it runs: the expression, a call of a lambda, or a comprehension. Slots
// are numbered by the compiler and hold object.Missing until they have a value; Up is the frame around, nil for the
// outermost.
type Frame struct {
	Thread *object.Thread
	Slots  []object.Value
	Up     *Frame
}

// Node is a compiled piece of an expression. It gives its value, or panics with an *object.Raised or
// *object.Exceeded.
type Node func(f *Frame) object.Value
