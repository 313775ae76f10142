package condition

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
	python "github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax/parser"
)

// script is an expression in the Python dialect of transforms. It is true for what Python takes for true.
type script struct {
	source  string
	at      string
	program *pyexpr.Program
	about   string // the fact that is its value, where a vocabulary names one
}

// script parses an expression, bounded in size. It counts as one rule.
func (p *parser) script(v any, at string) node {
	p.rules++
	at += "/expression"
	source, ok := v.(string)
	source = strings.TrimSpace(source)
	if !ok || source == "" || strings.ContainsRune(source, 0) {
		p.refuse(at, "wrong_type", nil, "an expression is a text, such as \"identity['department'] == 'Nursing'\"")
		return nil
	}
	if len(source) > syntax.MaxSource {
		p.refuse(at, "too_long", nil, "an expression may have at most %d bytes", syntax.MaxSource)
		return nil
	}
	program, err := compile(source, p.more.about)
	if err != nil {
		p.refuse(at, "invalid_expression", nil, "%s", err)
		return nil
	}
	return &script{source: source, program: program, about: p.more.about}
}

// compile reads an expression. What it calls identity is what the evaluator calls record: read by that name, single
// fields are looked up without a copy of everything. What a vocabulary is about, such as request, is what the evaluator
// calls value. The spaces keep everything else at its place.
func compile(source, about string) (*pyexpr.Program, error) {
	tree, err := python.Parse(source)
	if err != nil {
		return pyexpr.Compile(source) // for its words
	}
	ours := map[string]string{subject: "record  "}
	if about != "" {
		ours[about] = padded("value", about)
	}
	renamed, bound, which := []byte(source), -1, ""
	syntax.Walk(tree, func(x syntax.Expr) bool {
		switch x := x.(type) {
		case *syntax.Name:
			if theirs, known := ours[x.ID]; known && strings.HasPrefix(source[min(x.At(), len(source)):], x.ID) {
				copy(renamed[x.At():], theirs)
			}
		case *syntax.Named:
			if ours[x.Target.ID] != "" {
				bound, which = x.At(), x.Target.ID
			}
		case *syntax.Lambda:
			for _, p := range x.Params {
				if p.Name != nil && ours[p.Name.ID] != "" {
					bound, which = x.At(), p.Name.ID
				}
			}
		}
		return true
	})
	if bound >= 0 {
		what := map[bool]string{true: "the person", false: "the requested resource"}[which == subject]
		return nil, fmt.Errorf("at character %d: %s is %s; call your own value something else", bound+1, which, what)
	}
	program, err := pyexpr.Compile(string(renamed))
	var wrong *pyexpr.Error
	if errors.As(err, &wrong) {
		for name, theirs := range ours {
			wrong.Excerpt = strings.ReplaceAll(wrong.Excerpt, theirs, name)
		}
	}
	return program, err
}

// padded is a name with spaces behind it, as long as another.
func padded(name, as string) string { return name + strings.Repeat(" ", max(0, len(as)-len(name))) }

// subject is what expressions call the person.
const subject = "identity"

// recorder is a Facts that keeps the record which expressions read, so that several share it.
type recorder interface{ Record() *pyexpr.Record }

// met evaluates the expression. One that fails is a warning and false. The warning has no values of
// the person: it is shown to administrators of policies.
func (s *script) met(f fact.Facts, warn *[]Warning) bool {
	var record *pyexpr.Record
	if r, ok := f.(recorder); ok {
		record = r.Record()
	} else {
		record = pyexpr.NewRecord(f.Fields())
	}
	var value any
	if s.about != "" {
		value = f.Fields()[s.about]
	}
	v, err := s.program.Eval(context.Background(), value, record)
	if err != nil {
		var wrong *pyexpr.Error
		detail := "the expression gave no answer"
		if errors.As(err, &wrong) {
			detail = wrong.Quiet()
		}
		*warn = append(*warn, Warning{Pointer: s.at, Code: "expression_failed", Detail: detail})
		return false
	}
	return truth(v)
}

// truth is what Python takes a value for.
func truth(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case int64:
		return v != 0
	case float64:
		return v != 0
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true // an integer of more than 64 bits
}
