package syntax

// parser reads tokens by recursive descent; each method reads one level of the grammar.
type parser struct {
	src    string
	tokens []token
	i      int
	depth  int
}

// Parse reads one expression.
func Parse(source string) (Expr, error) {
	if len(source) > MaxSource {
		return nil, &Error{Kind: TooLong, Offset: MaxSource, Msg: "the expression is longer than 4 KiB"}
	}
	x, err := parse(source)
	if err != nil {
		return nil, err
	}
	return x, nil
}

func parse(source string) (Expr, *Error) {
	if at := invalid(source); at >= 0 {
		return nil, errorAt(at, "the text is not valid UTF-8 or holds a null character")
	}
	start := 0
	for start < len(source) && (source[start] == ' ' || source[start] == '\t') {
		start++
	}
	tokens, err := lex(source, start, len(source), 0)
	if err != nil {
		return nil, err
	}
	p := &parser{src: source, tokens: tokens}
	if p.tok().kind == end {
		return nil, errorAt(len(source), "the expression is empty")
	}
	x, err := p.tuple(end)
	if err != nil {
		return nil, err
	}
	return x, p.finish()
}

func (p *parser) tok() token { return p.tokens[p.i] }

func (p *parser) take() token {
	t := p.tokens[p.i]
	if t.kind != end {
		p.i++
	}
	return t
}

// is reports whether the next token is this operator or keyword.
func (p *parser) is(s string) bool {
	t := p.tok()
	return (t.kind == op || t.kind == keyword) && t.text == s
}

func (p *parser) accept(s string) bool {
	if p.is(s) {
		p.i++
		return true
	}
	return false
}

func (p *parser) expect(s string) *Error {
	if p.accept(s) {
		return nil
	}
	return p.unexpected(", " + s + " was expected")
}

func (p *parser) unexpected(more string) *Error {
	switch t := p.tok(); {
	case t.kind == end:
		if open := p.unclosed(); open >= 0 {
			return errorAt(open, "'%s' was never closed", p.src[open:open+1])
		}
		return errorAt(t.off, "the expression ends too soon%s", more)
	case t.kind == op && t.text == "=":
		return errorAt(t.off, "= assigns; write == to compare, or (name := value)")
	case t.kind == op && t.text == ":=":
		return errorAt(t.off, "write an assignment expression in parentheses: (name := value)")
	default:
		return errorAt(t.off, "invalid syntax at %q%s", p.src[t.off:t.end], more)
	}
}

// unclosed is the offset of the last bracket that is not closed, or -1.
func (p *parser) unclosed() int {
	var open []int
	for _, t := range p.tokens {
		switch {
		case t.kind != op:
		case t.text == "(" || t.text == "[" || t.text == "{":
			open = append(open, t.off)
		case len(open) > 0 && (t.text == ")" || t.text == "]" || t.text == "}"):
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}

// finish makes sure that nothing follows.
func (p *parser) finish() *Error {
	if p.tok().kind == end {
		return nil
	}
	return p.unexpected("")
}

// deeper counts one level of nesting; the caller takes it back when it returns.
func (p *parser) deeper() *Error {
	p.depth++
	if p.depth > MaxNesting {
		return &Error{Kind: TooDeep, Offset: p.tok().off, Msg: "the expression is nested more than 100 levels deep"}
	}
	return nil
}

func (p *parser) chain(n int) *Error {
	if n > maxChain {
		return &Error{Kind: TooDeep, Offset: p.tok().off, Msg: "more than 300 operations follow one another"}
	}
	return nil
}

// tuple reads one expression, or several with commas between them, up to a token that ends them.
func (p *parser) tuple(stop kind) (Expr, *Error) {
	at := Pos(p.tok().off)
	first, err := p.starred(stop != end)
	if err != nil {
		return nil, err
	}
	if !p.is(",") {
		if s, ok := first.(*Starred); ok {
			return nil, errorAt(s.At(), "can't use starred expression here")
		}
		return first, nil
	}
	items := []Expr{first}
	for p.accept(",") {
		if p.tok().kind == end || p.is(")") || p.is("]") || p.is("}") || p.is(":") || p.is("=") {
			break
		}
		x, err := p.starred(stop != end)
		if err != nil {
			return nil, err
		}
		items = append(items, x)
	}
	return &Sequence{Pos: at, Kind: '(', Items: items}, nil
}

// starred reads `*x`, or an expression, where `name := x` is allowed when named is true.
func (p *parser) starred(named bool) (Expr, *Error) {
	if p.is("*") {
		at := Pos(p.take().off)
		x, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		return &Starred{Pos: at, X: x}, nil
	}
	if named {
		return p.named()
	}
	return p.expression()
}

// named reads `name := x` or an expression.
func (p *parser) named() (Expr, *Error) {
	x, err := p.expression()
	if err != nil || !p.is(":=") {
		return x, err
	}
	target, ok := x.(*Name)
	if !ok {
		return nil, errorAt(p.tok().off, "cannot use assignment expressions with this; a name stands before :=")
	}
	at := Pos(p.take().off)
	value, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &Named{Pos: at, Target: target, Value: value}, nil
}

func (p *parser) expression() (Expr, *Error) {
	if p.is("lambda") {
		return p.lambda()
	}
	x, err := p.or()
	if err != nil || !p.is("if") {
		return x, err
	}
	at := Pos(p.take().off)
	test, err := p.or()
	if err != nil {
		return nil, err
	}
	if !p.accept("else") {
		return nil, errorAt(p.tok().off, "expected 'else' after 'if' expression")
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	otherwise, err := p.expression()
	if err != nil {
		return nil, err
	}
	return &Cond{Pos: at, Test: test, Then: x, Else: otherwise}, nil
}

func (p *parser) or() (Expr, *Error)  { return p.logic("or", p.and) }
func (p *parser) and() (Expr, *Error) { return p.logic("and", p.not) }

func (p *parser) logic(word string, level func() (Expr, *Error)) (Expr, *Error) {
	x, err := level()
	if err != nil || !p.is(word) {
		return x, err
	}
	node := &Logic{Pos: Pos(p.tok().off), And: word == "and", Xs: []Expr{x}}
	for p.accept(word) {
		if x, err = level(); err != nil {
			return nil, err
		}
		node.Xs = append(node.Xs, x)
	}
	return node, nil
}

func (p *parser) not() (Expr, *Error) {
	if !p.is("not") {
		return p.comparison()
	}
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	at := Pos(p.take().off)
	x, err := p.not()
	if err != nil {
		return nil, err
	}
	return &Unary{Pos: at, Op: "not", X: x}, nil
}

// comparer reads the operator of a comparison, if there is one.
func (p *parser) comparer() string {
	t := p.tok()
	if t.kind != op && t.kind != keyword {
		return ""
	}
	switch t.text {
	case "==", "!=", "<", "<=", ">", ">=", "in":
		p.i++
		return t.text
	case "is":
		p.i++
		if p.accept("not") {
			return "is not"
		}
		return "is"
	case "not":
		if next := p.tokens[p.i+1]; next.kind == keyword && next.text == "in" {
			p.i += 2
			return "not in"
		}
	}
	return ""
}

func (p *parser) comparison() (Expr, *Error) {
	x, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	at := Pos(p.tok().off)
	o := p.comparer()
	if o == "" {
		return x, nil
	}
	node := &Compare{Pos: at, First: x}
	for ; o != ""; o = p.comparer() {
		y, err := p.binary(0)
		if err != nil {
			return nil, err
		}
		node.Ops, node.Rest = append(node.Ops, o), append(node.Rest, y)
	}
	return node, p.chain(len(node.Ops))
}
