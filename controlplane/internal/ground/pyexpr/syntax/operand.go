package syntax

import (
	"strings"
	"unicode/utf8"
)

// invalid is the offset of the first byte that no source may hold, or -1.
func invalid(source string) int {
	for i, r := range source {
		if r == 0 || r == utf8.RuneError && !strings.HasPrefix(source[i:], "\uFFFD") {
			return i
		}
	}
	return -1
}

// levels are the binary operators, those that bind least first.
var levels = [][]string{{"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "//", "%", "@"}}

func (p *parser) among(ops []string) bool {
	t := p.tok()
	if t.kind != op {
		return false
	}
	for _, o := range ops {
		if t.text == o {
			return true
		}
	}
	return false
}

func (p *parser) binary(level int) (Expr, *Error) {
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
		if t.text == "@" {
			return nil, refuseAt(t.off, "@ multiplies matrices, which there are none of here")
		}
		x = &Binary{Pos: Pos(t.off), Op: t.text, L: x, R: y}
		if err := p.chain(n); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (p *parser) unary() (Expr, *Error) {
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
	return &Unary{Pos: Pos(t.off), Op: t.text, X: x}, nil
}

// power binds its right side first: 2**3**2 is 2**(3**2), and -2**2 is -(2**2).
func (p *parser) power() (Expr, *Error) {
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
	return &Binary{Pos: Pos(t.off), Op: "**", L: x, R: y}, nil
}

// primary reads an atom and what is called, picked or looked up of it.
func (p *parser) primary() (Expr, *Error) {
	x, err := p.atom()
	if err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		switch {
		case p.is("."):
			p.take()
			t := p.take()
			if t.kind != name {
				p.i--
				return nil, p.unexpected(", a name was expected after the dot")
			}
			if strings.HasPrefix(t.text, "_") {
				return nil, refuseAt(t.off, "%s: names that begin with _ are not reachable here", t.text)
			}
			x = &Attribute{Pos: Pos(t.off), X: x, Name: t.text}
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

func (p *parser) atom() (Expr, *Error) {
	t := p.tok()
	at := Pos(t.off)
	switch t.kind {
	case name:
		p.take()
		if strings.HasPrefix(t.text, "_") && t.text != "_" {
			return nil, refuseAt(t.off, "%s: names that begin with _ are not reachable here", t.text)
		}
		return &Name{Pos: at, ID: t.text}, nil
	case number:
		p.take()
		v, err := numeral(t)
		return &Const{Pos: at, Value: v}, err
	case text:
		return p.literal()
	case keyword:
		switch t.text {
		case "None":
			p.take()
			return &Const{Pos: at}, nil
		case "True", "False":
			p.take()
			return &Const{Pos: at, Value: t.text == "True"}, nil
		case "lambda":
			return nil, errorAt(t.off, "put the lambda in parentheses")
		}
	case op:
		switch t.text {
		case "(", "[", "{":
			return p.bracket(t)
		}
	}
	return nil, p.unexpected("")
}

// bracket counts the level of a bracket and reads what is in it.
func (p *parser) bracket(t token) (Expr, *Error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	p.take()
	switch t.text {
	case "(":
		return p.parenthesis(t.off)
	case "[":
		return p.listed(t.off)
	}
	return p.braced(t.off)
}
