package access

import (
	"strings"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// denial keeps a revoked grant away. It is for the one account alone when every reason was; else rules would give the
// main one.
func (r revoked) denial(v viewer.Viewer, o GrantRevocation) ledger.Reason {
	note := o.Reason
	out := ledger.Reason{
		IdentityID:    *r.IdentityID,
		ConnectorID:   r.ConnectorID,
		EntitlementID: &r.EntitlementID,
		Effect:        ledger.Deny,
		Kind:          ledger.Exception,
		SourceType:    string(v.Kind),
		SourceID:      v.ID,
		Note:          &note,
		EndsAt:        o.ExcludeUntil,
		Details:       map[string]any{"grant_id": r.Grant.ID},
	}
	own := len(r.ReasonsEnded) > 0
	for _, reason := range r.ReasonsEnded {
		own = own && reason.Account != nil
	}
	if own {
		out.AccountID = &r.AccountID
	}
	return out
}

// found is the reason of a native grant, for the history.
func (r revoked) found() ledger.Reason {
	note := "found in the target"
	return ledger.Reason{
		ID:            uuid.Must(uuid.NewV7()).String(),
		IdentityID:    *r.IdentityID,
		ConnectorID:   r.ConnectorID,
		EntitlementID: &r.EntitlementID,
		AccountID:     &r.AccountID,
		Kind:          ledger.Imported,
		SourceType:    "connector",
		SourceID:      r.ConnectorID,
		Note:          &note,
		StartsAt:      r.FirstSeenAt,
	}
}

func (r revoked) entry(o GrantRevocation) audit.Entry {
	ended := make([]string, 0, len(r.ReasonsEnded))
	for _, reason := range r.ReasonsEnded {
		ended = append(ended, *reason.ID)
	}
	return audit.Entry{
		Action:  "grant.revoke_ordered",
		Reason:  o.Reason,
		Subject: r.subject(),
		Objects: r.objects(),
		Context: map[string]any{
			"scope":          o.Scope,
			"reasons_ended":  ended,
			"access_ends":    r.AccessEnds,
			"excluded_until": o.ExcludeUntil,
			"native":         r.Native,
		},
	}
}

// subject names a grant in the audit log.
func (g Grant) subject() audit.Subject {
	who := g.Account.Display
	if g.Identity != nil {
		who = g.Identity.Display
	}
	return audit.Subject{Type: "grant", ID: g.ID, Display: strings.TrimSpace(who + " · " + g.Entitlement.Display)}
}

func (g Grant) objects() []audit.Subject {
	out := []audit.Subject{
		{Type: "entitlement", ID: g.EntitlementID, Display: g.Entitlement.Display},
		{Type: "account", ID: g.AccountID, Display: g.Account.Display},
	}
	if g.IdentityID != nil {
		out = append(out, audit.Subject{Type: "identity", ID: *g.IdentityID})
	}
	return out
}
