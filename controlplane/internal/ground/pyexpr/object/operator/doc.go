// Package operator holds the operators of Python over the values of package object: arithmetic and bitwise operators,
// comparisons, in and the truth of a value, and the rounding that numbers share.
//
// Its callers are the compiled expressions of package pyexpr, and the packages of library, whose functions add,
// compare and divide as the operators do. Each function charges its result to the Thread before it makes it, and
// raises the exceptions of Python as *object.Raised. Objects of other packages take part as object.Operand and
// object.Comparable.
//
//	operator.Add(t, int64(1), 2.5)                        // 3.5
//	operator.Binary(t, "//", int64(-7), int64(2))         // -4: rounded down
//	operator.Compare(t, "in", "a", object.NewTuple("a"))  // true
package operator
