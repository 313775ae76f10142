// Package syntax reads one Python expression: the grammar of CPython 3.11 for expressions, from the text to a tree. It
// knows nothing of values or of what may be called.
//
// What the grammar knows and a transform has no use for (await, yield, complex numbers, Ellipsis, \N{...} escapes, lone
// surrogates) is refused with a message that names it.
package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of an expression's text.
const (
	MaxSource  = 4 << 10 // bytes
	MaxNesting = 100     // brackets, operators and functions inside one another
	maxChain   = 300     // operators, calls, dots and subscripts one after the other
	maxDigits  = 4300    // of an integer literal, as in CPython
)

// Kinds of refusal.
const (
	Malformed  = "syntax_error"
	NotAllowed = "not_allowed"
	TooLong    = "source_limit"
	TooDeep    = "nesting_limit"
)

// Error says what is wrong with a text, and where.
type Error struct {
	Kind   string // one of the kinds of refusal
	Msg    string
	Offset int // in bytes
}

func (e *Error) Error() string { return e.Msg }

func errorAt(offset int, format string, args ...any) *Error {
	return &Error{Kind: Malformed, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

func refuseAt(offset int, format string, args ...any) *Error {
	return &Error{Kind: NotAllowed, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// Position turns a byte offset into a line and a column, both counted from 1 and the column in characters.
func Position(source string, offset int) (line, column int) {
	before := source[:min(max(offset, 0), len(source))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}
