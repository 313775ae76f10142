package parser

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax/lexer"
)

// comprehension reads the clauses that follow an element.
func (p *parser) comprehension(open int, kind byte, elt, value syntax.Expr) (syntax.Expr, *syntax.Error) {
	if s, ok := elt.(*syntax.Starred); ok {
		return nil, syntax.ErrorAt(s.At(), "iterable unpacking cannot be used in comprehension")
	}
	node := &syntax.Comp{Pos: syntax.Pos(open), Kind: kind, Elt: elt, Value: value}
	for p.is("for") {
		at := syntax.Pos(p.take().Off)
		target, err := p.targets()
		if err != nil {
			return nil, err
		}
		if !p.accept("in") {
			return nil, p.unexpected(", in was expected")
		}
		iter, err := p.or()
		if err != nil {
			return nil, err
		}
		clause := syntax.Clause{Pos: at, Target: target, Iter: iter}
		for p.accept("if") {
			test, err := p.condition()
			if err != nil {
				return nil, err
			}
			clause.Ifs = append(clause.Ifs, test)
		}
		node.Clauses = append(node.Clauses, clause)
		if err := p.chain(len(node.Clauses) * 15); err != nil { // as deep as CPython goes
			return nil, err
		}
	}
	return node, nil
}

// condition reads what follows if in a comprehension: no conditional expression without parentheses.
func (p *parser) condition() (syntax.Expr, *syntax.Error) {
	x, err := p.or()
	if err != nil || !p.is(":=") {
		return x, err
	}
	target, ok := x.(*syntax.Name)
	if !ok {
		return nil, syntax.ErrorAt(p.tok().Off, "a name stands before :=")
	}
	at := syntax.Pos(p.take().Off)
	value, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &syntax.Named{Pos: at, Target: target, Value: value}, nil
}

// targets reads what a for assigns to.
func (p *parser) targets() (syntax.Expr, *syntax.Error) {
	at := syntax.Pos(p.tok().Off)
	first, err := p.target()
	if err != nil {
		return nil, err
	}
	if !p.is(",") {
		if s, ok := first.(*syntax.Starred); ok {
			return nil, syntax.ErrorAt(s.At(), "starred assignment target must be in a list or tuple")
		}
		return first, nil
	}
	items := []syntax.Expr{first}
	for p.accept(",") && !p.is("in") && !p.is(")") && !p.is("]") {
		x, err := p.target()
		if err != nil {
			return nil, err
		}
		items = append(items, x)
	}
	return p.unpacked(&syntax.Sequence{Pos: at, Kind: '(', Items: items})
}

func (p *parser) unpacked(s *syntax.Sequence) (syntax.Expr, *syntax.Error) {
	stars := 0
	for _, x := range s.Items {
		if _, ok := x.(*syntax.Starred); ok {
			stars++
		}
	}
	if stars > 1 {
		return nil, syntax.ErrorAt(s.At(), "multiple starred expressions in assignment")
	}
	return s, nil
}

func (p *parser) target() (syntax.Expr, *syntax.Error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	t := p.tok()
	switch {
	case t.Kind == lexer.Name:
		x, err := p.atom()
		if err == nil && (p.is(".") || p.is("[") || p.is("(")) {
			return nil, syntax.RefuseAt(p.tok().Off, "a for assigns to names only")
		}
		return x, err
	case p.is("*"):
		p.take()
		x, err := p.target()
		if err != nil {
			return nil, err
		}
		if _, ok := x.(*syntax.Starred); ok {
			return nil, syntax.ErrorAt(t.Off, "invalid syntax")
		}
		return &syntax.Starred{Pos: syntax.Pos(t.Off), X: x}, nil
	case p.is("("), p.is("["):
		p.take()
		closing := map[string]string{"(": ")", "[": "]"}[t.Text]
		if p.accept(closing) {
			return &syntax.Sequence{Pos: syntax.Pos(t.Off), Kind: '('}, nil
		}
		x, err := p.targets()
		if err != nil {
			return nil, err
		}
		if _, ok := x.(*syntax.Sequence); !ok && t.Text == "[" {
			x = &syntax.Sequence{Pos: syntax.Pos(t.Off), Kind: '(', Items: []syntax.Expr{x}}
		}
		return x, p.expect(closing)
	}
	return nil, p.unexpected(", a name was expected after for")
}
