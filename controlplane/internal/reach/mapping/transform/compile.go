package transform

import (
	"context"
	"errors"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
)

// Compile makes something that mappings can use of a transform's text. It is a mapping.Compiler.
func Compile(text string) (mapping.Expression, error) {
	program, err := pyexpr.Compile(text)
	if err != nil {
		return nil, err
	}
	return expression{program}, nil
}

// expression is a compiled transform.
type expression struct{ program *pyexpr.Program }

// Eval has the limits of one evaluation alone: a run that is cancelled ends between records. The record is read once
// for all the expressions that look at it.
func (e expression) Eval(value any, record *mapping.Record) (any, error) {
	read, known := record.Read.(*pyexpr.Record)
	if !known {
		read = pyexpr.NewRecord(record.Fields)
		record.Read = read
	}
	out, err := e.program.Eval(context.Background(), value, read)
	var wrong *pyexpr.Error
	if errors.As(err, &wrong) {
		return nil, failed{wrong}
	}
	return out, err
}

// failed is an error that may be shown without values of the record.
type failed struct{ cause *pyexpr.Error }

// Error is the message of the cause.
func (f failed) Error() string { return f.cause.Error() }

// Unwrap gives the cause, an error of the expression with its place.
func (f failed) Unwrap() error { return f.cause }

// Kind says what happened and where, without a word of the record.
func (f failed) Kind() string { return f.cause.Quiet() }
