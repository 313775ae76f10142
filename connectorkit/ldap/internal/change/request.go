package change

import (
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// What a request is about: refusals mean different things.
const (
	PurposeAccount  = ""
	PurposePassword = "password"
	PurposeGrant    = "grant"
	PurposeRevoke   = "revoke"
)

// Request is one request that changes something.
type Request struct {
	// Op is the operation: wire.OpAdd, OpModify, OpModifyDN or OpDelete.
	Op string
	// DN is the entry that is changed, by its name before the change.
	DN      string
	Changes []wire.Change // of add and modify
	// NewRDN and NewSuperior are of OpModifyDN. An empty NewSuperior leaves the entry where it is.
	NewRDN      string
	NewSuperior string
	Extended    bool // the one value of changes is sent as a password modification (RFC 3062)
	// Controls are object identifiers of controls without a value.
	Controls []string
	// Note says in the plan why the request is sent.
	Note string
	// Purpose decides what a refusal means; see the constants.
	Purpose          string
	WarningIfRefused string // a refusal ends the change here, with this code of a warning, and is no failure
}

// plan is the request as a plan shows it, with passwords masked.
func (s Request) plan() v1.PlannedRequest {
	return v1.PlannedRequest{LDAP: &v1.PlannedLDAP{Op: s.Op, DN: s.DN, LDIF: s.ldif()}, Note: s.Note}
}

// Controls of Microsoft's that others offer too.
const (
	PermissiveModifyOID = "1.2.840.113556.1.4.1413" // what is there already, or gone already, is no error
	TreeDeleteOID       = "1.2.840.113556.1.4.805"
)
