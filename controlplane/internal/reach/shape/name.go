package shape

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/romanize"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/template"
)

// stem makes a name of what the expression gave: in ASCII, with allowed characters alone, no punctuation at its ends
// nor two of it in a row, and not too long.
func (c Config) stem(p *template.Plan, text string) (string, *template.AttributeProblem) {
	rule := c.Template.Username.Unique
	name := p.Allowed.Keep(romanize.ASCII(strings.TrimSpace(text), rule.Transliteration == "german"))
	name = romanize.Shorten(romanize.Single(name), rule.MaxLength)
	if name == "" {
		return "", &template.AttributeProblem{
			Field:   template.MemberUsername,
			Code:    template.CodeNoName,
			Missing: []string{},
			Message: "username cannot be made: nothing of what its expression gives can be written with the " +
				"characters " +
				rule.Allowed + "; give the person a username or an e-mail address in Latin letters",
		}
	}
	return name, nil
}
