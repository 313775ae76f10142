package pyexpr

import (
	"context"
	"sync"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/conversion"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax/parser"
)

// Program is a compiled expression.
type Program struct {
	source  string
	body    evaluation.Node
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
	frame  evaluation.Frame
}

// Compile reads an expression. Its errors are *Error.
func Compile(source string) (*Program, error) { return compile(source, transform) }

func compile(source string, names names) (*Program, error) {
	tree, err := parser.Parse(source)
	if err != nil {
		return nil, refusal(source, err)
	}
	p := &Program{source: source, names: names}
	if err := p.compile(tree); err != nil {
		return nil, refusal(source, err)
	}
	p.runs.New = func() any { return &run{frame: evaluation.Frame{Slots: make([]object.Value, p.size)}} }
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
	return conversion.ToJSON(&r.thread, v), nil
}

// evaluate gives the value before it is turned into what JSON knows.
func (p *Program) evaluate(r *run, value any, rec *Record) (object.Value, error) {
	slots := r.frame.Slots
	for i := range slots {
		slots[i] = object.Missing
	}
	r.frame = evaluation.Frame{Thread: &r.thread, Slots: slots}
	r.thread.Extra = rec
	slots[0] = conversion.ToValue(value, p.changes)
	if p.reads {
		slots[1] = rec.Dict(p.changes)
	}
	return p.body(&r.frame), nil
}
