package jsonpath

import (
	"errors"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath/internal/budget"
)

// Path is a compiled query.
type Path struct {
	text     string
	segments []segment
}

// SyntaxError says where and why a query cannot be compiled.
type SyntaxError struct {
	Text   string // the query
	Column int    // 1 is the first character
	Reason string
}

// Error names the column, which is what a person editing the query needs.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%q, column %d: %s", e.Text, e.Column, e.Reason)
}

// segment is one step of a query: its selectors are applied to every node reached so far, or to every descendant too.
type segment struct {
	descend   bool
	selectors []selector
}

// selectorKind says which of the selector's members counts.
type selectorKind uint8

const (
	byName selectorKind = iota
	byIndex
	byWildcard
	bySlice
	byFilter
)

// selector is one selector of a segment (RFC 9535 section 2.3).
type selector struct {
	kind   selectorKind
	name   string
	index  int64
	slice  slice
	filter expression
}

// slice is start:end:step; nil is an end of the array.
type slice struct {
	start, end *int64
	step       int64
}

// Compile reads a query as RFC 9535 writes it, starting with $.
func Compile(text string) (*Path, error) { return compile(&parser{text: text}) }

// compile reads the whole text as a query.
func compile(p *parser) (*Path, error) {
	segments, err := p.query('$')
	if err != nil {
		return nil, err
	}
	if !p.done() {
		return nil, p.fail("unexpected %s", p.here())
	}
	return &Path{text: p.text, segments: segments}, nil
}

// CompileShort is Compile for settings: the leading $ and its dot may be left out, so "data.items" is
// "$.data.items". More than MaxDescents are refused.
func CompileShort(text string) (*Path, error) {
	trimmed := strings.TrimSpace(text)
	full, shift := trimmed, 0
	switch {
	case strings.HasPrefix(trimmed, "$"):
	case strings.HasPrefix(trimmed, "["), strings.HasPrefix(trimmed, "."):
		full, shift = "$"+trimmed, 1
	default:
		full, shift = "$."+trimmed, 2
	}
	p, err := compile(&parser{text: full, bounded: true})
	if syntax := (*SyntaxError)(nil); errors.As(err, &syntax) {
		syntax.Text, syntax.Column = trimmed, max(1, syntax.Column-shift)
	}
	return p, err
}

// MustCompile is Compile for queries that are part of the program.
func MustCompile(text string) *Path {
	p, err := Compile(text)
	if err != nil {
		panic(err)
	}
	return p
}

// String is the query as it was given.
func (p *Path) String() string { return p.text }

// Singular reports whether the query can select one value at most (RFC 9535 section 2.3.5.1).
func (p *Path) Singular() bool { return singular(p.segments) }

// singular says whether a query selects one value at most, by its form (RFC 9535 section 2.3.5.1).
func singular(segments []segment) bool {
	for _, s := range segments {
		if s.descend || len(s.selectors) != 1 || s.selectors[0].kind > byIndex {
			return false
		}
	}
	return true
}

// Filters reports whether the query has a filter selector anywhere, and so may leave out some of what stands in a list.
func (p *Path) Filters() bool {
	for _, s := range p.segments {
		for _, sel := range s.selectors {
			if sel.kind == byFilter {
				return true
			}
		}
	}
	return false
}

// Names are the member names of a query made of nothing else, such as [a b] for $.a.b.
func (p *Path) Names() ([]string, bool) {
	names := make([]string, 0, len(p.segments))
	for _, s := range p.segments {
		if s.descend || len(s.selectors) != 1 || s.selectors[0].kind != byName {
			return nil, false
		}
		names = append(names, s.selectors[0].name)
	}
	return names, true
}

// Filter is a compiled logical expression over one value, the part of a filter selector behind the question mark.
type Filter struct {
	text string
	expr expression
}

// CompileFilter reads an expression such as @.status == 'active' && !@.deleted. A leading question mark is
// allowed. It is for settings: more than MaxDescents are refused.
func CompileFilter(text string) (*Filter, error) {
	trimmed := strings.TrimSpace(text)
	p := &parser{text: trimmed, bounded: true}
	p.accept("?")
	p.blank()
	expr, err := p.or()
	if err != nil {
		return nil, err
	}
	p.blank()
	if !p.done() {
		return nil, p.fail("unexpected %s", p.here())
	}
	return &Filter{text: trimmed, expr: expr}, nil
}

// String is the expression as it was given.
func (f *Filter) String() string { return f.text }

// Match reports whether the expression holds for a value; $ and @ both stand for it. It is false when the budget does
// not suffice; see Budget.
func (f *Filter) Match(b *budget.Budget, value any) bool {
	return f.expr.holds(b, value, value) && b.Err() == nil
}
