package request

import (
	"cmp"
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/change"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// on runs what somebody does with a request that they see, after its precondition, and reads it again.
func (s *Service) on(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	do func(tx *pg.Tx, r accessrequest.AccessRequest) error,
) (after accessrequest.AccessRequest, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := accessrequest.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		if err := do(tx, before); err != nil {
			return err
		}
		after, err = accessrequest.Find(ctx, tx, id)
		return err
	})
	return after, err
}

// Cancel withdraws everything of a request that is not decided yet.
func (s *Service) Cancel(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	reason string,
) (accessrequest.AccessRequest, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, r accessrequest.AccessRequest) error {
		if err := r.CheckWithdraw(v); err != nil {
			return err
		}
		var open []string
		for _, i := range r.Items {
			if i.IsOpen() {
				open = append(open, i.ID)
			}
		}
		if len(open) == 0 {
			return accessrequest.InvalidTransition(
				r.Number+" is "+r.Status+": there is nothing left to cancel",
				r.Allowed,
			)
		}
		return s.withdraw(ctx, tx, open, "cancelled", reason)
	})
}

// Withdraw takes one item back that is not decided yet.
func (s *Service) Withdraw(
	ctx context.Context,
	v viewer.Viewer,
	id, itemID string,
	match httpapi.IfMatch,
	reason string,
) (accessrequest.AccessRequest, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, r accessrequest.AccessRequest) error {
		item, err := r.Item(itemID)
		if err != nil {
			return err
		}
		if err := r.CheckWithdraw(v); err != nil {
			return err
		}
		if !item.IsOpen() {
			return accessrequest.InvalidTransition(
				item.Display+" is "+item.Status+", and cannot be withdrawn any more",
				item.Allowed,
			)
		}
		return s.withdraw(ctx, tx, []string{itemID}, "withdrawn", reason)
	})
}

// withdraw ends items that wait, with their chains.
func (s *Service) withdraw(ctx context.Context, tx *pg.Tx, items []string, code, reason string) error {
	if err := chain.Hold(ctx, tx, items); err != nil {
		return err
	}
	b, err := change.OpenItems(ctx, tx, items, s.Now())
	if err != nil {
		return err
	}
	var waiting []string
	for _, id := range items {
		if r, item := b.Item(id); item.IsOpen() {
			waiting = append(waiting, id)
			b.Decide(r, item, accessrequest.Cancelled, code, cmp.Or(reason, code+" by "+b.Actor.Display), nil)
		}
	}
	if len(waiting) == 0 {
		return accessrequest.InvalidTransition("it was decided at the same time", []string{})
	}
	for _, r := range b.Requests {
		if !slices.ContainsFunc(r.Items, accessrequest.AccessRequestItem.IsOpen) &&
			!slices.ContainsFunc(r.Items, accessrequest.AccessRequestItem.IsGranted) {
			b.Audit(r, accessrequest.AuditCancelled, nil, reason)
		}
	}
	if err := b.Apply(ctx, tx); err != nil {
		return err
	}
	return chain.Cancel(ctx, tx, waiting, cmp.Or(reason, "the request was withdrawn"))
}

// Return ends access that somebody has no more use for, before its time.
func (s *Service) Return(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	items []string,
	reason string,
) (accessrequest.AccessRequest, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, r accessrequest.AccessRequest) error {
		if !r.IsParty(v) && !v.Has(viewer.Admin) && !s.manages(ctx, tx, &r) {
			return fault.Coded(
				fault.Forbidden,
				"not_your_request",
				"access can be returned by its holder, its requester, their managers and administrators",
			)
		}
		chosen, err := r.Choose(items, "return")
		if err != nil {
			return err
		}
		why := cmp.Or(reason, "given back by "+v.Display)
		if err := change.LockFulfilments(ctx, tx, chosen); err != nil {
			return err
		}
		b, err := change.Open(ctx, tx, []string{id}, s.Now())
		if err != nil {
			return err
		}
		for _, itemID := range chosen {
			locked, item := b.Item(itemID)
			if !item.IsLive() {
				return accessrequest.InvalidTransition(
					item.Display+" is "+item.Status+", and cannot be given back any more",
					item.Actions(locked.Urgency),
				)
			}
			b.EndAccess(why, itemID)
			b.Audit(locked, accessrequest.AuditReturned, item, why)
		}
		return b.Apply(ctx, tx)
	})
}

// manages says whether the request is for somebody whom the viewer manages.
func (s *Service) manages(ctx context.Context, tx *pg.Tx, r *accessrequest.AccessRequest) bool {
	var is bool
	err := tx.QueryRow(ctx, `select exists (select from managed_identity() m
		where m.id = $1)`, r.RequestedForIdentityID).
		Scan(&is)
	return err == nil && is
}
