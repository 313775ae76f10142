package pyexpr

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/hint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// Codes of errors beside those of packages syntax and object and OutputLimit.
const (
	Evaluation = "evaluation_error" // an exception of Python
	Internal   = "internal_error"   // a mistake of ours
)

// Error is why an expression cannot be used, or did not give a value for a record.
type Error struct {
	Code      string // stable snake_case
	Exception string // the name of the exception of Python; empty for a limit
	Message   string // may quote values of the record
	Line      int    // from 1
	Column    int    // from 1, in characters
	Excerpt   string // the line, and a caret below the column
	Hint      string // what to write instead; may be empty

	mistake error // of ours, for the log
}

// Unwrap is a mistake of ours, nil for all others.
func (e *Error) Unwrap() error { return e.mistake }

func (e *Error) Error() string {
	s := fmt.Sprintf("%s (line %d, column %d)", e.Message, e.Line, e.Column)
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Quiet says what happened and where without a word of the record, for where its values must not be kept.
func (e *Error) Quiet() string {
	what := e.Message
	if e.Code == Evaluation {
		what = e.Exception
	}
	return fmt.Sprintf("%s at line %d, column %d of the transform", what, e.Line, e.Column)
}

// at adds where it is.
func (e *Error) at(source string, offset int) *Error {
	source = source[:min(len(source), 2*syntax.MaxSource)] // of one that is too long its beginning is enough
	e.Line, e.Column = syntax.Position(source, offset)
	lines := strings.Split(source, "\n")
	if e.Line > len(lines) {
		return e
	}
	line := strings.TrimRight(lines[e.Line-1], "\r")
	from, column := 0, e.Column-1
	const around = 60
	if runes := []rune(line); len(runes) > 2*around {
		from = max(0, min(column-around, len(runes)-2*around))
		line = string(runes[from:min(from+2*around, len(runes))])
	}
	e.Excerpt = strings.ReplaceAll(
		line,
		"\t",
		" ",
	) + "\n" + strings.Repeat(
		" ",
		min(max(column-from, 0), utf8.RuneCountInString(line)),
	) + "^"
	return e
}

// refusal is the error of an expression that is none.
func refusal(source string, err error) error {
	var wrong *syntax.Error
	if !errors.As(err, &wrong) {
		return err
	}
	e := &Error{Code: wrong.Kind, Message: wrong.Msg}
	switch {
	case wrong.Kind == syntax.Malformed:
		e.Exception = "SyntaxError"
	case strings.HasPrefix(wrong.Msg, "name '"):
		e.Exception = "NameError"
	}
	e.Hint = hint.ForSyntax(source, wrong)
	return e.at(source, wrong.Offset)
}

// failure is the error of an evaluation that ended by a panic.
func failure(source string, offset int, caught any) error {
	switch r := caught.(type) {
	case *object.Raised:
		e := &Error{Code: Evaluation, Exception: r.Name, Message: shortened(r.Error())}
		e.Hint = hint.ForException(r)
		return e.at(source, offset)
	case *object.Exceeded:
		e := &Error{Code: r.Code, Message: r.Msg}
		return e.at(source, offset)
	}
	// A mistake of ours must not end the process, nor anybody else's run.
	e := &Error{
		Code:    Internal,
		Message: "this expression cannot be evaluated because of a mistake in the evaluator",
		mistake: fmt.Errorf("%v", caught),
	}
	return e.at(source, offset)
}

// shortened keeps a message to a length that can be read.
func shortened(s string) string {
	const most = 300
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
