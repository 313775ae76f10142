package connector

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
)

var businessID = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$`)

func (n NewConnector) check(id string) (wrong connection.Problems) {
	if !businessID.MatchString(id) {
		wrong.Add("#/business_id", "invalid", "it has lower-case letters and digits, with - _ . between them")
	}
	if strings.TrimSpace(n.Name) == "" {
		wrong.Add("#/name", "required", "it must not be blank")
	}
	return wrong
}

// slug makes a business id out of a name: Müller & Söhne (HR) becomes muller-sohne-hr. A name without any letter that
// can be written so gives the type with a part of the connector's own id.
func slug(name, connectorType, id string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ToLower(name)) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r):
			gap = true
		}
	}
	if b.Len() == 0 {
		return connectorType + "-" + id[len(id)-8:]
	}
	return strings.TrimRight(b.String()[:min(b.Len(), 64)], "-")
}
