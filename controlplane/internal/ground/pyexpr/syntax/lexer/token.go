package lexer

// Kind is a kind of token.
type Kind byte

// The kinds of tokens. Name is what no Keyword is, Text a string literal, Op an operator or a bracket.
const (
	End Kind = iota
	Name
	Keyword
	Number
	Text
	Op
)

// Token is a piece of the source, from byte Off to End of it.
type Token struct {
	Kind     Kind
	Text     string // of names in normal form NFKC; of strings without prefix and quotes
	Off, End int
	Prefix   string // of strings, in lower case
	Triple   bool
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
