package shape

import (
	"fmt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/romanize"
	"strconv"
	"strings"
	"unicode"
)

// most is how many numbers are tried for a name that is taken.
const most = 10_000

// charset holds characters of ASCII.
type charset [128]bool

// parseCharset reads what stands in the brackets of a regular expression: characters and ranges of them. A - at either
// end is itself.
func parseCharset(text string) (*charset, error) {
	set := &charset{}
	for i := 0; i < len(text); i++ {
		from, to := text[i], text[i]
		if i+2 < len(text) && text[i+1] == '-' {
			to = text[i+2]
			i += 2
		}
		switch {
		case from <= ' ' || from > '~' || to > '~':
			return nil, fmt.Errorf("%q is no visible character of ASCII", text[i])
		case to < from:
			return nil, fmt.Errorf("the range %c-%c runs backwards", from, to)
		}
		for c := from; c <= to; c++ {
			set[c] = true
		}
	}
	if !set.any('a', 'z') && !set.any('A', 'Z') && !set.any('0', '9') {
		return nil, fmt.Errorf("there is no letter and no digit among them")
	}
	return set, nil
}

func (s *charset) any(from, to byte) bool {
	for c := from; c <= to; c++ {
		if s[c] {
			return true
		}
	}
	return false
}

func (s *charset) all(from, to byte) bool {
	for c := from; c <= to; c++ {
		if !s[c] {
			return false
		}
	}
	return true
}

func (s *charset) has(r rune) bool { return r >= 0 && r < 128 && s[r] }

// keep gives the text in ASCII with what is allowed of it. A letter that is allowed in the other case alone changes to
// it.
func (s *charset) keep(text string) string {
	return strings.Map(func(r rune) rune {
		for _, r := range []rune{r, unicode.ToLower(r), unicode.ToUpper(r)} {
			if s.has(r) {
				return r
			}
		}
		return -1
	}, text)
}

// punctuation may stand inside a name and not at its ends.
const punctuation = "._-+'@"

// stem makes a name of what the expression gave: in ASCII, with allowed characters alone, no punctuation at its ends
// nor two of it in a row, and not too long.
func (c Config) stem(p *plan, text string) (string, *AttributeProblem) {
	rule := c.Template.Username.Unique
	name := p.allowed.keep(romanize.ASCII(strings.TrimSpace(text), rule.Transliteration == "german"))
	name = shorten(single(name), rule.MaxLength)
	if name == "" {
		return "", &AttributeProblem{
			Field:   memberUsername,
			Code:    CodeNoName,
			Missing: []string{},
			Message: "username cannot be made: nothing of what its expression gives can be written with the " +
				"characters " +
				rule.Allowed + "; give the person a username or an e-mail address in Latin letters",
		}
	}
	return name, nil
}

// single leaves one of several characters of punctuation in a row, and none at the ends.
func single(name string) string {
	out := make([]byte, 0, len(name))
	for i := range len(name) {
		mark := strings.IndexByte(punctuation, name[i]) >= 0
		if mark && (len(out) == 0 || strings.IndexByte(punctuation, out[len(out)-1]) >= 0) {
			continue
		}
		out = append(out, name[i])
	}
	return strings.TrimRight(string(out), punctuation)
}

// shorten cuts a name to a length, and never ends it in punctuation.
func shorten(name string, length int) string {
	if len(name) > length {
		name = name[:length]
	}
	return strings.TrimRight(name, punctuation)
}

// numbered is the name with a number: before the @ where there is one, and within the length.
func (u UniqueRule) numbered(stem string, n int) (string, bool) {
	suffix := u.Separator + strconv.Itoa(n)
	local, domain := stem, ""
	if i := strings.LastIndexByte(stem, '@'); i > 0 {
		local, domain = stem[:i], stem[i:]
	}
	local = shorten(local, max(0, u.MaxLength-len(suffix)-len(domain)))
	return local + suffix + domain, local != ""
}

// free is the first name by the rule that nobody has.
func (u UniqueRule) free(stem string, taken func(string) bool) (string, *AttributeProblem) {
	for name := range u.names(stem) {
		if taken == nil || !taken(name) {
			return name, nil
		}
	}
	p := &AttributeProblem{
		Field:   memberUsername,
		Code:    CodeExhausted,
		Missing: []string{},
		Message: fmt.Sprintf(
			"username cannot be made: %s is taken, and so is each of the %d names with a number after it",
			stem,
			most,
		),
	}
	if u.Suffix == "none" {
		p.Code, p.Message = CodeTaken, fmt.Sprintf(
			"no username is free: %s is taken, and the username rule has no alternative",
			stem,
		)
	}
	return "", p
}

// names yields the names by the rule, the best first.
func (u UniqueRule) names(stem string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if !yield(stem) || u.Suffix == "none" {
			return
		}
		for n := u.Start; n < u.Start+most; n++ {
			name, ok := u.numbered(stem, n)
			if !ok || !yield(name) {
				return
			}
		}
	}
}
