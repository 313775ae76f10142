package lexer

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// integer is the value of a literal in the smallest of the types that Const may hold.
func integer(n *big.Int) any {
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}

// maxDigits is how many digits an integer literal may have, as in CPython.
const maxDigits = 4300

// number reads an integer in any base or a float; the value is made by numeral.
func (l *lexer) number() *syntax.Error {
	if l.src[l.pos] == '0' && l.peek(1)|0x20 == 'x' {
		n := 2
		for l.pos+n < l.end && strings.IndexByte("0123456789abcdefABCDEF_", l.src[l.pos+n]) >= 0 {
			n++
		}
		l.add(Number, l.src[l.pos:l.pos+n], n)
		return nil
	}
	n := 0
	for l.pos+n < l.end {
		c := l.src[l.pos+n]
		sign := (c == '+' || c == '-') && n > 0 && l.src[l.pos+n-1]|0x20 == 'e'
		if !sign && c != '.' && c != '_' && !isDigit(c) && !isLetter(c) {
			break
		}
		n++
	}
	n = l.beforeKeyword(n)
	l.add(Number, l.src[l.pos:l.pos+n], n)
	return nil
}

// beforeKeyword gives back the letters of a keyword that follows a number at once, as in `1if x else 2`.
func (l *lexer) beforeKeyword(n int) int {
	word := l.src[l.pos : l.pos+n]
	for _, k := range []string{"if", "in", "is", "or", "and", "else", "for", "not"} {
		if i := strings.Index(
			word,
			k,
		); i > 0 && (isDigit(word[i-1]) || word[i-1] == '.') &&
			!(k == "else" && i+1 < n && isDigit(word[i+1])) {
			n = min(n, i)
		}
	}
	return n
}

// Numeral is the value of a token of kind Number: an int64, a *big.Int or a float64.
func Numeral(t Token) (any, *syntax.Error) {
	s := strings.ToLower(t.Text)
	if strings.HasSuffix(s, "j") {
		return nil, syntax.RefuseAt(t.Off, "complex numbers are not possible here")
	}
	if strings.HasSuffix(s, "_") || strings.Contains(s, "__") || strings.HasPrefix(s, "_") {
		return nil, syntax.ErrorAt(t.Off, "invalid decimal literal")
	}
	if len(s) > 1 && s[0] == '0' && strings.IndexByte("xob", s[1]) >= 0 {
		return based(t, s)
	}
	if strings.ContainsAny(s, ".e") {
		return float(t, s)
	}
	plain := strings.ReplaceAll(s, "_", "")
	if !allDigits(plain) {
		return nil, syntax.ErrorAt(t.Off, "invalid decimal literal")
	}
	if len(plain) > 1 && plain[0] == '0' && strings.Trim(plain, "0") != "" {
		return nil, syntax.ErrorAt(
			t.Off,
			"leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers",
		)
	}
	if len(plain) > maxDigits {
		return nil, syntax.ErrorAt(t.Off, "the integer has more than %d digits", maxDigits)
	}
	n, _ := new(big.Int).SetString(plain, 10)
	return integer(n), nil
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

func based(t Token, s string) (any, *syntax.Error) {
	base, kind := 16, "hexadecimal"
	switch s[1] {
	case 'o':
		base, kind = 8, "octal"
	case 'b':
		base, kind = 2, "binary"
	}
	n, ok := new(big.Int).SetString(strings.ReplaceAll(s[2:], "_", ""), base)
	if !ok || n.Sign() < 0 {
		return nil, syntax.ErrorAt(t.Off, "invalid %s literal", kind)
	}
	return integer(n), nil
}

func float(t Token, s string) (any, *syntax.Error) {
	for i := range len(s) {
		beside := func(j int) bool { return j >= 0 && j < len(s) && isDigit(s[j]) }
		if s[i] == '_' && !(beside(i-1) && beside(i+1)) {
			return nil, syntax.ErrorAt(t.Off, "invalid decimal literal")
		}
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(s, "_", ""), 64)
	if err != nil && f == 0 || strings.ContainsAny(s, "xpni") {
		return nil, syntax.ErrorAt(t.Off, "invalid decimal literal")
	}
	return f, nil
}
