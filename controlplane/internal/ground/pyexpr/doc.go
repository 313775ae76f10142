// Package pyexpr runs one Python expression over the fields of a record: what an administrator writes as a transform.
//
// An expression is compiled once and run over many records, by several goroutines at the same time. It reaches nothing
// but value, record and the names of package library: no file, no network, no clock, no statement, no name that begins
// with _. What an evaluation costs is charged before it is spent: steps, bytes, nesting and time, with the limits of
// package object. The oracle of the tests is CPython 3.11; docs/transforms.md tells what is otherwise here.
package pyexpr

import (
	"context"
	"sync"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// Program is a compiled expression.
type Program struct {
	source  string
	body    node
	size    int  // of the outermost frame
	changes bool // it may change what it is given, so it is given a copy
	reads   bool // it reads record as a whole
	names   names
	members []string // see Reads
	runs    sync.Pool
}

// run is what one evaluation uses, and the next one uses again.
type run struct {
	thread object.Thread
	frame  frame
}

// Compile reads an expression. Its errors are *Error.
func Compile(source string) (*Program, error) { return compile(source, transform) }

func compile(source string, names names) (*Program, error) {
	tree, err := syntax.Parse(source)
	if err != nil {
		return nil, refusal(source, err)
	}
	p := &Program{source: source, names: names}
	if err := p.compile(tree); err != nil {
		return nil, refusal(source, err)
	}
	p.runs.New = func() any { return &run{frame: frame{slots: make([]object.Value, p.size)}} }
	return p, nil
}

// Source is the text that was compiled.
func (p *Program) Source() string { return p.source }

// Eval runs the expression over a field and the record that it is of; rec may be nil. The result is nil, a bool, an
// int64, a json.Number for an integer beyond that, a float64, a string, a []any or a map[string]any. Errors are *Error.
func (p *Program) Eval(ctx context.Context, value any, rec *Record) (result any, err error) {
	r := p.runs.Get().(*run)
	r.thread.Reset(ctx)
	defer func() {
		if caught := recover(); caught != nil {
			result, err = nil, failure(p.source, r.thread.At, caught)
		}
		p.runs.Put(r)
	}()
	v, err := p.evaluate(r, value, rec)
	if err != nil {
		return nil, err
	}
	return output(&r.thread, v), nil
}

// evaluate gives the value before it is turned into what JSON knows.
func (p *Program) evaluate(r *run, value any, rec *Record) (object.Value, error) {
	slots := r.frame.slots
	for i := range slots {
		slots[i] = object.Missing
	}
	r.frame = frame{t: &r.thread, slots: slots}
	r.thread.Extra = rec
	slots[0] = input(value, p.changes)
	if p.reads {
		slots[1] = rec.object(p.changes)
	}
	return p.body(&r.frame), nil
}
