package hint

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/syntax"
)

// ForSyntax says what to write instead of what is no expression of Python, such as && of other languages; it is empty
// where there is no advice.
func ForSyntax(source string, e *syntax.Error) string {
	near := source[min(max(e.Offset-1, 0), len(source)):]
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.HasPrefix(near, w) || len(near) > 1 && strings.HasPrefix(near[1:], w) {
				return true
			}
		}
		return false
	}
	switch {
	case e.Kind != syntax.Malformed && e.Kind != syntax.NotAllowed:
		return ""
	case has("&&"):
		return "write and"
	case has("||"):
		return "write or"
	case has("?") || strings.Contains(e.Msg, "'?'"):
		return "write a if test else b"
	case strings.HasPrefix(e.Msg, "= assigns"):
		return "the expression itself is the result: leave the name and the = away"
	case has("if ") && strings.HasPrefix(e.Msg, "invalid syntax"):
		return "write a if test else b"
	case strings.HasPrefix(e.Msg, "f-string: expecting"):
		return "a field ends with }; inside of it use the other kind of quotes: f\"{record['name']}\""
	case has("import"), strings.HasPrefix(e.Msg, "from "):
		return "re, datetime, math, string and unicodedata are there without import"
	case strings.HasPrefix(e.Msg, "return "):
		return "leave return away: the expression itself is the result"
	case strings.HasPrefix(e.Msg, "def "):
		return "write a lambda: (lambda x: x.strip())(value)"
	case has("++", "--"),
		strings.HasSuffix(strings.TrimSpace(source), "++"),
		strings.HasSuffix(strings.TrimSpace(source), "--"):
		return "write + 1 or - 1"
	case has("`"):
		return `write '…' or "…", and f'…{value}…' for a text with values in it`
	case has("“", "”", "„", "‘", "’", "«"):
		return `write straight quotes: '…' or "…"`
	case has("$"):
		return "a name has no $ before it: value, record['field']"
	}
	return ""
}
