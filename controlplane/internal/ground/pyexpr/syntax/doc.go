// Package syntax is the tree of one Python expression: its nodes, how to walk through them, the limits of a text and
// the errors of reading it. It knows nothing of values or of what may be called. Package lexer below it cuts the text
// into tokens, package parser makes the tree of them.
//
// What the grammar of CPython 3.11 has and a transform has no use for (await, yield, complex numbers, Ellipsis,
// \N{...} escapes, lone surrogates) is refused with a message that names it.
//
// The callers are package pyexpr, which compiles trees, and govern/condition, which looks for names in them:
//
//	syntax.Walk(tree, func(x syntax.Expr) bool {
//		name, ok := x.(*syntax.Name) // every name that the expression reads
//		return true
//	})
package syntax

// Limits of an expression's text.
const (
	MaxSource  = 4 << 10 // bytes
	MaxNesting = 100     // brackets, operators and functions inside one another
)
