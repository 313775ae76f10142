package request

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/change"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/task"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// AccessRequestVerdict is what an approver says about one item.
type AccessRequestVerdict struct {
	// ID of the request item to decide.
	ItemID string `json:"item_id" format:"uuid"`
	// Decision on the item.
	Action string `json:"action" enum:"approve,reject"`
	// The approval rule can require it. A rejection should always have a reason.
	Comment string `json:"comment,omitempty" maxLength:"4000"`
	// Later than what was asked for.
	StartsAt *time.Time `json:"starts_at,omitempty"`
	// Sooner than what was asked for.
	EndsAt *time.Time `json:"ends_at,omitempty"`
}

// AccessRequestVerdictResult is what became of a decision.
type AccessRequestVerdictResult struct {
	// ID of the request item.
	ItemID string `json:"item_id"`
	// Whether the decision was accepted.
	Accepted bool `json:"accepted"`
	// Of the item now.
	Status string `json:"status"`
	// Why it was refused.
	Code string `json:"code,omitempty" example:"already_decided"`
	// Reason for the refusal, in words. Absent if the decision was accepted.
	Detail string `json:"detail,omitempty"`
}

// AccessRequestDecisions are the results, and the request as it is then.
type AccessRequestDecisions struct {
	// Result of each decision, in the order of the body.
	Results []AccessRequestVerdictResult `json:"results" nullable:"false"`
	// Access request after the decisions.
	Request accessrequest.AccessRequest `json:"request"`
}

// Decide decides items for the viewer who was asked about them. Every check is the inbox's own. When nothing was
// accepted, it is the fault of the first.
func (s *Service) Decide(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	all []AccessRequestVerdict,
) (out AccessRequestDecisions, err error) {
	out.Results = make([]AccessRequestVerdictResult, len(all))
	out.Request, err = s.on(ctx, v, id, match, func(tx *pg.Tx, r accessrequest.AccessRequest) error {
		tasks, err := task.Find(ctx, tx, &r)
		if err != nil {
			return err
		}
		var first error
		accepted := 0
		for i, d := range all {
			out.Results[i].ItemID = d.ItemID
			refused, err := s.decideItem(ctx, tx, &r, d, tasks[d.ItemID])
			if err != nil {
				return err
			}
			if refused == nil {
				out.Results[i].Accepted = true
				accepted++
				continue
			}
			out.Results[i].Code, out.Results[i].Detail = wordsOf(refused)
			if first == nil {
				first = refused
			}
		}
		if accepted == 0 {
			return first
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	for i := range out.Results {
		if item, err := out.Request.Item(out.Results[i].ItemID); err == nil {
			out.Results[i].Status = item.Status
		}
	}
	return out, nil
}

// wordsOf are the code and the words of a refusal.
func wordsOf(err error) (code, detail string) {
	var f *fault.Fault
	if errors.As(err, &f) {
		return f.Code, f.Message
	}
	return "internal_error", "this could not be decided"
}

// lastOf is the last part of a JSON pointer.
func lastOf(pointer string) string { return pointer[strings.LastIndex(pointer, "/")+1:] }

// decideItem decides the viewer's tasks about an item. Where they have none, it is the inbox that says why not.
func (s *Service) decideItem(
	ctx context.Context,
	tx *pg.Tx,
	r *accessrequest.AccessRequest,
	d AccessRequestVerdict,
	of *task.Tasks,
) (refused, err error) {
	item, err := r.Item(d.ItemID)
	if err != nil {
		return err, nil
	}
	if of == nil {
		return accessrequest.InvalidTransition(
			item.Display+" is "+item.Status+" and does not wait for a decision",
			item.Allowed,
		), nil
	}
	ids := of.Mine
	if len(ids) == 0 && len(of.Open) > 0 {
		ids = of.Open[:1]
	}
	if len(ids) == 0 {
		ids = of.All[len(of.All)-1:]
	}
	choice := decision.Decision{
		Action:  d.Action,
		Comment: strings.TrimSpace(d.Comment),
		Inputs:  map[string]any{},
		Channel: "request",
	}
	if d.StartsAt != nil {
		choice.Inputs["starts_at"] = d.StartsAt.UTC().Format(time.RFC3339)
	}
	if d.EndsAt != nil {
		choice.Inputs["ends_at"] = d.EndsAt.UTC().Format(time.RFC3339)
	}
	// One after the other: what the first decides may make the next superfluous.
	for n, id := range ids {
		results, err := s.Inbox.Decide(ctx, tx, []string{id}, choice)
		if err != nil {
			return nil, err
		}
		switch {
		case n > 0 || results[0] == nil:
		case fault.Is(results[0], fault.NotFound):
			return task.NotAsked(r, item, tx.Viewer), nil
		default:
			return results[0], nil
		}
	}
	return nil, nil
}

// Reassign gives an approval of an item to somebody else.
func (s *Service) Reassign(
	ctx context.Context,
	v viewer.Viewer,
	id, itemID, taskID, to, reason string,
) (after accessrequest.AccessRequest, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := accessrequest.Find(ctx, tx, id)
		if err != nil {
			return err
		}
		item, err := r.Item(itemID)
		if err != nil {
			return err
		}
		tasks, err := task.Find(ctx, tx, &r)
		if err != nil {
			return err
		}
		taskID, err = task.Choose(item, tasks[itemID], taskID)
		return err
	})
	if err != nil {
		return after, err
	}
	if _, err := s.Inbox.Reassign(ctx, v, taskID, httpapi.IfMatch{}, []string{to}, reason); err != nil {
		return after, err
	}
	// Whoever has handed on what they were asked may not see the request any more.
	err = s.DB.As(ctx, viewer.System(v.Tenant), func(tx *pg.Tx) error {
		after, err = accessrequest.Find(ctx, tx, id)
		return err
	})
	after.Comments = []accessrequest.AccessRequestComment{}
	return after, err
}

// WithdrawApproval takes the viewer's approval back, while the target does not have the access yet. Without an item it
// is all that the viewer approved.
func (s *Service) WithdrawApproval(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	items []string,
) (accessrequest.AccessRequest, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, r accessrequest.AccessRequest) error {
		chosen, err := r.Choose(items, "withdraw-approval")
		if err != nil {
			return err
		}
		if err := chain.Hold(ctx, tx, chosen); err != nil {
			return err
		}
		if err := change.LockFulfilments(ctx, tx, chosen); err != nil {
			return err
		}
		withdrawn := 0
		for _, itemID := range chosen {
			err := s.Chains.Withdraw(ctx, tx, itemID)
			switch {
			case err == nil:
				withdrawn++
			case len(items) > 0 || !fault.IsCode(err, "nothing_to_withdraw"):
				return err
			}
		}
		if withdrawn == 0 {
			return fault.Coded(fault.Conflict, "nothing_to_withdraw", "you have approved nothing of %s that could be "+
				"taken back", r.Number).
				Also("allowed", r.Allowed)
		}
		return nil
	})
}
