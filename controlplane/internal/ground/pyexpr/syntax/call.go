package syntax

// call reads the arguments of a call of f.
func (p *parser) call(f Expr) (Expr, *Error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	open := p.take().off
	node := &Call{Pos: Pos(open), Func: f}
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

func (p *parser) argument(node *Call) *Error {
	t := p.tok()
	switch {
	case p.accept("**"):
		x, err := p.expression()
		node.Keywords = append(node.Keywords, Keyword{Pos: Pos(t.off), Value: x})
		return err
	case p.accept("*"):
		x, err := p.expression()
		node.Args = append(node.Args, &Starred{Pos: Pos(t.off), X: x})
		return err
	case t.kind == name && p.tokens[p.i+1].kind == op && p.tokens[p.i+1].text == "=":
		return p.keyword(node)
	}
	x, err := p.named()
	if err != nil {
		return err
	}
	if p.is("for") {
		if x, err = p.comprehension(t.off, '(', x, nil); err != nil {
			return err
		}
		if len(node.Args)+len(node.Keywords) > 0 || !p.is(")") && !(p.is(",") && p.tokens[p.i+1].text == ")") {
			return errorAt(t.off, "Generator expression must be parenthesized")
		}
		if p.is(",") {
			return errorAt(t.off, "Generator expression must be parenthesized")
		}
	}
	if len(node.Keywords) > 0 {
		return errorAt(t.off, "positional argument follows keyword argument")
	}
	node.Args = append(node.Args, x)
	return nil
}

func (p *parser) keyword(node *Call) *Error {
	t := p.take()
	p.take()
	for _, k := range node.Keywords {
		if k.Name == t.text {
			return errorAt(t.off, "keyword argument repeated: %s", t.text)
		}
	}
	x, err := p.expression()
	node.Keywords = append(node.Keywords, Keyword{Pos: Pos(t.off), Name: t.text, Value: x})
	return err
}

// subscript reads an index or slices of x.
func (p *parser) subscript(x Expr) (Expr, *Error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	open := p.take().off
	first, err := p.slice()
	if err != nil {
		return nil, err
	}
	if p.is(",") {
		items := []Expr{first}
		for p.accept(",") && !p.is("]") {
			if first, err = p.slice(); err != nil {
				return nil, err
			}
			items = append(items, first)
		}
		first = &Sequence{Pos: Pos(open), Kind: '(', Items: items}
	} else if s, ok := first.(*Starred); ok {
		first = &Sequence{Pos: Pos(open), Kind: '(', Items: []Expr{s}}
	}
	return &Subscript{Pos: Pos(open), X: x, Index: first}, p.expect("]")
}

func (p *parser) slice() (Expr, *Error) {
	at := Pos(p.tok().off)
	var parts [3]Expr
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
		case *Starred, *Named:
			return nil, errorAt(x.At(), "invalid syntax in a slice")
		}
	}
	return &Slice{Pos: at, Lo: parts[0], Hi: parts[1], Step: parts[2]}, nil
}

func (p *parser) lambda() (Expr, *Error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	node := &Lambda{Pos: Pos(p.take().off)}
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

func (p *parser) params(node *Lambda) *Error {
	var star, keywords, slash, defaulted bool
	for seen := map[string]bool{}; !p.is(":") && !keywords; {
		t := p.tok()
		switch {
		case p.is("/"):
			if slash || star || len(node.Params) == 0 {
				return errorAt(t.off, "invalid syntax")
			}
			slash = true
			p.take()
			for i := range node.Params {
				node.Params[i].Only = 'p'
			}
		case p.is("*") && p.tokens[p.i+1].kind != name:
			if star {
				return errorAt(t.off, "invalid syntax")
			}
			star = true
			p.take()
			if !p.is(",") || p.tokens[p.i+1].kind != name {
				return errorAt(t.off, "named arguments must follow bare *")
			}
		default:
			param, err := p.param(star)
			if err != nil {
				return err
			}
			if param.Star == 1 && star {
				return errorAt(t.off, "invalid syntax")
			}
			if seen[param.Name.ID] {
				return errorAt(t.off, "duplicate argument '%s' in function definition", param.Name.ID)
			}
			seen[param.Name.ID] = true
			if param.Star == 0 && !star {
				if param.Default == nil && defaulted {
					return errorAt(t.off, "non-default argument follows default argument")
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

func (p *parser) param(star bool) (Param, *Error) {
	param := Param{}
	switch {
	case p.accept("**"):
		param.Star = 2
	case p.accept("*"):
		param.Star = 1
	case star:
		param.Only = 'k'
	}
	if p.tok().kind != name {
		return param, p.unexpected(", a parameter was expected")
	}
	x, err := p.atom()
	if err != nil {
		return param, err
	}
	param.Name = x.(*Name)
	if param.Star == 0 && p.accept("=") {
		if param.Default, err = p.expression(); err != nil {
			return param, err
		}
	}
	return param, nil
}
