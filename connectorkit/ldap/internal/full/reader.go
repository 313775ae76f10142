package full

import (
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/records"
)

// Reader reads everything, in parts.
type Reader struct {
	*records.Reader
	SplitPoints map[string][]string // places at which the reading below a base is divided
}
