package syntax

// parenthesis reads a group, a tuple or a generator expression.
func (p *parser) parenthesis(open int) (Expr, *Error) {
	at := Pos(open)
	if p.accept(")") {
		return &Sequence{Pos: at, Kind: '('}, nil
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
		if s, ok := first.(*Starred); ok {
			return nil, errorAt(s.At(), "cannot use starred expression here")
		}
		return first, p.expect(")")
	}
	items, err := p.items(first, ")")
	if err != nil {
		return nil, err
	}
	return &Sequence{Pos: at, Kind: '(', Items: items}, p.expect(")")
}

// items reads what follows the first item up to the closing bracket.
func (p *parser) items(first Expr, closing string) ([]Expr, *Error) {
	items := []Expr{first}
	for p.accept(",") && !p.is(closing) {
		x, err := p.starred(true)
		if err != nil {
			return nil, err
		}
		items = append(items, x)
	}
	return items, nil
}

func (p *parser) listed(open int) (Expr, *Error) {
	if p.accept("]") {
		return &Sequence{Pos: Pos(open), Kind: '['}, nil
	}
	first, err := p.starred(true)
	if err != nil {
		return nil, err
	}
	return p.elements(open, '[', "]", first)
}

// elements reads what follows the first item of a list or a set, or a comprehension of one.
func (p *parser) elements(open int, kind byte, closing string, first Expr) (Expr, *Error) {
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
	return &Sequence{Pos: Pos(open), Kind: kind, Items: items}, p.expect(closing)
}

// braced reads a set or a dict.
func (p *parser) braced(open int) (Expr, *Error) {
	if p.accept("}") {
		return &Dict{Pos: Pos(open)}, nil
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
	case *Starred, *Named:
		return nil, p.unexpected("")
	}
	p.take()
	value, err := p.expression()
	if err != nil {
		return nil, err
	}
	if !p.is("for") {
		return p.dict(open, []Expr{first}, []Expr{value})
	}
	x, err := p.comprehension(open, ':', first, value)
	if err != nil {
		return nil, err
	}
	return x, p.expect("}")
}

// dict reads the entries of a dict display that follow the given ones.
func (p *parser) dict(open int, keys, values []Expr) (Expr, *Error) {
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
	return &Dict{Pos: Pos(open), Keys: keys, Values: values}, p.expect("}")
}

func (p *parser) entry() (key, value Expr, err *Error) {
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

// comprehension reads the clauses that follow an element.
func (p *parser) comprehension(open int, kind byte, elt, value Expr) (Expr, *Error) {
	if s, ok := elt.(*Starred); ok {
		return nil, errorAt(s.At(), "iterable unpacking cannot be used in comprehension")
	}
	node := &Comp{Pos: Pos(open), Kind: kind, Elt: elt, Value: value}
	for p.is("for") {
		at := Pos(p.take().off)
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
		clause := Clause{Pos: at, Target: target, Iter: iter}
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
func (p *parser) condition() (Expr, *Error) {
	x, err := p.or()
	if err != nil || !p.is(":=") {
		return x, err
	}
	target, ok := x.(*Name)
	if !ok {
		return nil, errorAt(p.tok().off, "a name stands before :=")
	}
	at := Pos(p.take().off)
	value, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &Named{Pos: at, Target: target, Value: value}, nil
}

// targets reads what a for assigns to.
func (p *parser) targets() (Expr, *Error) {
	at := Pos(p.tok().off)
	first, err := p.target()
	if err != nil {
		return nil, err
	}
	if !p.is(",") {
		if s, ok := first.(*Starred); ok {
			return nil, errorAt(s.At(), "starred assignment target must be in a list or tuple")
		}
		return first, nil
	}
	items := []Expr{first}
	for p.accept(",") && !p.is("in") && !p.is(")") && !p.is("]") {
		x, err := p.target()
		if err != nil {
			return nil, err
		}
		items = append(items, x)
	}
	return p.unpacked(&Sequence{Pos: at, Kind: '(', Items: items})
}

func (p *parser) unpacked(s *Sequence) (Expr, *Error) {
	stars := 0
	for _, x := range s.Items {
		if _, ok := x.(*Starred); ok {
			stars++
		}
	}
	if stars > 1 {
		return nil, errorAt(s.At(), "multiple starred expressions in assignment")
	}
	return s, nil
}

func (p *parser) target() (Expr, *Error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	t := p.tok()
	switch {
	case t.kind == name:
		x, err := p.atom()
		if err == nil && (p.is(".") || p.is("[") || p.is("(")) {
			return nil, refuseAt(p.tok().off, "a for assigns to names only")
		}
		return x, err
	case p.is("*"):
		p.take()
		x, err := p.target()
		if err != nil {
			return nil, err
		}
		if _, ok := x.(*Starred); ok {
			return nil, errorAt(t.off, "invalid syntax")
		}
		return &Starred{Pos: Pos(t.off), X: x}, nil
	case p.is("("), p.is("["):
		p.take()
		closing := map[string]string{"(": ")", "[": "]"}[t.text]
		if p.accept(closing) {
			return &Sequence{Pos: Pos(t.off), Kind: '('}, nil
		}
		x, err := p.targets()
		if err != nil {
			return nil, err
		}
		if _, ok := x.(*Sequence); !ok && t.text == "[" {
			x = &Sequence{Pos: Pos(t.off), Kind: '(', Items: []Expr{x}}
		}
		return x, p.expect(closing)
	}
	return nil, p.unexpected(", a name was expected after for")
}
