package membership

import (
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/change"
)

// Writer changes memberships.
type Writer struct {
	*change.Change
	Renames []memberRename // of groups, once the account has another name
}
