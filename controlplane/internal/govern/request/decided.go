package request

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// Decided is told by chains what became of items. What does not fit an item's status any more is passed over: it was
// withdrawn meanwhile.
func (s *Service) Decided(ctx context.Context, tx *pg.Tx, outcomes []chain.Outcome) error {
	ids := make([]string, len(outcomes))
	for i, o := range outcomes {
		ids[i] = o.ItemID
	}
	b, err := openItems(ctx, tx, ids, s.Now())
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		r, item := b.item(o.ItemID)
		if r == nil {
			return fmt.Errorf("a chain tells of the item %s, which is none", o.ItemID)
		}
		if err := b.take(r, item, o); err != nil {
			return err
		}
	}
	return b.close(ctx, tx)
}

// take brings an item in line with what its chain tells.
func (b *book) take(r *AccessRequest, item *AccessRequestItem, o chain.Outcome) error {
	switch {
	case o.Result == chain.Reopened && (item.verified() || !item.open() && !item.live()):
		return cannot(
			"the target has "+item.Display+" already: an approval is withdrawn before that; ask for its end instead, "+
				"with kind revoke",
			item.allowed(r.Urgency),
		)
	case o.Result == chain.Reopened:
		b.reopen(r, item, o)
	case !item.open():
	case o.Result == chain.Approved:
		if err := noneOfThem(r, item, o); err != nil {
			return err
		}
		b.change(r, item, o)
		b.approve(r, item, cmpText(o.ReasonCode, Approved), o.Reason, slices.Concat(o.ByRequesting, o.By))
	case o.Result == chain.Rejected:
		b.decide(r, item, Rejected, cmpText(o.ReasonCode, Rejected), o.Reason, o.By)
	case o.Result == chain.Expired:
		b.decide(r, item, Expired, Expired, cmpText(o.Reason, "no approver decided in time"), nil)
	case o.Result == chain.Blocked && item.Status != Blocked:
		item.Status = Blocked
		b.note(r, item, Blocked, cmpText(o.Reason, item.Display+": no approver was found; administrators are notified"))
	case o.Result == chain.Unblocked && item.Status == Blocked:
		item.Status = Pending
		b.note(r, item, "unblocked", item.Display+": an approver was found")
	}
	return nil
}

// noneOfThem refuses an approval by the requester and by the person it is for. A manager's request for a report agrees
// to the step of the manager, never to a request for themselves. The inbox and the plan keep it from happening; this is
// the last check.
func noneOfThem(r *AccessRequest, item *AccessRequestItem, o chain.Outcome) error {
	if item.Plan.SelfApproval {
		return nil
	}
	askers := r.askers(item)
	for i, who := range slices.Concat(o.By, o.ByRequesting) {
		barred := askers
		if i >= len(o.By) {
			barred = []string{item.BeneficiaryID}
		}
		if viewer.SamePerson(barred, who.Parties()) {
			return fault.Coded(
				fault.Forbidden,
				"self_approval",
				"%s is the requester or the recipient: another approver must approve %s",
				who.Display,
				r.Number,
			)
		}
	}
	return nil
}

// change takes over the dates that an approver has changed, within what may be given at most.
func (b *book) change(r *AccessRequest, item *AccessRequestItem, o chain.Outcome) {
	if o.StartsAt != nil {
		item.StartsAt = o.StartsAt
	}
	if o.EndsAt == nil {
		return
	}
	longest := ""
	if item.Longest != nil {
		longest = *item.Longest
	}
	item.EndsAt, item.Duration = within(item.StartsAt, o.EndsAt, longest, b.now), nil
	b.note(r, item, "shortened", item.Display+" ends at "+item.EndsAt.UTC().Format(time.RFC3339))
}

// reopen takes back what an approval gave that was withdrawn before the target had it.
func (b *book) reopen(r *AccessRequest, item *AccessRequestItem, o chain.Outcome) {
	if item.Given {
		b.endings["the approval was withdrawn"] = append(b.endings["the approval was withdrawn"], item.ID)
		item.Given, item.Fulfilment = false, fulfil.Progress{}
	}
	item.Status, item.Decision, item.DecisionCode, item.DecisionReason, item.DecidedAt = Pending, nil, nil, nil, nil
	item.DecidedBy = []decision.Actor{}
	r.Told, r.ApprovedAt = "", nil
	b.note(
		r,
		item,
		"reopened",
		item.Display+": "+cmpText(o.Reason, "an approval was withdrawn"),
	) // the chain has audited it
}

// approve lets an item have what it asks for.
func (b *book) approve(r *AccessRequest, item *AccessRequestItem, code, reason string, by []decision.Actor) {
	b.decide(r, item, Approved, code, reason, by)
	switch item.Kind {
	case Extend:
		b.extensions = append(b.extensions, extension{r, item})
	case Return, Revoke:
		why := "given back by " + r.RequestedBy.Display + " with " + r.Number
		if item.Kind == Revoke {
			why = "ended by " + r.RequestedBy.Display + " with " + r.Number
		}
		b.endings[why] = append(b.endings[why], *item.TargetItemID)
		item.Status = Provisioning
	default:
		b.orders = append(b.orders, r.order(item))
		item.Given = true
		if item.StartsAt != nil && item.StartsAt.After(b.now) {
			item.Status = Scheduled
		}
	}
}

// order is an approved item as fulfilment takes it.
func (r *AccessRequest) order(item *AccessRequestItem) fulfil.Order {
	o := fulfil.Order{
		ItemID:        item.ID,
		RequestID:     r.ID,
		Number:        r.Number,
		IdentityID:    item.BeneficiaryID,
		RoleID:        item.RoleID,
		EntitlementID: item.EntitlementID,
		AccountID:     item.AccountID,
		Kind:          ledger.Request,
		StartsAt:      item.StartsAt,
		EndsAt:        item.EndsAt,
		Justification: r.Justification,
		Parameters:    item.Parameters,
		ApprovedBy:    []map[string]any{},
	}
	if r.Urgency == Emergency {
		o.Kind = ledger.Emergency
	}
	if item.Duration != nil {
		o.Duration = length(*item.Duration)
	}
	if r.ExternalReference != nil {
		o.ExternalReference = *r.ExternalReference
	}
	for _, who := range item.DecidedBy {
		o.ApprovedBy = append(
			o.ApprovedBy,
			map[string]any{"id": cmpText(who.IdentityID, who.ID), "display": who.Display},
		)
	}
	return o
}

// extension is an approved request for more time.
type extension struct {
	of   *AccessRequest
	item *AccessRequestItem
}

// extend moves the ends of what is extended, and shows it where it was asked for at first. When the access has ended
// while people were deciding, the extension has failed, and says so.
func (b *book) extend(ctx context.Context, tx *pg.Tx) error {
	for _, e := range b.extensions {
		until := *e.item.EndsAt
		err := fulfil.Extend(ctx, tx, *e.item.TargetItemID, until)
		switch {
		case fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound):
			reason := err.Error()
			e.item.Status, e.item.DecisionReason = Failed, &reason
			b.note(e.of, e.item, Failed, e.item.Display+": "+reason)
			continue
		case err != nil:
			return err
		}
		e.item.Status = Fulfilled
		if e.item.ExtendedFrom, err = showExtension(
			ctx,
			tx,
			*e.item.TargetItemID,
			until,
			e.of.Number,
			b.actor,
		); err != nil {
			return err
		}
		detail := e.item.Display + " is extended until " + until.UTC().Format(time.RFC3339)
		if e.item.ExtendedFrom != nil {
			detail += "; it was to end at " + e.item.ExtendedFrom.UTC().Format(time.RFC3339)
		}
		b.note(e.of, e.item, "extended", detail)
		b.audit(e.of, actExtended, e.item, e.of.Justification)
	}
	return nil
}

// showExtension writes the new end at the item that gave the access, and gives the end before; nil: it was not known
// yet.
func showExtension(
	ctx context.Context,
	tx *pg.Tx,
	itemID string,
	until time.Time,
	number string,
	by decision.Actor,
) (before *time.Time, err error) {
	const sql = `
		with old as (
		    select o.tenant_id, o.id, o.ends_at from access_request_item o where o.id = $1 for update
		), moved as (
		    update access_request_item i
		       set ends_at = $2, duration = null, updated_at = now()
		      from old o
		     where i.tenant_id = o.tenant_id
		       and i.id = o.id
		    returning i.request_id, i.id, i.display
		), changed as (
		    update access_request r
		       set updated_at = now(), version = r.version + 1
		      from moved m
		     where r.id = m.request_id
		), noted as (
		    insert into access_request_event (tenant_id, request_id, item_id, event, by, detail)
		    select current_tenant(), m.request_id, m.id, 'extended', $3,
		        m.display || ' is extended until ' || $4 || ' by ' || $5
		      from moved m
		)
		select ends_at from old`
	if err := tx.QueryRow(ctx, sql, itemID, until, by, until.UTC().Format(time.RFC3339), number).
		Scan(&before); err != nil {
		return nil, fmt.Errorf("show extension: %w", err)
	}
	return before, nil
}

// showEnding shows at the items that gave it that access is on its way out, before fulfilment has looked.
func showEnding(ctx context.Context, tx *pg.Tx, itemIDs []string, why string, by decision.Actor) error {
	const sql = `
		with ending as (
		    update access_request_item i
		       set fulfilment = i.fulfilment || '{"state": "ending"}', updated_at = now()
		     where i.id = any($1::text[]::uuid[])
		       and i.given
		    returning i.request_id, i.id, i.display
		)
		insert into access_request_event (tenant_id, request_id, item_id, event, by, detail)
		select current_tenant(), e.request_id, e.id, 'ending', $2, e.display || ': ' || $3
		  from ending e`
	if _, err := tx.Exec(ctx, sql, itemIDs, by, why); err != nil {
		return fmt.Errorf("show what ends: %w", err)
	}
	return nil
}
