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

// holds is true if one part holds.
func (e orExpr) holds(b *budget.Budget, root, current any) bool {
	for _, part := range e {
		if part.holds(b, root, current) {
			return true
		}
	}
	return false
}

// holds is true if all parts hold.
func (e andExpr) holds(b *budget.Budget, root, current any) bool {
	for _, part := range e {
		if !part.holds(b, root, current) {
			return false
		}
	}
	return true
}

// holds is true if the expression does not hold.
func (e notExpr) holds(b *budget.Budget, root, current any) bool {
	return !e.of.holds(b, root, current)
}

// holds is true if the query selects something, be it null.
func (e exists) holds(b *budget.Budget, root, current any) bool {
	return len(e.query.run(b, root, current)) > 0
}

// usesRoot implements expression.
func (e orExpr) usesRoot() bool { return anyUsesRoot(e) }

// usesRoot implements expression.
func (e andExpr) usesRoot() bool { return anyUsesRoot(e) }

// usesRoot implements expression.
func (e notExpr) usesRoot() bool { return e.of.usesRoot() }

// usesRoot implements expression.
func (e exists) usesRoot() bool { return e.query.usesRoot() }

// usesRoot implements expression.
func (e compare) usesRoot() bool { return e.left.usesRoot() || e.right.usesRoot() }

// usesRoot says whether the operand is a query from the root.
func (o operand) usesRoot() bool { return o.query != nil && o.query.usesRoot() }

// usesRoot says whether the query needs the whole document.
func (q query) usesRoot() bool { return q.fromRoot || segmentsUseRoot(q.segments) }

// anyUsesRoot says whether one of the parts needs the whole document.
func anyUsesRoot(parts []expression) bool {
	for _, p := range parts {
		if p.usesRoot() {
			return true
		}
	}
	return false
}

// segmentsUseRoot says whether a filter in the segments needs the whole document. Such a query
// cannot be evaluated record by record.
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

// run gives the values that the query selects.
func (q query) run(b *budget.Budget, root, current any) []any {
	if q.fromRoot {
		current = root
	}
	return run(b, q.segments, root, current)
}

// value is the operand's value; Nothing if its query selects none (RFC 9535 section 2.3.5.2.2).
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

// holds compares the sides. Values of different types are never less, greater or equal.
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

// deeper goes one level down and refuses nesting that would exhaust the stack.
func (p *parser) deeper() error {
	if p.depth++; p.depth > maxDepth {
		return p.fail("the expression is nested too deeply")
	}
	return nil
}

// or reads parts joined by ||, the weakest operator.
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

// and reads parts joined by &&.
func (p *parser) and() (expression, error) {
	parts, err := p.list("&&", p.basic)
	if err != nil || len(parts) == 1 {
		return only(parts), err
	}
	return andExpr(parts), nil
}

// only is the one part; nil without any.
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

// basic reads a negation, a parenthesis, a test or a comparison.
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

// negated reads what follows an exclamation mark.
func (p *parser) negated() (expression, error) {
	if p.peek() == '(' {
		e, err := p.paren()
		return notExpr{of: e}, err
	}
	q, err := p.filterQuery()
	return notExpr{of: exists{query: q}}, err
}

// paren reads an expression in parentheses.
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

// comparison reads a comparison, or a query alone, which is a test for existence. Only queries that
// select one value at most can be compared (RFC 9535 section 2.3.5.1).
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

// operator reads a comparison operator; empty if none comes.
func (p *parser) operator() string {
	for _, op := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if p.accept(op) {
			return op
		}
	}
	return ""
}

// numberLiteral matches a number of JSON.
var numberLiteral = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?`)

// operand reads a query, a string, a number, true, false or null.
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

// word reads true, false and null, and explains what a reader of the full RFC might expect here.
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

// filterQuery reads a query from the root or the current value.
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
