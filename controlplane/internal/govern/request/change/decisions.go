package change

import (
	"cmp"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest/term"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// Decide sets the decision about an open item.
func (b *Set) Decide(r *accessrequest.AccessRequest, item *accessrequest.AccessRequestItem, what, code,
	reason string, by []decision.Actor) {
	item.Status, item.Decision, item.DecisionCode = what, &what, &code
	if reason != "" {
		item.DecisionReason = &reason
	}
	item.DecidedAt, item.DecidedBy = &b.Now, by
	if by == nil {
		item.DecidedBy = []decision.Actor{}
	}
	item.UpdatedAt = b.Now
	b.Note(r, item, what, item.Display+": "+cmp.Or(reason, code))
	if action, is := accessrequest.ItemActions[what]; is {
		b.Audit(r, action, item, reason)
	}
}

// Take applies the outcome of an approval chain to an item. An outcome that no longer fits its status is ignored.
func (b *Set) Take(r *accessrequest.AccessRequest, item *accessrequest.AccessRequestItem, o chain.Outcome) error {
	switch {
	case o.Result == chain.Reopened && (item.IsVerified() || !item.IsOpen() && !item.IsLive()):
		return accessrequest.InvalidTransition(
			"the target has "+item.Display+" already: an approval is withdrawn before that; ask for its end instead, "+
				"with kind revoke",
			item.Actions(r.Urgency),
		)
	case o.Result == chain.Reopened:
		b.reopen(r, item, o)
	case !item.IsOpen():
	case o.Result == chain.Approved:
		if err := checkSelfApproval(r, item, o); err != nil {
			return err
		}
		b.changeDates(r, item, o)
		b.Approve(r, item, cmp.Or(o.ReasonCode, accessrequest.Approved), o.Reason, slices.Concat(o.ByRequesting, o.By))
	case o.Result == chain.Rejected:
		b.Decide(r, item, accessrequest.Rejected, cmp.Or(o.ReasonCode, accessrequest.Rejected), o.Reason, o.By)
	case o.Result == chain.Expired:
		b.Decide(
			r,
			item,
			accessrequest.Expired,
			accessrequest.Expired,
			cmp.Or(o.Reason, "no approver decided in time"),
			nil,
		)
	case o.Result == chain.Blocked && item.Status != accessrequest.Blocked:
		item.Status = accessrequest.Blocked
		b.Note(
			r,
			item,
			accessrequest.Blocked,
			cmp.Or(o.Reason, item.Display+": no approver was found; administrators are notified"),
		)
	case o.Result == chain.Unblocked && item.Status == accessrequest.Blocked:
		item.Status = accessrequest.Pending
		b.Note(r, item, "unblocked", item.Display+": an approver was found")
	}
	return nil
}

// checkSelfApproval refuses an approval by the requester and by the person it is for. A manager's request for a report
// agrees to the step of the manager, never to a request for themselves. The inbox and the plan keep it from happening;
// this is the last check.
func checkSelfApproval(r *accessrequest.AccessRequest, item *accessrequest.AccessRequestItem, o chain.Outcome) error {
	if item.Plan.SelfApproval {
		return nil
	}
	askers := r.Parties(item)
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

// changeDates takes over the dates that an approver has changed, within what may be given at most.
func (b *Set) changeDates(r *accessrequest.AccessRequest, item *accessrequest.AccessRequestItem, o chain.Outcome) {
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
	item.EndsAt, item.Duration = term.Within(item.StartsAt, o.EndsAt, longest, b.Now), nil
	b.Note(r, item, "shortened", item.Display+" ends at "+item.EndsAt.UTC().Format(time.RFC3339))
}

// reopen takes back what an approval gave that was withdrawn before the target had it.
func (b *Set) reopen(r *accessrequest.AccessRequest, item *accessrequest.AccessRequestItem, o chain.Outcome) {
	if item.Given {
		b.EndAccess("the approval was withdrawn", item.ID)
		item.Given, item.Fulfilment = false, fulfil.Progress{}
	}
	item.Status, item.Decision, item.DecidedAt = accessrequest.Pending, nil, nil
	item.DecisionCode, item.DecisionReason = nil, nil
	item.DecidedBy = []decision.Actor{}
	r.Told, r.ApprovedAt = "", nil
	b.Note(
		r,
		item,
		"reopened",
		item.Display+": "+cmp.Or(o.Reason, "an approval was withdrawn"),
	) // the chain has audited it
}

// Approve approves an item and orders its access, its extension or its end.
func (b *Set) Approve(r *accessrequest.AccessRequest, item *accessrequest.AccessRequestItem, code,
	reason string, by []decision.Actor) {
	b.Decide(r, item, accessrequest.Approved, code, reason, by)
	switch item.Kind {
	case accessrequest.Extend:
		b.extensions = append(b.extensions, Extension{r, item})
	case accessrequest.Return, accessrequest.Revoke:
		why := "given back by " + r.RequestedBy.Display + " with " + r.Number
		if item.Kind == accessrequest.Revoke {
			why = "ended by " + r.RequestedBy.Display + " with " + r.Number
		}
		b.EndAccess(why, *item.TargetItemID)
		item.Status = accessrequest.Provisioning
	default:
		b.orders = append(b.orders, orderOf(r, item))
		item.Given = true
		if item.StartsAt != nil && item.StartsAt.After(b.Now) {
			item.Status = accessrequest.Scheduled
		}
	}
}

// order is an approved item as fulfilment takes it.
func orderOf(r *accessrequest.AccessRequest, item *accessrequest.AccessRequestItem) fulfil.Order {
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
	if r.Urgency == accessrequest.Emergency {
		o.Kind = ledger.Emergency
	}
	if item.Duration != nil {
		o.Duration = term.Duration(*item.Duration)
	}
	if r.ExternalReference != nil {
		o.ExternalReference = *r.ExternalReference
	}
	for _, who := range item.DecidedBy {
		o.ApprovedBy = append(
			o.ApprovedBy,
			map[string]any{"id": cmp.Or(who.IdentityID, who.ID), "display": who.Display},
		)
	}
	return o
}
