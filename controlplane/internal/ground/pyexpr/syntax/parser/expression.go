package parser

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax/lexer"
)

// tuple reads one expression, or several with commas between them, up to a token that ends them.
func (p *parser) tuple(stop lexer.Kind) (syntax.Expr, *syntax.Error) {
	at := syntax.Pos(p.tok().Off)
	first, err := p.starred(stop != lexer.End)
	if err != nil {
		return nil, err
	}
	if !p.is(",") {
		if s, ok := first.(*syntax.Starred); ok {
			return nil, syntax.ErrorAt(s.At(), "can't use starred expression here")
		}
		return first, nil
	}
	items := []syntax.Expr{first}
	for p.accept(",") {
		if p.tok().Kind == lexer.End || p.is(")") || p.is("]") || p.is("}") || p.is(":") || p.is("=") {
			break
		}
		x, err := p.starred(stop != lexer.End)
		if err != nil {
			return nil, err
		}
		items = append(items, x)
	}
	return &syntax.Sequence{Pos: at, Kind: '(', Items: items}, nil
}

// starred reads `*x`, or an expression, where `name := x` is allowed when named is true.
func (p *parser) starred(named bool) (syntax.Expr, *syntax.Error) {
	if p.is("*") {
		at := syntax.Pos(p.take().Off)
		x, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		return &syntax.Starred{Pos: at, X: x}, nil
	}
	if named {
		return p.named()
	}
	return p.expression()
}

// named reads `name := x` or an expression.
func (p *parser) named() (syntax.Expr, *syntax.Error) {
	x, err := p.expression()
	if err != nil || !p.is(":=") {
		return x, err
	}
	target, ok := x.(*syntax.Name)
	if !ok {
		return nil, syntax.ErrorAt(p.tok().Off, "cannot use assignment expressions with this; a name stands before :=")
	}
	at := syntax.Pos(p.take().Off)
	value, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &syntax.Named{Pos: at, Target: target, Value: value}, nil
}

func (p *parser) expression() (syntax.Expr, *syntax.Error) {
	if p.is("lambda") {
		return p.lambda()
	}
	x, err := p.or()
	if err != nil || !p.is("if") {
		return x, err
	}
	at := syntax.Pos(p.take().Off)
	test, err := p.or()
	if err != nil {
		return nil, err
	}
	if !p.accept("else") {
		return nil, syntax.ErrorAt(p.tok().Off, "expected 'else' after 'if' expression")
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	otherwise, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &syntax.Cond{Pos: at, Test: test, Then: x, Else: otherwise}, nil
}

func (p *parser) or() (syntax.Expr, *syntax.Error) { return p.logic("or", p.and) }

func (p *parser) and() (syntax.Expr, *syntax.Error) { return p.logic("and", p.not) }

func (p *parser) logic(word string, level func() (syntax.Expr, *syntax.Error)) (syntax.Expr, *syntax.Error) {
	x, err := level()
	if err != nil || !p.is(word) {
		return x, err
	}
	node := &syntax.Logic{Pos: syntax.Pos(p.tok().Off), And: word == "and", Xs: []syntax.Expr{x}}
	for p.accept(word) {
		if x, err = level(); err != nil {
			return nil, err
		}
		node.Xs = append(node.Xs, x)
	}
	return node, nil
}

func (p *parser) not() (syntax.Expr, *syntax.Error) {
	if !p.is("not") {
		return p.comparison()
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	at := syntax.Pos(p.take().Off)
	x, err := p.not()
	if err != nil {
		return nil, err
	}
	return &syntax.Unary{Pos: at, Op: "not", X: x}, nil
}

// comparer reads the operator of a comparison, if there is one.
func (p *parser) comparer() string {
	t := p.tok()
	if t.Kind != lexer.Op && t.Kind != lexer.Keyword {
		return ""
	}
	switch t.Text {
	case "==", "!=", "<", "<=", ">", ">=", "in":
		p.i++
		return t.Text
	case "is":
		p.i++
		if p.accept("not") {
			return "is not"
		}
		return "is"
	case "not":
		if next := p.tokens[p.i+1]; next.Kind == lexer.Keyword && next.Text == "in" {
			p.i += 2
			return "not in"
		}
	}
	return ""
}

func (p *parser) comparison() (syntax.Expr, *syntax.Error) {
	x, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	at := syntax.Pos(p.tok().Off)
	o := p.comparer()
	if o == "" {
		return x, nil
	}
	node := &syntax.Compare{Pos: at, First: x}
	for ; o != ""; o = p.comparer() {
		y, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		node.Ops, node.Rest = append(node.Ops, o), append(node.Rest, y)
	}
	return node, p.chain(len(node.Ops))
}
