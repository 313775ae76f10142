package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

type kind byte

const (
	end kind = iota
	name
	keyword
	number
	text
	op
)

type token struct {
	kind     kind
	text     string // of names in normal form NFKC; of strings without prefix and quotes
	off, end int
	prefix   string // of strings, in lower case
	triple   bool
}

type lexer struct {
	src    string
	pos    int
	end    int
	depth  int // open brackets; a line's end means nothing inside of them
	tokens []token
}

// keywords may not be names. Those with a text say what is wrong with them here.
var keywords = map[string]string{
	"and":      "",
	"or":       "",
	"not":      "",
	"if":       "",
	"else":     "",
	"for":      "",
	"in":       "",
	"is":       "",
	"lambda":   "",
	"None":     "",
	"True":     "",
	"False":    "",
	"import":   "is a statement",
	"from":     "is a statement",
	"def":      "is a statement",
	"class":    "is a statement",
	"return":   "is a statement",
	"del":      "is a statement",
	"pass":     "is a statement",
	"break":    "is a statement",
	"continue": "is a statement",
	"global":   "is a statement",
	"nonlocal": "is a statement",
	"try":      "is a statement; use default(expression, value)",
	"except":   "is a statement",
	"finally":  "is a statement",
	"raise":    "is a statement",
	"while":    "is a statement",
	"with":     "is a statement",
	"assert":   "is a statement",
	"elif":     "is a statement",
	"as":       "belongs to a statement",
	"async":    "is not possible here",
	"await":    "is not possible here",
	"yield":    "is not possible here",
}

// operators, the longer ones first.
var operators = []string{
	"**=",
	"//=",
	">>=",
	"<<=",
	"...",
	"**",
	"//",
	">>",
	"<<",
	"<=",
	">=",
	"==",
	"!=",
	"->",
	":=",
	"+=",
	"-=",
	"*=",
	"/=",
	"%=",
	"&=",
	"|=",
	"^=",
	"@=",
	"+",
	"-",
	"*",
	"/",
	"%",
	"@",
	"&",
	"|",
	"^",
	"~",
	"<",
	">",
	"(",
	")",
	"[",
	"]",
	"{",
	"}",
	",",
	":",
	".",
	"=",
	";",
	"!",
}

// lex cuts the part of src from start to stop into tokens, the last of which is of kind end.
func lex(src string, start, stop, depth int) ([]token, *Error) {
	l := &lexer{src: src, pos: start, end: stop, depth: depth, tokens: make([]token, 0, (stop-start)/3+4)}
	for {
		if err := l.space(); err != nil {
			return nil, err
		}
		if l.pos >= l.end {
			l.tokens = append(l.tokens, token{kind: end, off: stop, end: stop})
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
func (l *lexer) space() *Error {
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
				return errorAt(ended, "an expression goes over more than one line only inside of brackets")
			}
			return nil
		}
	}
	return nil
}

func (l *lexer) next() *Error {
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
	return errorAt(l.pos, "invalid character %q", c)
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (l *lexer) operator(o string) *Error {
	switch o {
	case "(", "[", "{":
		l.depth++
	case ")", "]", "}":
		l.depth = max(l.depth-1, 0)
	case "...":
		return refuseAt(l.pos, "... (Ellipsis) is not possible here")
	case "!":
		return errorAt(l.pos, "invalid syntax: ! stands alone; use not")
	case ";", "->":
		return errorAt(l.pos, "invalid syntax: %s has no place in one expression", o)
	}
	if len(o) > 1 && o[len(o)-1] == '=' && strings.Contains("+-*/%&|^@><", o[:1]) && o != ">=" && o != "<=" {
		return errorAt(l.pos, "invalid syntax: %s is a statement", o)
	}
	l.add(op, o, len(o))
	return nil
}

func (l *lexer) add(k kind, s string, n int) {
	l.tokens = append(l.tokens, token{kind: k, text: s, off: l.pos, end: l.pos + n})
	l.pos += n
}

// word reads a name, a keyword, or the prefix of a string.
func (l *lexer) word() *Error {
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
		return errorAt(l.pos, "invalid character %q (U+%04X)", r, r)
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
		l.add(name, word, n)
	case why != "":
		return refuseAt(l.pos, "%s %s", word, why)
	default:
		l.add(keyword, word, n)
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
func (l *lexer) str(prefix string) *Error {
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
			return errorAt(start, "unterminated string literal")
		case strings.HasPrefix(l.src[i:l.end], quote):
			l.tokens = append(
				l.tokens,
				token{
					kind:   text,
					text:   l.src[from:i],
					off:    start,
					end:    i + len(quote),
					prefix: prefix,
					triple: len(quote) == 3,
				},
			)
			l.pos = i + len(quote)
			return nil
		}
	}
	if len(quote) == 3 {
		return errorAt(start, "unterminated triple-quoted string literal")
	}
	return errorAt(start, "unterminated string literal")
}
