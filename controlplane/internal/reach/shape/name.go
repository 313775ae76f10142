package shape

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/romanize"
)

// most is how many numbers are tried for a name that is taken.
const most = 10_000

// stem makes a name of what the expression gave: in ASCII, with allowed characters alone, no punctuation at its ends
// nor two of it in a row, and not too long.
func (c Config) stem(p *plan, text string) (string, *AttributeProblem) {
	rule := c.Template.Username.Unique
	name := p.allowed.Keep(romanize.ASCII(strings.TrimSpace(text), rule.Transliteration == "german"))
	name = romanize.Shorten(romanize.Single(name), rule.MaxLength)
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

// numbered is the name with a number: before the @ where there is one, and within the length.
func (u UniqueRule) numbered(stem string, n int) (string, bool) {
	suffix := u.Separator + strconv.Itoa(n)
	local, domain := stem, ""
	if i := strings.LastIndexByte(stem, '@'); i > 0 {
		local, domain = stem[:i], stem[i:]
	}
	local = romanize.Shorten(local, max(0, u.MaxLength-len(suffix)-len(domain)))
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
