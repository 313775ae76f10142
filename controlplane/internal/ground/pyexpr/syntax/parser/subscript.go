package parser

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// subscript reads an index or slices of x.
func (p *parser) subscript(x syntax.Expr) (syntax.Expr, *syntax.Error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	open := p.take().Off
	first, err := p.slice()
	if err != nil {
		return nil, err
	}
	if p.is(",") {
		items := []syntax.Expr{first}
		for p.accept(",") && !p.is("]") {
			if first, err = p.slice(); err != nil {
				return nil, err
			}
			items = append(items, first)
		}
		first = &syntax.Sequence{Pos: syntax.Pos(open), Kind: '(', Items: items}
	} else if s, ok := first.(*syntax.Starred); ok {
		first = &syntax.Sequence{Pos: syntax.Pos(open), Kind: '(', Items: []syntax.Expr{s}}
	}
	return &syntax.Subscript{Pos: syntax.Pos(open), X: x, Index: first}, p.expect("]")
}

func (p *parser) slice() (syntax.Expr, *syntax.Error) {
	at := syntax.Pos(p.tok().Off)
	var parts [3]syntax.Expr
	n := 0
	for ; n < 3; n++ {
		if !p.is(":") && !p.is("]") && !p.is(",") {
			x, err := p.starred(true)
			if err != nil {
				return nil, err
			}
			parts[n] = x
		}
		if n == 2 || !p.accept(":") {
			break
		}
	}
	if n == 0 {
		if parts[0] == nil {
			return nil, p.unexpected(", an index was expected")
		}
		return parts[0], nil
	}
	for _, x := range parts {
		switch x.(type) {
		case *syntax.Starred, *syntax.Named:
			return nil, syntax.ErrorAt(x.At(), "invalid syntax in a slice")
		}
	}
	return &syntax.Slice{Pos: at, Lo: parts[0], Hi: parts[1], Step: parts[2]}, nil
}
