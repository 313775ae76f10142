package parser

import (
	"strings"
	"unicode/utf8"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax/lexer"
)

// literal joins adjacent string tokens into one node.
func (p *parser) literal() (syntax.Expr, *syntax.Error) {
	first := p.tok()
	bytes := strings.Contains(first.Prefix, "b")
	var parts []syntax.Expr
	for p.tok().Kind == lexer.Text {
		t := p.take()
		if strings.Contains(t.Prefix, "b") != bytes {
			return nil, syntax.ErrorAt(t.Off, "cannot mix bytes and nonbytes literals")
		}
		more, err := p.pieces(t)
		if err != nil {
			return nil, err
		}
		parts = append(parts, more...)
	}
	return joined(syntax.Pos(first.Off), parts, bytes, p.formatted(first.Off)), nil
}

// formatted reports whether one of the strings from the given offset to here has an f before it.
func (p *parser) formatted(off int) bool {
	for i := p.i - 1; i >= 0 && p.tokens[i].Kind == lexer.Text && p.tokens[i].Off >= off; i-- {
		if strings.Contains(p.tokens[i].Prefix, "f") {
			return true
		}
	}
	return false
}

func joined(at syntax.Pos, parts []syntax.Expr, bytes, formatted bool) syntax.Expr {
	if formatted {
		return &syntax.FString{Pos: at, Parts: parts}
	}
	var all strings.Builder
	for _, part := range parts {
		all.WriteString(part.(*syntax.Const).Value.(string))
	}
	if bytes {
		return &syntax.Const{Pos: at, Value: syntax.Bytes(all.String())}
	}
	return &syntax.Const{Pos: at, Value: all.String()}
}

// pieces are the parts of one string token.
func (p *parser) pieces(t lexer.Token) ([]syntax.Expr, *syntax.Error) {
	quotes := 1
	if t.Triple {
		quotes = 3
	}
	off := t.Off + len(t.Prefix) + quotes
	if strings.Contains(t.Prefix, "f") {
		f := &fstring{parser: p, raw: strings.Contains(t.Prefix, "r"), pos: off, end: t.End - quotes}
		return f.parts(0)
	}
	s := t.Text
	if !strings.Contains(t.Prefix, "r") {
		var err *syntax.Error
		if s, err = lexer.Unescape(s, off, strings.Contains(t.Prefix, "b")); err != nil {
			return nil, err
		}
	} else if strings.Contains(t.Prefix, "b") {
		for i := range len(s) {
			if s[i] >= utf8.RuneSelf {
				return nil, syntax.ErrorAt(off+i, "bytes can only contain ASCII literal characters")
			}
		}
	}
	return []syntax.Expr{&syntax.Const{Pos: syntax.Pos(t.Off), Value: s}}, nil
}
