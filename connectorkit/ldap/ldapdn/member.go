package ldapdn

import (
	"strings"
)

// Member gives the DN of a value of a membership attribute. uniqueMember (RFC 4517 section 3.3.21) may end in a
// bit string as in cn=x,dc=y#'0101'B.
func Member(value string) string {
	if strings.HasSuffix(value, "'B") {
		if i := strings.LastIndex(value, "#'"); i >= 0 {
			value = value[:i]
		}
	}
	return Normalize(value)
}
