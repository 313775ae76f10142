package request

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// AccessRequestVerdict is what an approver says about one item.
type AccessRequestVerdict struct {
	ItemID   string     `json:"item_id" format:"uuid"`
	Action   string     `json:"action" enum:"approve,reject"`
	Comment  string     `json:"comment,omitempty" maxLength:"4000" doc:"The approval rule can require it. A rejection should always have a reason."`
	StartsAt *time.Time `json:"starts_at,omitempty" doc:"Later than what was asked for."`
	EndsAt   *time.Time `json:"ends_at,omitempty" doc:"Sooner than what was asked for."`
}

// AccessRequestVerdictResult is what became of a decision.
type AccessRequestVerdictResult struct {
	ItemID   string `json:"item_id"`
	Accepted bool   `json:"accepted"`
	Status   string `json:"status" doc:"Of the item now."`
	Code     string `json:"code,omitempty" example:"already_decided" doc:"Why it was refused."`
	Detail   string `json:"detail,omitempty"`
}

// AccessRequestDecisions are the results, and the request as it is then.
type AccessRequestDecisions struct {
	Results []AccessRequestVerdictResult `json:"results" nullable:"false"`
	Request AccessRequest                `json:"request"`
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
	out.Request, err = s.on(ctx, v, id, match, func(tx *pg.Tx, r AccessRequest) error {
		tasks, err := r.tasks(ctx, tx)
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
		if item, err := out.Request.item(out.Results[i].ItemID); err == nil {
			out.Results[i].Status = item.Status
		}
	}
	return out, nil
}

// wordsOf are the code and the words of a refusal.
func wordsOf(err error) (code, detail string) {
	var f *fault.Fault
	if asFault(err, &f) {
		return f.Code, f.Message
	}
	return "internal_error", "this could not be decided"
}

func asFault(err error, to **fault.Fault) bool { return errors.As(err, to) }

// lastOf is the last part of a JSON pointer.
func lastOf(pointer string) string { return pointer[strings.LastIndex(pointer, "/")+1:] }

// asked are tasks of an item: those of the viewer, and the others.
type asked struct{ mine, open, all []string }

// tasks are the approvals that are asked about the request, by item.
func (r *AccessRequest) tasks(ctx context.Context, tx *pg.Tx) (map[string]*asked, error) {
	const sql = `
		select t.subject ->> 'id', t.id::text, t.state in ('open', 'claimed'),
		       t.roles && @roles::text[]
		       or exists (select from decision_assignee a where a.task_id = t.id
		           and a.identity_id = nullif(@me, '')::uuid and a.dropped_at is null)
		  from decision_task t
		 where t.source ->> 'id' = @request
		   and t.kind = @kind
		 order by t.id`
	roles := make([]string, len(tx.Viewer.Roles))
	for i, role := range tx.Viewer.Roles {
		roles[i] = string(role)
	}
	rows, err := tx.Query(
		ctx,
		sql,
		pgx.NamedArgs{"request": r.ID, "kind": chain.Kind, "roles": roles, "me": tx.Viewer.Identity},
	)
	if err != nil {
		return nil, fmt.Errorf("find approvals of request: %w", err)
	}
	found := map[string]*asked{}
	var item, id string
	var open, mine bool
	_, err = pgx.ForEachRow(rows, []any{&item, &id, &open, &mine}, func() error {
		a := found[item]
		if a == nil {
			a = &asked{}
			found[item] = a
		}
		if a.all = append(a.all, id); open {
			a.open = append(a.open, id)
			if mine {
				a.mine = append(a.mine, id)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find approvals of request: %w", err)
	}
	return found, nil
}

// decideItem decides the viewer's tasks about an item. Where they have none, it is the inbox that says why not.
func (s *Service) decideItem(
	ctx context.Context,
	tx *pg.Tx,
	r *AccessRequest,
	d AccessRequestVerdict,
	of *asked,
) (refused, err error) {
	item, err := r.item(d.ItemID)
	if err != nil {
		return err, nil
	}
	if of == nil {
		return cannot(item.Display+" is "+item.Status+" and does not wait for a decision", item.Allowed), nil
	}
	ids := of.mine
	if len(ids) == 0 && len(of.open) > 0 {
		ids = of.open[:1]
	}
	if len(ids) == 0 {
		ids = of.all[len(of.all)-1:]
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
			return r.notAsked(item, tx.Viewer), nil
		default:
			return results[0], nil
		}
	}
	return nil, nil
}

// notAsked says to somebody who sees the request that its decision is not theirs.
func (r *AccessRequest) notAsked(item *AccessRequestItem, v viewer.Viewer) error {
	if r.asks(v) && !item.Plan.SelfApproval {
		return fault.Coded(
			fault.Forbidden,
			"own_request",
			"this is about your own access or your own request: another approver must decide it",
		)
	}
	return fault.Coded(
		fault.Forbidden,
		"not_assigned",
		"you see %s and are not among those who decide about %s; its open stage names them",
		r.Number,
		item.Display,
	)
}

// Reassign gives an approval of an item to somebody else.
func (s *Service) Reassign(
	ctx context.Context,
	v viewer.Viewer,
	id, itemID, taskID, to, reason string,
) (after AccessRequest, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := find(ctx, tx, id)
		if err != nil {
			return err
		}
		item, err := r.item(itemID)
		if err != nil {
			return err
		}
		tasks, err := r.tasks(ctx, tx)
		if err != nil {
			return err
		}
		taskID, err = item.meant(tasks[itemID], taskID)
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
		after, err = find(ctx, tx, id)
		return err
	})
	after.Comments = []AccessRequestComment{}
	return after, err
}

// meant is the task that is meant: the one that is named, the viewer's own, or the only one.
func (i *AccessRequestItem) meant(of *asked, named string) (string, error) {
	if of == nil || len(of.open) == 0 {
		return "", cannot(i.Display+" is "+i.Status+" and does not wait for a decision", i.Allowed)
	}
	candidates := of.mine
	if len(candidates) == 0 {
		candidates = of.open
	}
	for _, id := range of.open {
		if id == named {
			return id, nil
		}
	}
	switch {
	case named != "":
		return "", fault.New(fault.Invalid, "the task %s is not an open one of %s", named, i.Display).
			With(fault.Field{Pointer: "#/task_id", Code: "unknown_task",
				Detail: "see the slots of the item's open stage"})
	case len(candidates) > 1:
		return "", fault.Coded(fault.Conflict, "several_tasks", "several people are asked about %s: say by task_id "+
			"whose task is meant", i.Display).
			Also("task_ids", candidates)
	}
	return candidates[0], nil
}

// WithdrawApproval takes the viewer's approval back, while the target does not have the access yet. Without an item it
// is all that the viewer approved.
func (s *Service) WithdrawApproval(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	items []string,
) (AccessRequest, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, r AccessRequest) error {
		chosen, err := r.chosen(items, "withdraw-approval")
		if err != nil {
			return err
		}
		if err := chain.Hold(ctx, tx, chosen); err != nil {
			return err
		}
		if err := lockGiven(ctx, tx, chosen); err != nil {
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
