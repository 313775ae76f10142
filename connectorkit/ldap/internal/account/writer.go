package account

import (
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/change"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/desired"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/membership"
)

// Writer changes accounts.
type Writer struct {
	*membership.Writer
	*desired.Encoder
}

// NewWriter makes a writer of a change that was opened.
func NewWriter(change *change.Change) *Writer {
	return &Writer{&membership.Writer{Change: change}, &desired.Encoder{Finder: change.Finder}}
}
