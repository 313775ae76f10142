package request

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/change"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/lookup"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// CheckApproval returns the faults of items that must not be approved, because the access would violate an enforced
// separation-of-duties policy together with what the person has and what is approved for them. People are locked, so
// that of two approvals that only together violate a policy exactly one succeeds. In one call, the first items are
// taken.
func (s *Service) CheckApproval(ctx context.Context, tx *pg.Tx, itemIDs []string) (map[string]error, error) {
	refused := map[string]error{}
	err := s.eachViolating(ctx, tx, itemIDs, func(id string, why *fault.Fault) { refused[id] = why })
	return refused, err
}

// rejectViolating rejects the items of a set that are about to be approved and must not be. It is the last check, for
// approvals that no person gives, such as those that time gives.
func (s *Service) rejectViolating(ctx context.Context, tx *pg.Tx, b *change.Set, itemIDs []string) error {
	return s.eachViolating(ctx, tx, itemIDs, func(id string, why *fault.Fault) {
		r, item := b.Item(id)
		b.Decide(r, item, accessrequest.Rejected, why.Code, why.Message, nil)
	})
}

// eachViolating calls do with each item for new access that must not be approved. Items count in their order.
func (s *Service) eachViolating(
	ctx context.Context,
	tx *pg.Tx,
	itemIDs []string,
	do func(itemID string, why *fault.Fault),
) error {
	if watches, err := check.Watches(ctx, tx); err != nil || !watches || len(itemIDs) == 0 {
		return err
	}
	items, err := accessrequest.ReadItems(ctx, tx, `i.id = any($1::text[]::uuid[])`, itemIDs)
	if err != nil {
		return err
	}
	var people []string
	byID := map[string]accessrequest.AccessRequestItem{}
	for _, item := range items {
		byID[item.ID], people = item, append(people, item.BeneficiaryID)
	}
	if err := identity.LockAll(ctx, tx, people); err != nil {
		return err
	}
	names, err := lookup.Names(ctx, tx, people)
	if err != nil {
		return err
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
		return err
	}
	for i, v := range verdicts {
		if why := v.Refusal(names[candidates[i].IdentityID]); why != nil {
			do(checked[i], why)
		}
	}
	return nil
}

func additionOf(item accessrequest.AccessRequestItem) effective.Addition {
	if item.RoleID != nil {
		return effective.Addition{ID: *item.RoleID, RoleID: *item.RoleID}
	}
	return effective.Addition{ID: *item.EntitlementID, EntitlementID: *item.EntitlementID}
}
