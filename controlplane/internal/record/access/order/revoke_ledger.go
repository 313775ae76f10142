package order

import (
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

// entry is the audit entry of the revocation.
func (r revoked) entry(o GrantRevocation) audit.Entry {
	ended := make([]string, 0, len(r.ReasonsEnded))
	for _, reason := range r.ReasonsEnded {
		ended = append(ended, *reason.ID)
	}
	return audit.Entry{
		Action:  "grant.revoke_ordered",
		Reason:  o.Reason,
		Subject: r.AuditSubject(),
		Objects: r.AuditObjects(),
		Context: map[string]any{
			"scope":          o.Scope,
			"reasons_ended":  ended,
			"access_ends":    r.AccessEnds,
			"excluded_until": o.ExcludeUntil,
			"native":         r.Native,
		},
	}
}
