package parser

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// parenthesis reads a group, a tuple or a generator expression.
func (p *parser) parenthesis(open int) (syntax.Expr, *syntax.Error) {
	at := syntax.Pos(open)
	if p.accept(")") {
		return &syntax.Sequence{Pos: at, Kind: '('}, nil
	}
	first, err := p.starred(true)
	if err != nil {
		return nil, err
	}
	if p.is("for") {
		x, err := p.comprehension(open, '(', first, nil)
		if err != nil {
			return nil, err
		}
		return x, p.expect(")")
	}
	if !p.is(",") {
		if s, ok := first.(*syntax.Starred); ok {
			return nil, syntax.ErrorAt(s.At(), "cannot use starred expression here")
		}
		return first, p.expect(")")
	}
	items, err := p.items(first, ")")
	if err != nil {
		return nil, err
	}
	return &syntax.Sequence{Pos: at, Kind: '(', Items: items}, p.expect(")")
}

// items reads what follows the first item up to the closing bracket.
func (p *parser) items(first syntax.Expr, closing string) ([]syntax.Expr, *syntax.Error) {
	items := []syntax.Expr{first}
	for p.accept(",") && !p.is(closing) {
		x, err := p.starred(true)
		if err != nil {
			return nil, err
		}
		items = append(items, x)
	}
	return items, nil
}

func (p *parser) listed(open int) (syntax.Expr, *syntax.Error) {
	if p.accept("]") {
		return &syntax.Sequence{Pos: syntax.Pos(open), Kind: '['}, nil
	}
	first, err := p.starred(true)
	if err != nil {
		return nil, err
	}
	return p.elements(open, '[', "]", first)
}

// elements reads what follows the first item of a list or a set, or a comprehension of one.
func (p *parser) elements(open int, kind byte, closing string, first syntax.Expr) (syntax.Expr, *syntax.Error) {
	if p.is("for") {
		x, err := p.comprehension(open, kind, first, nil)
		if err != nil {
			return nil, err
		}
		return x, p.expect(closing)
	}
	items, err := p.items(first, closing)
	if err != nil {
		return nil, err
	}
	return &syntax.Sequence{Pos: syntax.Pos(open), Kind: kind, Items: items}, p.expect(closing)
}

// braced reads a set or a dict.
func (p *parser) braced(open int) (syntax.Expr, *syntax.Error) {
	if p.accept("}") {
		return &syntax.Dict{Pos: syntax.Pos(open)}, nil
	}
	if p.is("**") {
		return p.dict(open, nil, nil)
	}
	first, err := p.starred(true)
	if err != nil {
		return nil, err
	}
	if !p.is(":") {
		return p.elements(open, '{', "}", first)
	}
	switch first.(type) {
	case *syntax.Starred, *syntax.Named:
		return nil, p.unexpected("")
	}
	p.take()
	value, err := p.expression()
	if err != nil {
		return nil, err
	}
	if !p.is("for") {
		return p.dict(open, []syntax.Expr{first}, []syntax.Expr{value})
	}
	x, err := p.comprehension(open, ':', first, value)
	if err != nil {
		return nil, err
	}
	return x, p.expect("}")
}

// dict reads the entries of a dict display that follow the given ones.
func (p *parser) dict(open int, keys, values []syntax.Expr) (syntax.Expr, *syntax.Error) {
	for len(keys) == 0 || p.accept(",") {
		if p.is("}") {
			break
		}
		key, value, err := p.entry()
		if err != nil {
			return nil, err
		}
		keys, values = append(keys, key), append(values, value)
	}
	return &syntax.Dict{Pos: syntax.Pos(open), Keys: keys, Values: values}, p.expect("}")
}

func (p *parser) entry() (key, value syntax.Expr, err *syntax.Error) {
	if p.accept("**") {
		value, err = p.binary(0)
		return nil, value, err
	}
	if key, err = p.expression(); err != nil {
		return nil, nil, err
	}
	if !p.accept(":") {
		return nil, nil, p.unexpected(", : was expected after the key")
	}
	value, err = p.expression()
	return key, value, err
}
