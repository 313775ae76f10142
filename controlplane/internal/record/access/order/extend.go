package order

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grant"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// Extend moves the end of a grant that was decided for a limited time.
func (s *Service) Extend(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	until time.Time,
) (after grant.Grant, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		g, err := grant.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		r, err := extendable(g, until, s.Now())
		if err != nil {
			return err
		}
		e, err := entitlement.Lookup(ctx, tx, g.EntitlementID, "")
		if err != nil {
			return err
		}
		if err := settleExtension(e, r.Until, until); err != nil {
			return err
		}
		if err := ledger.Extend(ctx, tx, *r.ID, until); err != nil {
			return err
		}
		if err := followReasons(ctx, tx, g.ID); err != nil {
			return err
		}
		if after, err = grant.Find(ctx, tx, id); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{
			Action:  "grant.extended",
			Subject: g.AuditSubject(),
			Objects: g.AuditObjects(),
			Changes: []audit.Change{
				{Field: "ends_at", From: r.Until, To: until},
			},
			Context: map[string]any{"reason_id": *r.ID},
		})
	})
	return after, err
}

// followReasons has a grant that reasons ask for end when the last of them does. Provisioning keeps that true at its
// next evaluation; an extension is answered at once, and what is sent to the target meanwhile has the new end.
func followReasons(ctx context.Context, tx *pg.Tx, id string) error {
	const sql = `
		update access_grant n
		   set ends_at = case when not s.lasting then s.until end,
		       status = case when n.status = 'ending' and (s.lasting
		           or s.until > now() + interval '7 days') then 'active' else n.status end,
		       updated_at = now(), version = n.version + 1
		  from access_grant g
		  join account a on a.id = g.account_id` + grant.StandingSQL + `
		 where n.id = @id
		   and g.id = n.id
		   and g.wanted_at is not null
		   and s.desired`
	return pg.Exec(ctx, tx, "write when an extended grant ends", sql, pgx.NamedArgs{"id": id})
}

// extendable finds the reason whose end can be moved: the last decided one.
func extendable(g grant.Grant, until, now time.Time) (grant.GrantReason, error) {
	var last *grant.GrantReason
	rule, lasting := false, false
	for _, r := range g.Reasons {
		switch {
		case !r.IsLive() || r.Effect == ledger.Deny:
		case r.Until == nil:
			lasting = true
		case r.IsByRule():
			rule = true
		case last == nil || r.Until.After(*last.Until):
			last = &r
		}
	}
	switch {
	case lasting:
		return grant.GrantReason{}, fault.Coded(fault.Conflict, "invalid_transition", "This access has no end date, "+
			"so it cannot be extended.").
			Also("allowed", []string{"revoke"})
	case last == nil && rule:
		return grant.GrantReason{}, fault.Coded(
			fault.Conflict,
			"not_extendable",
			"a policy or role grants it and sets its end: change that, or grant it directly for longer",
		)
	case last == nil:
		return grant.GrantReason{}, fault.Coded(fault.Conflict, "invalid_transition", "No reason of this access can "+
			"be extended. Assign the access directly.").
			Also("allowed", []string{"grant", "revoke"})
	case !until.After(now):
		return grant.GrantReason{}, endFault("an end that has passed gives nothing: choose an instant to come")
	case !until.After(*last.Until):
		return grant.GrantReason{}, endFault("it ends later than that already; to end it sooner, revoke it")
	}
	return *last, nil
}

// endFault is the fault for an end that cannot be set.
func endFault(detail string) error {
	return fault.New(fault.Invalid, "%s", detail).
		With(fault.Field{Pointer: "#/ends_at", Code: "invalid", Detail: detail})
}
