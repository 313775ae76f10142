package lexer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

type lexer struct {
	src    string
	pos    int
	end    int
	depth  int // open brackets; a line's end means nothing inside of them
	tokens []Token
}

// Tokenize cuts src[start:stop] into tokens with offsets in src; the last one is of kind End. depth is how many
// brackets are open at start: inside of them a line may end.
func Tokenize(src string, start, stop, depth int) ([]Token, *syntax.Error) {
	l := &lexer{src: src, pos: start, end: stop, depth: depth, tokens: make([]Token, 0, (stop-start)/3+4)}
	for {
		if err := l.space(); err != nil {
			return nil, err
		}
		if l.pos >= l.end {
			l.tokens = append(l.tokens, Token{Kind: End, Off: stop, End: stop})
			return l.tokens, nil
		}
		if err := l.next(); err != nil {
			return nil, err
		}
	}
}

func (l *lexer) peek(n int) byte {
	if l.pos+n < l.end {
		return l.src[l.pos+n]
	}
	return 0
}

// space passes over white space and comments. Between two tokens no line ends outside of brackets.
func (l *lexer) space() *syntax.Error {
	ended := -1
	for l.pos < l.end {
		switch c := l.src[l.pos]; {
		case c == ' ' || c == '\t' || c == '\f':
			l.pos++
		case c == '\n' || c == '\r':
			if ended < 0 && l.depth == 0 && len(l.tokens) > 0 {
				ended = l.pos
			}
			l.pos++
		case c == '\\' && (l.peek(1) == '\n' || l.peek(1) == '\r' && l.peek(2) == '\n'):
			l.pos += 2
		case c == '#':
			for l.pos < l.end && l.src[l.pos] != '\n' {
				l.pos++
			}
		default:
			if ended >= 0 {
				return syntax.ErrorAt(ended, "an expression goes over more than one line only inside of brackets")
			}
			return nil
		}
	}
	return nil
}

func (l *lexer) next() *syntax.Error {
	c := l.src[l.pos]
	switch {
	case c >= '0' && c <= '9', c == '.' && isDigit(l.peek(1)):
		return l.number()
	case c == '\'' || c == '"':
		return l.str("")
	case c == '_' || c >= utf8.RuneSelf || isLetter(c):
		return l.word()
	}
	for _, o := range operators {
		if strings.HasPrefix(l.src[l.pos:l.end], o) {
			return l.operator(o)
		}
	}
	return syntax.ErrorAt(l.pos, "invalid character %q", c)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (l *lexer) operator(o string) *syntax.Error {
	switch o {
	case "(", "[", "{":
		l.depth++
	case ")", "]", "}":
		l.depth = max(l.depth-1, 0)
	case "...":
		return syntax.RefuseAt(l.pos, "... (Ellipsis) is not possible here")
	case "!":
		return syntax.ErrorAt(l.pos, "invalid syntax: ! stands alone; use not")
	case ";", "->":
		return syntax.ErrorAt(l.pos, "invalid syntax: %s has no place in one expression", o)
	}
	if len(o) > 1 && o[len(o)-1] == '=' && strings.Contains("+-*/%&|^@><", o[:1]) && o != ">=" && o != "<=" {
		return syntax.ErrorAt(l.pos, "invalid syntax: %s is a statement", o)
	}
	l.add(Op, o, len(o))
	return nil
}

func (l *lexer) add(k Kind, s string, n int) {
	l.tokens = append(l.tokens, Token{Kind: k, Text: s, Off: l.pos, End: l.pos + n})
	l.pos += n
}

// word reads a name, a keyword, or the prefix of a string.
func (l *lexer) word() *syntax.Error {
	n := 0
	ascii := true
	for l.pos+n < l.end {
		r, size := utf8.DecodeRuneInString(l.src[l.pos+n : l.end])
		if !inName(r, n == 0) {
			break
		}
		ascii = ascii && size == 1
		n += size
	}
	if n == 0 {
		r, _ := utf8.DecodeRuneInString(l.src[l.pos:l.end])
		return syntax.ErrorAt(l.pos, "invalid character %q (U+%04X)", r, r)
	}
	word := l.src[l.pos : l.pos+n]
	if q := l.peek(n); (q == '"' || q == '\'') && isPrefix(word) {
		l.pos += n
		return l.str(strings.ToLower(word))
	}
	if !ascii {
		word = norm.NFKC.String(word)
	}
	why, reserved := keywords[word]
	switch {
	case !reserved:
		l.add(Name, word, n)
	case why != "":
		return syntax.RefuseAt(l.pos, "%s %s", word, why)
	default:
		l.add(Keyword, word, n)
	}
	return nil
}

func inName(r rune, first bool) bool {
	switch {
	case r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r):
		return true
	case first || r == utf8.RuneError:
		return false
	}
	return unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc)
}

func isPrefix(word string) bool {
	switch strings.ToLower(word) {
	case "r", "b", "f", "u", "rb", "br", "rf", "fr":
		return true
	}
	return false
}

// str reads a string whose prefix has been read, up to its closing quotes.
func (l *lexer) str(prefix string) *syntax.Error {
	start := l.pos - len(prefix)
	quote := l.src[l.pos : l.pos+1]
	if strings.HasPrefix(l.src[l.pos:l.end], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	from := l.pos + len(quote)
	for i := from; i < l.end; i++ {
		switch {
		case l.src[i] == '\\':
			i++
		case l.src[i] == '\n' && len(quote) == 1:
			return syntax.ErrorAt(start, "unterminated string literal")
		case strings.HasPrefix(l.src[i:l.end], quote):
			l.tokens = append(
				l.tokens,
				Token{
					Kind:   Text,
					Text:   l.src[from:i],
					Off:    start,
					End:    i + len(quote),
					Prefix: prefix,
					Triple: len(quote) == 3,
				},
			)
			l.pos = i + len(quote)
			return nil
		}
	}
	if len(quote) == 3 {
		return syntax.ErrorAt(start, "unterminated triple-quoted string literal")
	}
	return syntax.ErrorAt(start, "unterminated string literal")
}
