package grant

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// AuditSubject names a grant in the audit log.
func (g Grant) AuditSubject() audit.Subject {
	who := g.Account.Display
	if g.Identity != nil {
		who = g.Identity.Display
	}
	return audit.Subject{Type: "grant", ID: g.ID, Display: strings.TrimSpace(who + " · " + g.Entitlement.Display)}
}

// AuditObjects are the entitlement, the account and its owner, whom an audit entry about the grant also concerns.
func (g Grant) AuditObjects() []audit.Subject {
	out := []audit.Subject{
		{Type: "entitlement", ID: g.EntitlementID, Display: g.Entitlement.Display},
		{Type: "account", ID: g.AccountID, Display: g.Account.Display},
	}
	if g.IdentityID != nil {
		out = append(out, audit.Subject{Type: "identity", ID: *g.IdentityID})
	}
	return out
}
