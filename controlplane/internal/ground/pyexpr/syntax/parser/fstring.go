package parser

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax/lexer"
)

// fstring reads the inside of a formatted string, from pos to end of the source.
type fstring struct {
	*parser
	raw      bool
	pos, end int
}

// parts reads text and fields; at level 1, inside of a format spec, it stops before the brace that closes the field.
func (f *fstring) parts(level int) ([]syntax.Expr, *syntax.Error) {
	var parts []syntax.Expr
	for f.pos < f.end {
		at := f.pos
		s, err := f.text(level)
		if err != nil {
			return nil, err
		}
		if s != "" {
			parts = append(parts, &syntax.Const{Pos: syntax.Pos(at), Value: s})
		}
		if f.pos >= f.end || f.src[f.pos] == '}' {
			break
		}
		more, err := f.field(level)
		if err != nil {
			return nil, err
		}
		parts = append(parts, more...)
	}
	return parts, nil
}

// text reads up to the next field or the end.
func (f *fstring) text(level int) (string, *syntax.Error) {
	var all strings.Builder
	from := f.pos
	flush := func(to int) *syntax.Error {
		s := f.src[from:to]
		if !f.raw {
			var err *syntax.Error
			if s, err = lexer.Unescape(s, from, false); err != nil {
				return err
			}
		}
		all.WriteString(s)
		return nil
	}
	for ; f.pos < f.end; f.pos++ {
		c := f.src[f.pos]
		if c == '\\' && !f.raw && f.pos+1 < f.end && f.src[f.pos+1] != '{' && f.src[f.pos+1] != '}' {
			f.pos++
			continue
		}
		if c != '{' && c != '}' {
			continue
		}
		if level == 0 && f.pos+1 < f.end && f.src[f.pos+1] == c {
			if err := flush(f.pos + 1); err != nil {
				return "", err
			}
			f.pos++
			from = f.pos + 1
			continue
		}
		if c == '}' && level == 0 {
			return "", syntax.ErrorAt(f.pos, "f-string: single '}' is not allowed")
		}
		break
	}
	if err := flush(f.pos); err != nil {
		return "", err
	}
	return all.String(), nil
}

// field reads a replacement field from its opening brace to its closing one. With `=` it is preceded by its own text.
func (f *fstring) field(level int) ([]syntax.Expr, *syntax.Error) {
	open := f.pos
	if level >= 2 {
		return nil, syntax.ErrorAt(open, "f-string: expressions nested too deeply")
	}
	f.pos++
	from := f.pos
	if err := f.toExprEnd(); err != nil {
		return nil, err
	}
	x, err := f.expr(from, f.pos)
	if err != nil {
		return nil, err
	}
	node := &syntax.Field{Pos: syntax.Pos(from), X: x}
	shown := ""
	if f.at('=') {
		f.pos++
		for f.at(' ') || f.at('\t') || f.at('\n') {
			f.pos++
		}
		shown = f.src[from:f.pos]
		node.Conv = 'r'
	}
	explicit, err := f.conversion(node)
	if err != nil {
		return nil, err
	}
	if err := f.spec(node, level, shown != "" && !explicit); err != nil {
		return nil, err
	}
	if !f.at('}') {
		return nil, syntax.ErrorAt(open, "f-string: expecting '}'")
	}
	f.pos++
	if shown != "" {
		return []syntax.Expr{&syntax.Const{Pos: syntax.Pos(from), Value: shown}, node}, nil
	}
	return []syntax.Expr{node}, nil
}

func (f *fstring) at(c byte) bool { return f.pos < f.end && f.src[f.pos] == c }

func (f *fstring) conversion(node *syntax.Field) (bool, *syntax.Error) {
	if !f.at('!') {
		return false, nil
	}
	f.pos++
	if f.pos >= f.end || strings.IndexByte("rsa", f.src[f.pos]) < 0 {
		return false, syntax.ErrorAt(f.pos, "f-string: invalid conversion character: expected 's', 'r', or 'a'")
	}
	node.Conv = f.src[f.pos]
	f.pos++
	return true, nil
}

// spec reads what follows a colon. A field shown with `=` is printed as repr only when it has no spec.
func (f *fstring) spec(node *syntax.Field, level int, shown bool) *syntax.Error {
	if !f.at(':') {
		return nil
	}
	if shown {
		node.Conv = 0
	}
	at := f.pos
	f.pos++
	parts, err := f.parts(level + 1)
	node.Spec = &syntax.FString{Pos: syntax.Pos(at), Parts: parts}
	return err
}

// toExprEnd moves to what ends the expression of a field: `!`, `:`, `=` or `}` outside of brackets and quotes.
func (f *fstring) toExprEnd() *syntax.Error {
	depth := 0
	for ; f.pos < f.end; f.pos++ {
		switch c := f.src[f.pos]; c {
		case '\\':
			return syntax.ErrorAt(f.pos, "f-string expression part cannot include a backslash")
		case '#':
			return syntax.ErrorAt(f.pos, "f-string expression part cannot include '#'")
		case '\'', '"':
			if err := f.skipString(); err != nil {
				return err
			}
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth == 0 && c == '}' {
				return nil
			}
			depth = max(depth-1, 0)
		case ':':
			if depth == 0 {
				return nil
			}
		case '!', '=', '<', '>':
			if f.pos+1 < f.end && f.src[f.pos+1] == '=' {
				f.pos++
			} else if depth == 0 && (c == '!' || c == '=') {
				return nil
			}
		}
	}
	return syntax.ErrorAt(f.pos, "f-string: expecting '}'")
}

func (f *fstring) skipString() *syntax.Error {
	start, quote := f.pos, f.src[f.pos:f.pos+1]
	if strings.HasPrefix(f.src[f.pos:f.end], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	for f.pos += len(quote); f.pos < f.end; f.pos++ {
		if f.src[f.pos] == '\\' {
			return syntax.ErrorAt(f.pos, "f-string expression part cannot include a backslash")
		}
		if strings.HasPrefix(f.src[f.pos:f.end], quote) {
			f.pos += len(quote) - 1
			return nil
		}
	}
	return syntax.ErrorAt(start, "f-string: unterminated string")
}

// expr reads the expression between two offsets of the source, as if it stood in parentheses.
func (f *fstring) expr(from, to int) (syntax.Expr, *syntax.Error) {
	if strings.TrimSpace(f.src[from:to]) == "" {
		return nil, syntax.ErrorAt(from, "f-string: empty expression not allowed")
	}
	tokens, err := lexer.Tokenize(f.src, from, to, 1)
	if err != nil {
		return nil, err
	}
	inner := &parser{src: f.src, tokens: tokens, depth: f.depth}
	if err := inner.deeper(); err != nil {
		return nil, err
	}
	x, err := inner.tuple(lexer.End)
	if err != nil {
		return nil, err
	}
	return x, inner.finish()
}
