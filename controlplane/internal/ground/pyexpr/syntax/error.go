package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
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

// ErrorAt is the Malformed error of a text that is no expression of Python.
func ErrorAt(offset int, format string, args ...any) *Error {
	return &Error{Kind: Malformed, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// RefuseAt is the NotAllowed error of what Python has and an expression may not use.
func RefuseAt(offset int, format string, args ...any) *Error {
	return &Error{Kind: NotAllowed, Offset: offset, Msg: fmt.Sprintf(format, args...)}
}

// Position turns a byte offset into a line and a column, both counted from 1 and the column in characters.
func Position(source string, offset int) (line, column int) {
	before := source[:min(max(offset, 0), len(source))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}
