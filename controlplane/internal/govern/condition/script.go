package condition

import (
	"context"
	"errors"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/pyexpr/syntax"
)

// script is an expression in the Python dialect of transforms. It is true for what Python takes for true.
type script struct {
	source  string
	at      string
	program *pyexpr.Program
}

// maxSource leaves room for what the expression is wrapped in.
const maxSource = syntax.MaxSource - 96

// wrapped gives the expression the name identity. It stands in lines of its own, so that a comment at its end is one, and was read by
// itself before, so that it cannot close what stands around it.
func wrapped(source string) string { return "(lambda identity: bool(\n" + source + "\n))(record)" }

func (p *parser) script(v any, at string) node {
	p.rules++
	at += "/expression"
	source, ok := v.(string)
	source = strings.TrimSpace(source)
	if !ok || source == "" || strings.ContainsRune(source, 0) {
		p.refuse(at, "wrong_type", nil, "an expression is a text, such as \"identity['department'] == 'Nursing'\"")
		return nil
	}
	if len(source) > maxSource {
		p.refuse(at, "too_long", nil, "an expression may have at most %d bytes", maxSource)
		return nil
	}
	program, err := compile(source)
	if err != nil {
		p.refuse(at, "invalid_expression", nil, "%s", err)
		return nil
	}
	return &script{source: source, program: program}
}

func compile(source string) (*pyexpr.Program, error) {
	if _, err := syntax.Parse(source); err != nil {
		_, err := pyexpr.Compile(source) // for its words
		return nil, err
	}
	program, err := pyexpr.Compile(wrapped(source))
	var wrong *pyexpr.Error
	if errors.As(err, &wrong) {
		wrong.Line = max(1, wrong.Line-1)
	}
	return program, err
}

// recorder is a Facts that keeps the record which expressions read, so that several share it.
type recorder interface{ Record() *pyexpr.Record }

func (s *script) met(f Facts, warn *[]Warning) bool {
	var record *pyexpr.Record
	if r, ok := f.(recorder); ok {
		record = r.Record()
	} else {
		record = pyexpr.NewRecord(f.Fields())
	}
	v, err := s.program.Eval(context.Background(), nil, record)
	if err != nil {
		var wrong *pyexpr.Error
		detail := "the expression gave no answer"
		if errors.As(err, &wrong) {
			wrong.Line = max(1, wrong.Line-1)
			detail = wrong.Quiet()
		}
		*warn = append(*warn, Warning{Pointer: s.at, Code: "expression_failed", Detail: detail})
		return false
	}
	met, _ := v.(bool)
	return met
}
