package parser

import (
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax/lexer"
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

// maxChain is how many operators, calls, dots and subscripts may follow one another.
const maxChain = 300

// parser reads tokens by recursive descent; each method reads one level of the grammar.
type parser struct {
	src    string
	tokens []lexer.Token
	i      int
	depth  int
}

// Parse reads one expression.
func Parse(source string) (syntax.Expr, error) {
	if len(source) > syntax.MaxSource {
		return nil, &syntax.Error{
			Kind:   syntax.TooLong,
			Offset: syntax.MaxSource,
			Msg:    "the expression is longer than 4 KiB",
		}
	}
	x, err := parse(source)
	if err != nil {
		return nil, err
	}
	return x, nil
}

func parse(source string) (syntax.Expr, *syntax.Error) {
	if at := invalid(source); at >= 0 {
		return nil, syntax.ErrorAt(at, "the text is not valid UTF-8 or holds a null character")
	}
	start := 0
	for start < len(source) && (source[start] == ' ' || source[start] == '\t') {
		start++
	}
	tokens, err := lexer.Tokenize(source, start, len(source), 0)
	if err != nil {
		return nil, err
	}
	p := &parser{src: source, tokens: tokens}
	if p.tok().Kind == lexer.End {
		return nil, syntax.ErrorAt(len(source), "the expression is empty")
	}
	x, err := p.tuple(lexer.End)
	if err != nil {
		return nil, err
	}
	return x, p.finish()
}

func (p *parser) tok() lexer.Token { return p.tokens[p.i] }

func (p *parser) take() lexer.Token {
	t := p.tokens[p.i]
	if t.Kind != lexer.End {
		p.i++
	}
	return t
}

// is reports whether the next token is this operator or keyword.
func (p *parser) is(s string) bool {
	t := p.tok()
	return (t.Kind == lexer.Op || t.Kind == lexer.Keyword) && t.Text == s
}

func (p *parser) accept(s string) bool {
	if p.is(s) {
		p.i++
		return true
	}
	return false
}

func (p *parser) expect(s string) *syntax.Error {
	if p.accept(s) {
		return nil
	}
	return p.unexpected(", " + s + " was expected")
}

func (p *parser) unexpected(more string) *syntax.Error {
	switch t := p.tok(); {
	case t.Kind == lexer.End:
		if open := p.unclosed(); open >= 0 {
			return syntax.ErrorAt(open, "'%s' was never closed", p.src[open:open+1])
		}
		return syntax.ErrorAt(t.Off, "the expression ends too soon%s", more)
	case t.Kind == lexer.Op && t.Text == "=":
		return syntax.ErrorAt(t.Off, "= assigns; write == to compare, or (name := value)")
	case t.Kind == lexer.Op && t.Text == ":=":
		return syntax.ErrorAt(t.Off, "write an assignment expression in parentheses: (name := value)")
	default:
		return syntax.ErrorAt(t.Off, "invalid syntax at %q%s", p.src[t.Off:t.End], more)
	}
}

// unclosed is the offset of the last bracket that is not closed, or -1.
func (p *parser) unclosed() int {
	var open []int
	for _, t := range p.tokens {
		switch {
		case t.Kind != lexer.Op:
		case t.Text == "(" || t.Text == "[" || t.Text == "{":
			open = append(open, t.Off)
		case len(open) > 0 && (t.Text == ")" || t.Text == "]" || t.Text == "}"):
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}

// finish makes sure that nothing follows.
func (p *parser) finish() *syntax.Error {
	if p.tok().Kind == lexer.End {
		return nil
	}
	return p.unexpected("")
}

// deeper counts one level of nesting; the caller takes it back when it returns.
func (p *parser) deeper() *syntax.Error {
	p.depth++
	if p.depth > syntax.MaxNesting {
		return &syntax.Error{
			Kind:   syntax.TooDeep,
			Offset: p.tok().Off,
			Msg:    "the expression is nested more than 100 levels deep",
		}
	}
	return nil
}

func (p *parser) chain(n int) *syntax.Error {
	if n > maxChain {
		return &syntax.Error{
			Kind:   syntax.TooDeep,
			Offset: p.tok().Off,
			Msg:    "more than 300 operations follow one another",
		}
	}
	return nil
}
