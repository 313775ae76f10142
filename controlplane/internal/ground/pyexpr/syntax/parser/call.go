package parser

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax/lexer"
)

// call reads the arguments of a call of f.
func (p *parser) call(f syntax.Expr) (syntax.Expr, *syntax.Error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	open := p.take().Off
	node := &syntax.Call{Pos: syntax.Pos(open), Func: f}
	for !p.is(")") {
		if err := p.argument(node); err != nil {
			return nil, err
		}
		if !p.accept(",") {
			break
		}
	}
	return node, p.expect(")")
}

func (p *parser) argument(node *syntax.Call) *syntax.Error {
	t := p.tok()
	switch {
	case p.accept("**"):
		x, err := p.expression()
		node.Keywords = append(node.Keywords, syntax.Keyword{Pos: syntax.Pos(t.Off), Value: x})
		return err
	case p.accept("*"):
		x, err := p.expression()
		node.Args = append(node.Args, &syntax.Starred{Pos: syntax.Pos(t.Off), X: x})
		return err
	case t.Kind == lexer.Name && p.tokens[p.i+1].Kind == lexer.Op && p.tokens[p.i+1].Text == "=":
		return p.keyword(node)
	}
	x, err := p.named()
	if err != nil {
		return err
	}
	if p.is("for") {
		if x, err = p.comprehension(t.Off, '(', x, nil); err != nil {
			return err
		}
		if len(node.Args)+len(node.Keywords) > 0 || !p.is(")") && !(p.is(",") && p.tokens[p.i+1].Text == ")") {
			return syntax.ErrorAt(t.Off, "Generator expression must be parenthesized")
		}
		if p.is(",") {
			return syntax.ErrorAt(t.Off, "Generator expression must be parenthesized")
		}
	}
	if len(node.Keywords) > 0 {
		return syntax.ErrorAt(t.Off, "positional argument follows keyword argument")
	}
	node.Args = append(node.Args, x)
	return nil
}

func (p *parser) keyword(node *syntax.Call) *syntax.Error {
	t := p.take()
	p.take()
	for _, k := range node.Keywords {
		if k.Name == t.Text {
			return syntax.ErrorAt(t.Off, "keyword argument repeated: %s", t.Text)
		}
	}
	x, err := p.expression()
	node.Keywords = append(node.Keywords, syntax.Keyword{Pos: syntax.Pos(t.Off), Name: t.Text, Value: x})
	return err
}
