package request

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/change"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/exception"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/lookup"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// CheckApproval says which items must not be approved, because the access would violate an enforced
// separation-of-duties policy together with what the person has and what is approved for them. An item whose violation
// needs an exception that none of its stages asks for gets the stages of the exception rule. People are locked, so that
// of two approvals that only together violate a policy exactly one succeeds. In one call, the first items are taken.
func (s *Service) CheckApproval(
	ctx context.Context,
	tx *pg.Tx,
	items []chain.ToApprove,
) (map[string]chain.Check, error) {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.ItemID
	}
	checks := map[string]chain.Check{}
	all, err := s.violating(ctx, tx, ids)
	if err != nil || len(all) == 0 {
		return checks, err
	}
	for _, v := range all {
		i := slices.IndexFunc(items, func(a chain.ToApprove) bool { return a.ItemID == v.item.ID })
		check, err := s.checkItem(ctx, tx, v, items[i].Exceptions)
		if err != nil {
			return nil, err
		}
		checks[v.item.ID] = check
	}
	return checks, nil
}

// checkItem says whether a violating item may be approved. asked are the exceptions that its stages ask for.
func (s *Service) checkItem(
	ctx context.Context,
	tx *pg.Tx,
	v violating,
	asked []approval.StageException,
) (out chain.Check, err error) {
	if v.refused != nil {
		return chain.Check{Refused: v.refused}, nil
	}
	missing := slices.DeleteFunc(v.exceptions, func(n exception.Needed) bool {
		return slices.ContainsFunc(asked, n.Of)
	})
	if len(missing) == 0 {
		return out, nil
	}
	subject, err := subjectOf(ctx, tx, v.item)
	if err != nil {
		return out, err
	}
	for _, n := range missing {
		if why := exception.Problem(v.item, subject.Justification, n, s.Now()); why != nil {
			return chain.Check{Refused: why}, nil
		}
	}
	groups := exception.ByRule(missing)
	subjects := make([]resolution.Excepted, len(groups))
	for i, g := range groups {
		subjects[i] = resolution.Excepted{Subject: subject, RuleID: g[0].RuleID, From: s.Now()}
	}
	rules, err := resolution.Exceptions(ctx, tx, subjects, s.Now())
	if err != nil {
		return out, err
	}
	for i, plan := range rules {
		if plan.Outcome != approval.Chain {
			return chain.Check{Refused: exception.Undecided(groups[i][0])}, nil
		}
		out.Rules = append(out.Rules, chain.ExceptionRule{Plan: plan, Of: groups[i]})
	}
	return out, nil
}

// settleExceptions rejects the items of a set that are about to be approved and must not be, and records the exceptions
// of the others. It is the last check, for approvals that no person gives, such as those that time gives: an exception
// counts only if people have allowed it.
func (s *Service) settleExceptions(ctx context.Context, tx *pg.Tx, b *change.Set, approved []chain.Outcome) error {
	ids := make([]string, len(approved))
	for i, o := range approved {
		ids[i] = o.ItemID
	}
	all, err := s.violating(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, v := range all {
		r, item := b.Item(v.item.ID)
		if v.refused != nil {
			b.Decide(r, item, accessrequest.Rejected, v.refused.Code, v.refused.Message, nil)
			continue
		}
		o := approved[slices.Index(ids, v.item.ID)]
		for _, n := range v.exceptions {
			i := slices.IndexFunc(o.Exceptions, func(e state.Exception) bool { return n.Of(e.StageException) })
			if i < 0 {
				b.Decide(r, item, accessrequest.Rejected, "exception_not_approved", n.Conflict, nil)
				break
			}
			if err := exception.Record(ctx, tx, item, n, o.Exceptions[i]); err != nil {
				return err
			}
			b.Note(r, item, "exception", item.Display+": "+n.Conflict)
			b.Audit(r, accessrequest.AuditExcepted, item, n.Conflict)
		}
	}
	return nil
}

// violating is an open item for new access whose approval would violate policies.
type violating struct {
	item accessrequest.AccessRequestItem
	// refused is the fault if a policy blocks. Nil: none does.
	refused *fault.Fault
	// exceptions are the violations that need one.
	exceptions []exception.Needed
}

// violating returns the items that are not simply approved, in their order. People are locked.
func (s *Service) violating(ctx context.Context, tx *pg.Tx, itemIDs []string) (all []violating, err error) {
	if watches, err := check.Watches(ctx, tx); err != nil || !watches || len(itemIDs) == 0 {
		return nil, err
	}
	items, err := accessrequest.ReadItems(ctx, tx, `i.id = any($1::text[]::uuid[])`, itemIDs)
	if err != nil {
		return nil, err
	}
	var people []string
	byID := map[string]accessrequest.AccessRequestItem{}
	for _, item := range items {
		byID[item.ID], people = item, append(people, item.BeneficiaryID)
	}
	if err := identity.LockAll(ctx, tx, people); err != nil {
		return nil, err
	}
	names, err := lookup.Names(ctx, tx, people)
	if err != nil {
		return nil, err
	}
	var checked []string
	var candidates []check.Candidate
	for _, id := range itemIDs {
		item, there := byID[id]
		if there && item.Kind == accessrequest.Grant && item.IsOpen() {
			checked = append(checked, id)
			candidates = append(candidates,
				check.Candidate{IdentityID: item.BeneficiaryID, Add: []effective.Addition{additionOf(item)}})
		}
	}
	verdicts, err := check.InOrder(ctx, tx, candidates, true, s.Now())
	if err != nil {
		return nil, err
	}
	for i, v := range verdicts {
		who := names[candidates[i].IdentityID]
		one := violating{item: byID[checked[i]], refused: v.Refusal(who), exceptions: exception.Of(v, who)}
		if one.refused != nil || len(one.exceptions) > 0 {
			all = append(all, one)
		}
	}
	return all, nil
}

// subjectOf is an item of a submitted request as approval rules look at it. Whoever decides about the item may not see
// the request.
func subjectOf(
	ctx context.Context,
	tx *pg.Tx,
	item accessrequest.AccessRequestItem,
) (s approval.Subject, err error) {
	const sql = `
		select coalesce(r.requester_id::text, ''), r.urgency, r.justification, coalesce(r.external_reference, '')
		  from access_request r
		 where r.id = $1`
	s = approval.Subject{
		BeneficiaryID: item.BeneficiaryID,
		Kind:          item.Kind,
		RoleID:        item.RoleID,
		EntitlementID: item.EntitlementID,
		StartsAt:      item.StartsAt,
		EndsAt:        item.EndsAt,
	}
	if item.Duration != nil {
		s.Duration = *item.Duration
	}
	err = tx.QueryRow(ctx, sql, item.RequestID).
		Scan(&s.RequesterID, &s.Urgency, &s.Justification, &s.ExternalReference)
	if err != nil {
		err = fmt.Errorf("read request of item: %w", err)
	}
	return s, err
}

func additionOf(item accessrequest.AccessRequestItem) effective.Addition {
	if item.RoleID != nil {
		return effective.Addition{ID: *item.RoleID, RoleID: *item.RoleID}
	}
	return effective.Addition{ID: *item.EntitlementID, EntitlementID: *item.EntitlementID}
}
