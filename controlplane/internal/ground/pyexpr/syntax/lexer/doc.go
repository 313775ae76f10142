// Package lexer cuts the source of an expression into tokens: names, numbers, texts and operators, by the rules of
// CPython 3.11. It also gives the values of number literals and of the escapes in texts.
//
// Its caller is package syntax/parser. Errors are *syntax.Error with the offset of the mistake. Statements, and what
// has no place in one expression, are refused by the name that Python gives them.
//
//	tokens, err := lexer.Tokenize("value[0]", 0, 8, 0)
//	// Name "value", Op "[", Number "0", Op "]", End
package lexer
