package parser

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax/lexer"
)

// primary reads an atom and what is called, picked or looked up of it.
func (p *parser) primary() (syntax.Expr, *syntax.Error) {
	x, err := p.atom()
	if err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		switch {
		case p.is("."):
			p.take()
			t := p.take()
			if t.Kind != lexer.Name {
				p.i--
				return nil, p.unexpected(", a name was expected after the dot")
			}
			if strings.HasPrefix(t.Text, "_") {
				return nil, syntax.RefuseAt(t.Off, "%s: names that begin with _ are not reachable here", t.Text)
			}
			x = &syntax.Attribute{Pos: syntax.Pos(t.Off), X: x, Name: t.Text}
		case p.is("("):
			x, err = p.call(x)
		case p.is("["):
			x, err = p.subscript(x)
		default:
			return x, nil
		}
		if err == nil {
			err = p.chain(n)
		}
		if err != nil {
			return nil, err
		}
	}
}

func (p *parser) atom() (syntax.Expr, *syntax.Error) {
	t := p.tok()
	at := syntax.Pos(t.Off)
	switch t.Kind {
	case lexer.Name:
		p.take()
		if strings.HasPrefix(t.Text, "_") && t.Text != "_" {
			return nil, syntax.RefuseAt(t.Off, "%s: names that begin with _ are not reachable here", t.Text)
		}
		return &syntax.Name{Pos: at, ID: t.Text}, nil
	case lexer.Number:
		p.take()
		v, err := lexer.Numeral(t)
		return &syntax.Const{Pos: at, Value: v}, err
	case lexer.Text:
		return p.literal()
	case lexer.Keyword:
		switch t.Text {
		case "None":
			p.take()
			return &syntax.Const{Pos: at}, nil
		case "True", "False":
			p.take()
			return &syntax.Const{Pos: at, Value: t.Text == "True"}, nil
		case "lambda":
			return nil, syntax.ErrorAt(t.Off, "put the lambda in parentheses")
		}
	case lexer.Op:
		switch t.Text {
		case "(", "[", "{":
			return p.bracket(t)
		}
	}
	return nil, p.unexpected("")
}

// bracket counts the level of a bracket and reads what is in it.
func (p *parser) bracket(t lexer.Token) (syntax.Expr, *syntax.Error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	p.take()
	switch t.Text {
	case "(":
		return p.parenthesis(t.Off)
	case "[":
		return p.listed(t.Off)
	}
	return p.braced(t.Off)
}
