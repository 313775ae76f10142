// Package parser reads one expression of Python by recursive descent: from the text to the tree of package syntax,
// each method one level of the grammar of CPython 3.11. Nesting, and how many operations follow one another, are
// limited, so that neither reading nor compiling exhausts the stack.
//
// Its callers are package pyexpr, and govern/condition, which looks for the names in the expression of a condition.
//
//	tree, err := parser.Parse("1 + x") // a *syntax.Binary; err is a *syntax.Error with kind, message and offset
package parser
