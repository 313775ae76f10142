package jsonpath

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath/internal/budget"
)

// expression is a logical expression of a filter. The root is what $ stands for, current what @ stands for.
type expression interface {
	holds(b *budget.Budget, root, current any) bool
	usesRoot() bool
}

type (
	orExpr  []expression
	andExpr []expression
	notExpr struct{ of expression }
	exists  struct{ query query }
	compare struct {
		op          string
		left, right operand
	}
)

// query is a path inside a filter, from the root or from the current value.
type query struct {
	fromRoot bool
	segments []segment
}

// operand is one side of a comparison: a literal, or a query that selects one value at most.
type operand struct {
	literal any
	query   *query
}

func (e orExpr) holds(b *budget.Budget, root, current any) bool {
	for _, part := range e {
		if part.holds(b, root, current) {
			return true
		}
	}
	return false
}

func (e andExpr) holds(b *budget.Budget, root, current any) bool {
	for _, part := range e {
		if !part.holds(b, root, current) {
			return false
		}
	}
	return true
}

func (e notExpr) holds(b *budget.Budget, root, current any) bool {
	return !e.of.holds(b, root, current)
}

func (e exists) holds(b *budget.Budget, root, current any) bool {
	return len(e.query.run(b, root, current)) > 0
}

func (e orExpr) usesRoot() bool { return anyUsesRoot(e) }

func (e andExpr) usesRoot() bool { return anyUsesRoot(e) }

func (e notExpr) usesRoot() bool { return e.of.usesRoot() }

func (e exists) usesRoot() bool { return e.query.usesRoot() }

func (e compare) usesRoot() bool { return e.left.usesRoot() || e.right.usesRoot() }

func (o operand) usesRoot() bool { return o.query != nil && o.query.usesRoot() }

func (q query) usesRoot() bool { return q.fromRoot || segmentsUseRoot(q.segments) }

func anyUsesRoot(parts []expression) bool {
	for _, p := range parts {
		if p.usesRoot() {
			return true
		}
	}
	return false
}

func segmentsUseRoot(segments []segment) bool {
	for _, s := range segments {
		for _, sel := range s.selectors {
			if sel.kind == byFilter && sel.filter.usesRoot() {
				return true
			}
		}
	}
	return false
}

func (q query) run(b *budget.Budget, root, current any) []any {
	if q.fromRoot {
		current = root
	}
	return run(b, q.segments, root, current)
}

func (o operand) value(b *budget.Budget, root, current any) any {
	if o.query == nil {
		return o.literal
	}
	found := o.query.run(b, root, current)
	if len(found) == 0 {
		return budget.Nothing{}
	}
	return found[0]
}

func (e compare) holds(b *budget.Budget, root, current any) bool {
	l, r := e.left.value(b, root, current), e.right.value(b, root, current)
	switch e.op {
	case "==":
		return b.Equal(l, r)
	case "!=":
		return !b.Equal(l, r)
	case "<":
		return b.Less(l, r)
	case ">":
		return b.Less(r, l)
	case "<=":
		return b.Less(l, r) || b.Equal(l, r)
	default:
		return b.Less(r, l) || b.Equal(l, r)
	}
}

func (p *parser) deeper() error {
	if p.depth++; p.depth > maxDepth {
		return p.fail("the expression is nested too deeply")
	}
	return nil
}

func (p *parser) or() (expression, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	parts, err := p.list("||", p.and)
	if err != nil || len(parts) == 1 {
		return only(parts), err
	}
	return orExpr(parts), nil
}

func (p *parser) and() (expression, error) {
	parts, err := p.list("&&", p.basic)
	if err != nil || len(parts) == 1 {
		return only(parts), err
	}
	return andExpr(parts), nil
}

func only(parts []expression) expression {
	if len(parts) == 0 {
		return nil
	}
	return parts[0]
}

// list reads one or more operands joined by an operator.
func (p *parser) list(operator string, operand func() (expression, error)) ([]expression, error) {
	var parts []expression
	for {
		part, err := operand()
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		mark := p.at
		p.blank()
		if !p.accept(operator) {
			p.at = mark
			return parts, nil
		}
		p.blank()
	}
}

func (p *parser) basic() (expression, error) {
	if p.peek() == '!' && !strings.HasPrefix(p.text[p.at:], "!=") {
		p.at++
		p.blank()
		return p.negated()
	}
	if p.peek() == '(' {
		return p.paren()
	}
	return p.comparison()
}

func (p *parser) negated() (expression, error) {
	if p.peek() == '(' {
		e, err := p.paren()
		return notExpr{of: e}, err
	}
	q, err := p.filterQuery()
	return notExpr{of: exists{query: q}}, err
}

func (p *parser) paren() (expression, error) {
	p.at++
	p.blank()
	e, err := p.or()
	if err != nil {
		return nil, err
	}
	p.blank()
	if !p.accept(")") {
		return nil, p.fail("expected ), found %s", p.here())
	}
	return e, nil
}

func (p *parser) comparison() (expression, error) {
	start := p.at
	left, err := p.operand()
	if err != nil {
		return nil, err
	}
	mark := p.at
	p.blank()
	op := p.operator()
	if op == "" {
		p.at = mark
		if left.query == nil {
			p.at = start
			return nil, p.fail("a literal is not a condition; compare it with something")
		}
		return exists{query: *left.query}, nil
	}
	p.blank()
	right, err := p.operand()
	if err != nil {
		return nil, err
	}
	for _, side := range []operand{left, right} {
		if side.query != nil && !singular(side.query.segments) {
			p.at = start
			return nil, p.fail("only a query that selects one value at most can be compared")
		}
	}
	return compare{op: op, left: left, right: right}, nil
}

func (p *parser) operator() string {
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if p.accept(op) {
			return op
		}
	}
	return ""
}

var numberLiteral = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?`)

func (p *parser) operand() (operand, error) {
	switch c := p.peek(); {
	case c == '@' || c == '$':
		q, err := p.filterQuery()
		return operand{query: &q}, err
	case c == '\'' || c == '"':
		s, err := p.str()
		return operand{literal: s}, err
	case c == '-' || c >= '0' && c <= '9':
		text := numberLiteral.FindString(p.text[p.at:])
		if text == "" {
			return operand{}, p.fail("expected a number, found %s", p.here())
		}
		p.at += len(text)
		if c := p.peek(); c >= '0' && c <= '9' {
			return operand{}, p.fail("numbers have no leading zeros")
		}
		return operand{literal: json.Number(text)}, nil
	}
	return p.word()
}

// word reads true, false and null, and tells of what a reader of the full RFC might expect here.
func (p *parser) word() (operand, error) {
	start := p.at
	for c := p.peek(); c >= 'a' && c <= 'z' || c == '_'; c = p.peek() {
		p.at++
	}
	word := p.text[start:p.at]
	switch {
	case p.peek() == '(' && word != "":
		p.at = start
		return operand{}, p.fail("the function %s() is not supported", word)
	case word == "true" || word == "false":
		return operand{literal: word == "true"}, nil
	case word == "null":
		return operand{}, nil
	}
	p.at = start
	return operand{}, p.fail("expected @, $, a quoted text, a number, true, false or null, found %s", p.here())
}

func (p *parser) filterQuery() (query, error) {
	if err := p.deeper(); err != nil {
		return query{}, err
	}
	defer func() { p.depth-- }()
	root := p.peek()
	if root != '@' && root != '$' {
		return query{}, p.fail("expected @ or $, found %s", p.here())
	}
	segments, err := p.query(root)
	return query{fromRoot: root == '$', segments: segments}, err
}
