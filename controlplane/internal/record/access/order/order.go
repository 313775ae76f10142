package order

import (
	"context"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// GrantOrder is an administrator's decision that a person shall hold an entitlement.
type GrantOrder struct {
	// The person who gets it, through their main account in its system. Give this or account_id.
	IdentityID string `json:"identity_id,omitempty" format:"uuid"`
	// The account that gets it, if the person has several.
	AccountID string `json:"account_id,omitempty" format:"uuid"`
	// ID of the entitlement to assign.
	EntitlementID string `json:"entitlement_id" format:"uuid"`
	// At once when absent.
	StartsAt *time.Time `json:"starts_at,omitempty"`
	// If absent: after the default_duration of the entitlement, or its max_duration, or no end.
	EndsAt *time.Time `json:"ends_at,omitempty"`
	// It is part of the access history.
	Justification string `json:"justification" minLength:"1" maxLength:"2000"`
}

// GrantOrdered is what became of an order.
type GrantOrdered struct {
	// Reason for the access that the assignment created.
	Reason grant.GrantReason `json:"reason"`
	// Paths of related resources. explain: why the person has the access. grants: the person's grants of the
	// entitlement.
	Links map[string]string `json:"links"`
}

// Service enters the orders of administrators. All fields are needed.
type Service struct {
	DB  *pg.DB
	Now func() time.Time
	// Admit is a fault if a person must not be given an entitlement. Nil: nothing is refused.
	Admit func(ctx context.Context, tx *pg.Tx, identityID, entitlementID string) error
}

// Give enters an administrator's order as a reason. Provisioning makes it true.
func (s *Service) Give(ctx context.Context, v viewer.Viewer, o GrantOrder) (out GrantOrdered, err error) {
	asked := o
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		o := asked // a transaction that is tried again begins with what was asked for
		e, err := s.orderable(ctx, tx, &o)
		if err != nil {
			return err
		}
		r := o.reason(v, e)
		if _, err := ledger.Add(ctx, tx, []ledger.Reason{r}); err != nil {
			return err
		}
		if out.Reason, err = grant.ReasonOf(ctx, tx, r); err != nil {
			return err
		}
		out.Links = grant.LinksOfPair(o.IdentityID, o.EntitlementID)
		return audit.Record(ctx, tx, audit.Entry{
			Action: "grant.ordered",
			Reason: o.Justification,
			Subject: audit.Subject{
				Type: "identity",
				ID:   o.IdentityID,
			},
			Objects: []audit.Subject{{Type: "entitlement", ID: e.ID, Display: e.Label()}},
			Context: map[string]any{"reason_id": out.Reason.ID, "starts_at": o.StartsAt, "ends_at": o.EndsAt},
		})
	})
	return out, err
}

// reason is the order as a reason of the ledger, with the viewer as its source.
func (o GrantOrder) reason(v viewer.Viewer, e entitlement.Entitlement) ledger.Reason {
	note := strings.TrimSpace(o.Justification)
	r := ledger.Reason{IdentityID: o.IdentityID, ConnectorID: *e.ConnectorID, EntitlementID: &e.ID, Kind: ledger.Manual,
		SourceType: string(v.Kind), SourceID: v.ID, Note: &note, EndsAt: o.EndsAt}
	if o.AccountID != "" {
		r.AccountID = &o.AccountID
	}
	if o.StartsAt != nil {
		r.StartsAt = *o.StartsAt
	}
	return r
}

// orderable checks an order, fills in whose account it names, and gives what is ordered.
func (s *Service) orderable(ctx context.Context, tx *pg.Tx, o *GrantOrder) (entitlement.Entitlement, error) {
	if err := o.checkTimes(s.Now()); err != nil {
		return entitlement.Entitlement{}, err
	}
	if (o.IdentityID == "") == (o.AccountID == "") {
		return entitlement.Entitlement{}, fault.New(fault.Invalid, "no recipient is given: set identity_id or "+
			"account_id").
			With(fault.Field{Pointer: "#/identity_id", Code: "invalid",
				Detail: "exactly one of identity_id and account_id"})
	}
	e, err := entitlement.Lookup(ctx, tx, o.EntitlementID, "")
	if err != nil {
		return e, asField(err, "entitlement_id", "unknown_entitlement")
	}
	if err := e.CheckGrantable(); err != nil {
		return e, err
	}
	if err := o.settleEnd(e, s.Now()); err != nil {
		return e, err
	}
	if err := o.settleOwner(ctx, tx, e); err != nil {
		return e, err
	}
	if err := refuseDenied(ctx, tx, *o, e); err != nil || s.Admit == nil {
		return e, err
	}
	return e, s.Admit(ctx, tx, o.IdentityID, e.ID)
}

// checkTimes refuses an order without a justification, or with times that give no access.
func (o GrantOrder) checkTimes(now time.Time) error {
	wrong := func(member, detail string) error {
		return fault.New(fault.Invalid, "%s", detail).
			With(fault.Field{Pointer: "#/" + member, Code: "invalid", Detail: detail})
	}
	switch {
	case strings.TrimSpace(o.Justification) == "":
		return wrong("justification", "a justification is required; it is recorded in the history of the access")
	case o.EndsAt != nil && !o.EndsAt.After(now):
		return wrong("ends_at", "an end that has passed gives nothing: choose an instant to come")
	case o.EndsAt != nil && o.StartsAt != nil && !o.EndsAt.After(*o.StartsAt):
		return wrong("ends_at", "the end must come after the start")
	}
	return nil
}

// asField makes of a thing that is not there a fault of the member that names it.
func asField(err error, member, code string) error {
	if !fault.Is(err, fault.NotFound) {
		return err
	}
	return fault.New(fault.Invalid, "%s", err).
		With(fault.Field{Pointer: "#/" + member, Code: code, Detail: err.Error()})
}

// settleOwner checks who shall hold it. Of an account that is named, its owner does.
func (o *GrantOrder) settleOwner(ctx context.Context, tx *pg.Tx, e entitlement.Entitlement) error {
	if o.AccountID != "" {
		a, err := account.Find(ctx, tx, o.AccountID)
		if err != nil {
			return asField(err, "account_id", "unknown_account")
		}
		switch {
		case a.ConnectorID != *e.ConnectorID:
			return fault.New(fault.Invalid, "the account is one of another system than the entitlement").
				With(fault.Field{Pointer: "#/account_id", Code: "wrong_system",
					Detail: "name an account of the system " + *e.ConnectorID})
		case a.Status == "deleted", a.Status == "disconnected":
			return fault.Coded(fault.Conflict, "account_deleted", "the account is deleted")
		case a.IdentityID == nil:
			return fault.Coded(
				fault.Conflict,
				"account_without_owner",
				"the account has no owner: link it to its owner first",
			)
		}
		o.IdentityID = *a.IdentityID
	}
	person, err := identity.Find(ctx, tx, o.IdentityID)
	if err != nil {
		return asField(err, "identity_id", "unknown_identity")
	}
	if person.Status == "deactivated" || person.Status == "archived" {
		return fault.Coded(
			fault.Conflict,
			"identity_inactive",
			"%s is %s and cannot be assigned access: activate the identity first",
			person.DisplayName,
			person.Status,
		)
	}
	return nil
}

// refuseDenied is a fault of kind Conflict while a denial would make the order vain.
func refuseDenied(ctx context.Context, tx *pg.Tx, o GrantOrder, e entitlement.Entitlement) error {
	reasons, err := grant.ReasonsOfPair(ctx, tx, o.IdentityID, e)
	if err != nil {
		return err
	}
	for _, r := range reasons {
		if r.Effect == ledger.Deny && r.State == ledger.Active && (r.Account == nil || *r.Account == o.AccountID) {
			return fault.Coded(fault.Conflict, "access_denied", "%s may not hold %s: %s", "this person", e.Label(),
				r.Sentence()).
				Also("denied_by", r)
		}
	}
	return nil
}
