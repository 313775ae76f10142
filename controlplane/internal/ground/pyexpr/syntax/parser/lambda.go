package parser

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax/lexer"
)

func (p *parser) lambda() (syntax.Expr, *syntax.Error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	node := &syntax.Lambda{Pos: syntax.Pos(p.take().Off)}
	if err := p.params(node); err != nil {
		return nil, err
	}
	if !p.accept(":") {
		return nil, p.unexpected(", : was expected")
	}
	body, err := p.expression()
	node.Body = body
	return node, err
}

func (p *parser) params(node *syntax.Lambda) *syntax.Error {
	var star, keywords, slash, defaulted bool
	for seen := map[string]bool{}; !p.is(":") && !keywords; {
		t := p.tok()
		switch {
		case p.is("/"):
			if slash || star || len(node.Params) == 0 {
				return syntax.ErrorAt(t.Off, "invalid syntax")
			}
			slash = true
			p.take()
			for i := range node.Params {
				node.Params[i].Only = 'p'
			}
		case p.is("*") && p.tokens[p.i+1].Kind != lexer.Name:
			if star {
				return syntax.ErrorAt(t.Off, "invalid syntax")
			}
			star = true
			p.take()
			if !p.is(",") || p.tokens[p.i+1].Kind != lexer.Name {
				return syntax.ErrorAt(t.Off, "named arguments must follow bare *")
			}
		default:
			param, err := p.param(star)
			if err != nil {
				return err
			}
			if param.Star == 1 && star {
				return syntax.ErrorAt(t.Off, "invalid syntax")
			}
			if seen[param.Name.ID] {
				return syntax.ErrorAt(t.Off, "duplicate argument '%s' in function definition", param.Name.ID)
			}
			seen[param.Name.ID] = true
			if param.Star == 0 && !star {
				if param.Default == nil && defaulted {
					return syntax.ErrorAt(t.Off, "non-default argument follows default argument")
				}
				defaulted = param.Default != nil
			}
			star = star || param.Star == 1
			keywords = param.Star == 2
			node.Params = append(node.Params, param)
		}
		if !p.accept(",") {
			break
		}
	}
	return nil
}

func (p *parser) param(star bool) (syntax.Param, *syntax.Error) {
	param := syntax.Param{}
	switch {
	case p.accept("**"):
		param.Star = 2
	case p.accept("*"):
		param.Star = 1
	case star:
		param.Only = 'k'
	}
	if p.tok().Kind != lexer.Name {
		return param, p.unexpected(", a parameter was expected")
	}
	x, err := p.atom()
	if err != nil {
		return param, err
	}
	param.Name = x.(*syntax.Name)
	if param.Star == 0 && p.accept("=") {
		if param.Default, err = p.expression(); err != nil {
			return param, err
		}
	}
	return param, nil
}
