package parser

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax/lexer"
)

// levels are the binary operators, those that bind least first.
var levels = [][]string{{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"}}

func (p *parser) among(ops []string) bool {
	t := p.tok()
	if t.Kind != lexer.Op {
		return false
	}
	for _, o := range ops {
		if t.Text == o {
			return true
		}
	}
	return false
}

func (p *parser) binary(level int) (syntax.Expr, *syntax.Error) {
	if level == len(levels) {
		return p.unary()
	}
	x, err := p.binary(level + 1)
	if err != nil {
		return nil, err
	}
	for n := 1; p.among(levels[level]); n++ {
		t := p.take()
		y, err := p.binary(level + 1)
		if err != nil {
			return nil, err
		}
		if t.Text == "@" {
			return nil, syntax.RefuseAt(t.Off, "@ multiplies matrices, which there are none of here")
		}
		x = &syntax.Binary{Pos: syntax.Pos(t.Off), Op: t.Text, L: x, R: y}
		if err := p.chain(n); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (p *parser) unary() (syntax.Expr, *syntax.Error) {
	if !p.is("-") && !p.is("+") && !p.is("~") {
		return p.power()
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	t := p.take()
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	return &syntax.Unary{Pos: syntax.Pos(t.Off), Op: t.Text, X: x}, nil
}

// power binds its right side first: 2**3**2 is 2**(3**2), and -2**2 is -(2**2).
func (p *parser) power() (syntax.Expr, *syntax.Error) {
	x, err := p.primary()
	if err != nil || !p.is("**") {
		return x, err
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	t := p.take()
	y, err := p.unary()
	if err != nil {
		return nil, err
	}
	return &syntax.Binary{Pos: syntax.Pos(t.Off), Op: "**", L: x, R: y}, nil
}
