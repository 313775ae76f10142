package request

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
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
	do func(tx *pg.Tx, r AccessRequest) error,
) (after AccessRequest, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := find(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		if err := do(tx, before); err != nil {
			return err
		}
		after, err = find(ctx, tx, id)
		return err
	})
	return after, err
}

// mayWithdraw is a fault unless the viewer asked, or it is for them, or they are an administrator.
func (r *AccessRequest) mayWithdraw(v viewer.Viewer) error {
	if r.asks(v) || v.Has(viewer.Admin) {
		return nil
	}
	return fault.Coded(
		fault.Forbidden,
		"not_your_request",
		"%s can be withdrawn by its requester, its recipient or an administrator; approvers can reject it",
		r.Number,
	)
}

// item is one of the request's items; a fault of kind NotFound when it has none of this id.
func (r *AccessRequest) item(id string) (*AccessRequestItem, error) {
	i := slices.IndexFunc(r.Items, func(i AccessRequestItem) bool { return i.ID == id })
	if i < 0 {
		return nil, fault.New(fault.NotFound, "%s has no item %s", r.Number, id)
	}
	return &r.Items[i], nil
}

// Cancel withdraws everything of a request that is not decided yet.
func (s *Service) Cancel(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	reason string,
) (AccessRequest, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, r AccessRequest) error {
		if err := r.mayWithdraw(v); err != nil {
			return err
		}
		var open []string
		for _, i := range r.Items {
			if i.open() {
				open = append(open, i.ID)
			}
		}
		if len(open) == 0 {
			return cannot(r.Number+" is "+r.Status+": there is nothing left to cancel", r.Allowed)
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
) (AccessRequest, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, r AccessRequest) error {
		item, err := r.item(itemID)
		if err != nil {
			return err
		}
		if err := r.mayWithdraw(v); err != nil {
			return err
		}
		if !item.open() {
			return cannot(item.Display+" is "+item.Status+", and cannot be withdrawn any more", item.Allowed)
		}
		return s.withdraw(ctx, tx, []string{itemID}, "withdrawn", reason)
	})
}

// withdraw ends items that wait, with their chains.
func (s *Service) withdraw(ctx context.Context, tx *pg.Tx, items []string, code, reason string) error {
	if err := chain.Hold(ctx, tx, items); err != nil {
		return err
	}
	b, err := openItems(ctx, tx, items, s.Now())
	if err != nil {
		return err
	}
	var waiting []string
	for _, id := range items {
		if r, item := b.item(id); item.open() {
			waiting = append(waiting, id)
			b.decide(r, item, Cancelled, code, cmpText(reason, code+" by "+b.actor.Display), nil)
		}
	}
	if len(waiting) == 0 {
		return cannot("it was decided at the same time", []string{})
	}
	for _, r := range b.requests {
		if !slices.ContainsFunc(r.Items, AccessRequestItem.open) &&
			!slices.ContainsFunc(r.Items, AccessRequestItem.granted) {
			b.audit(r, actCancelled, nil, reason)
		}
	}
	if err := b.close(ctx, tx); err != nil {
		return err
	}
	return chain.Cancel(ctx, tx, waiting, cmpText(reason, "the request was withdrawn"))
}

// Return ends access that somebody has no more use for, before its time.
func (s *Service) Return(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	items []string,
	reason string,
) (AccessRequest, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, r AccessRequest) error {
		if !r.asks(v) && !v.Has(viewer.Admin) && !s.manages(ctx, tx, &r) {
			return fault.Coded(
				fault.Forbidden,
				"not_your_request",
				"access can be returned by its holder, its requester, their managers and administrators",
			)
		}
		chosen, err := r.chosen(items, "return")
		if err != nil {
			return err
		}
		why := cmpText(reason, "given back by "+v.Display)
		if err := lockGiven(ctx, tx, chosen); err != nil {
			return err
		}
		b, err := open(ctx, tx, []string{id}, s.Now())
		if err != nil {
			return err
		}
		for _, itemID := range chosen {
			locked, item := b.item(itemID)
			if !item.live() {
				return cannot(
					item.Display+" is "+item.Status+", and cannot be given back any more",
					item.allowed(locked.Urgency),
				)
			}
			b.endings[why] = append(b.endings[why], itemID)
			b.audit(locked, actReturned, item, why)
		}
		return b.close(ctx, tx)
	})
}

// manages says whether the request is for somebody whom the viewer manages.
func (s *Service) manages(ctx context.Context, tx *pg.Tx, r *AccessRequest) bool {
	var is bool
	err := tx.QueryRow(ctx, `select exists (select from managed_identity() m
		where m.id = $1)`, r.RequestedForIdentityID).
		Scan(&is)
	return err == nil && is
}

// chosen are the items that are named, or all with which something can be done when none is. It is a fault where that
// is not so.
func (r *AccessRequest) chosen(items []string, what string) ([]string, error) {
	var ids []string
	if len(items) == 0 {
		for _, i := range r.Items {
			if slices.Contains(i.Allowed, what) {
				ids = append(ids, i.ID)
			}
		}
		if len(ids) == 0 {
			return nil, cannot(r.Number+" is "+r.Status+": there is nothing to "+what, r.Allowed)
		}
		return ids, nil
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(items))) {
		item, err := r.item(id)
		if err != nil {
			return nil, fault.New(fault.Invalid, "%s", err).
				With(fault.Field{Pointer: "#/items", Code: "unknown_item", Detail: "name items of " + r.Number})
		}
		if !slices.Contains(item.Allowed, what) {
			return nil, cannot(item.Display+" is "+item.Status+": there is nothing to "+what, item.Allowed)
		}
		ids = append(ids, id)
	}
	return ids, nil
}
