package parser_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax/parser"
)

func TestAMistakeIsPointedAt(t *testing.T) {
	for _, tt := range []struct {
		source, kind, message string
		line, column          int
	}{
		{"1 +", syntax.Malformed, "the expression ends too soon", 1, 4},
		{"(1,\n [2, 3", syntax.Malformed, "'[' was never closed", 2, 2},
		{"'Jürg' 5", syntax.Malformed, `invalid syntax at "5"`, 1, 8},
		{"a = 1", syntax.Malformed, "= assigns; write == to compare, or (name := value)", 1, 3},
		{"x := 1", syntax.Malformed, "write an assignment expression in parentheses: (name := value)", 1, 3},
		{"'abc", syntax.Malformed, "unterminated string literal", 1, 1},
		{"1 if 2", syntax.Malformed, "expected 'else' after 'if' expression", 1, 7},
		{"a\nb", syntax.Malformed, "an expression goes over more than one line only inside of brackets", 1, 2},
		{"f'{}'", syntax.Malformed, "f-string: empty expression not allowed", 1, 4},
		{"f'{a'", syntax.Malformed, "f-string: expecting '}'", 1, 5},
		{"007", syntax.Malformed, "leading zeros in decimal integer literals are not permitted; use an 0o prefix for " +
			"octal integers", 1, 1},
		{"f(a=1, a=2)", syntax.Malformed, "keyword argument repeated: a", 1, 8},
		{"(lambda x, x: 1)", syntax.Malformed, "duplicate argument 'x' in function definition", 1, 12},
		{"1 + 2j", syntax.NotAllowed, "complex numbers are not possible here", 1, 5},
		{"a.__dict__", syntax.NotAllowed, "__dict__: names that begin with _ are not reachable here", 1, 3},
		{"[await x]", syntax.NotAllowed, "await is not possible here", 1, 2},
		{"try: x", syntax.NotAllowed, "try is a statement; use default(expression, value)", 1, 1},
		{"a @ b", syntax.NotAllowed, "@ multiplies matrices, which there are none of here", 1, 3},
		{`'\N{BULLET}'`, syntax.NotAllowed, `\N{...} is not possible here; use \uXXXX`, 1, 2},
		{`'\ud800'`, syntax.NotAllowed, "half of a surrogate pair is no character; write the whole character", 1, 2},
		{"a\x00b", syntax.Malformed, "the text is not valid UTF-8 or holds a null character", 1, 2},
		{"'\xff'", syntax.Malformed, "the text is not valid UTF-8 or holds a null character", 1, 2},
		{strings.Repeat("a", 5000), syntax.TooLong, "the expression is longer than 4 KiB", 1, 4097},
		{strings.Repeat("(", 101) + strings.Repeat(")", 101), syntax.TooDeep, "the expression is nested more than " +
			"100 levels deep", 1, 50},
	} {
		_, err := parser.Parse(tt.source)
		var e *syntax.Error
		if !errors.As(err, &e) {
			t.Errorf("Parse(%.30q) = %v; want an error", tt.source, err)
			continue
		}
		line, column := syntax.Position(tt.source, e.Offset)
		if e.Kind != tt.kind || e.Msg != tt.message || line != tt.line ||
			column != tt.column && tt.kind != syntax.TooDeep {
			t.Errorf(
				"Parse(%.30q) = %s %q at %d:%d; want %s %q at %d:%d",
				tt.source,
				e.Kind,
				e.Msg,
				line,
				column,
				tt.kind,
				tt.message,
				tt.line,
				tt.column,
			)
		}
	}
}

func TestWhatPeopleNestIsNotTooDeep(t *testing.T) {
	for _, source := range []string{
		strings.Repeat("(", 40) + "1" + strings.Repeat(")", 40), strings.Repeat("lower(", 40) + "value" +
			strings.Repeat(")", 40),
		"value" + strings.Repeat(".replace('a', 'b')", 100), "'a'" + strings.Repeat(" + 'b'", 250),
		strings.Repeat("'a' if value else ", 90) + "'b'",
	} {
		if _, err := parser.Parse(source); err != nil {
			t.Errorf("Parse(%.60q) = %v", source, err)
		}
	}
}

// FuzzParse reads any text: it ends with a tree or with an error that has a place in the text.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"1 + 2", "f'{a!r:>{w}}'", "[x for x, *y in z if a if b]", "lambda a, /, b=1, *c, d, **e: 0",
		"{**a, 'b': 1, **c}", "a[1:2, ::3, ...]", "x if y else z", "(y := 1)",
		"'''a\nb''' \"c\" rb'd'", "0x_f + 1e-5 + 0b1", "a.b(c)(*d, **e)[f]", "not a in b is not c", "f\"{f'{1}'}\"",
		"-~+not", "1if 1else 2", "{1, 2}", "{a: b for c in d}", "#", "\\\n1",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, source string) {
		tree, err := parser.Parse(source)
		if err == nil {
			n := 0
			syntax.Walk(tree, func(x syntax.Expr) bool {
				n++
				if x.At() < 0 || x.At() > len(source) {
					t.Errorf("a %T of %q stands at %d", x, source, x.At())
				}
				return true
			})
			if n == 0 || n > 2*len(source) {
				t.Errorf("Parse(%q) has %d nodes", source, n)
			}
			return
		}
		var e *syntax.Error
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > len(source) || e.Msg == "" || e.Kind == "" {
			t.Errorf("Parse(%q) = %#v", source, err)
		}
	})
}
