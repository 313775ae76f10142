package accessrequest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/progress"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest/term"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Complete reads the items and stages of requests and what follows from them, in a few statements however many there
// are.
func Complete(ctx context.Context, tx *pg.Tx, requests []AccessRequest) error {
	if len(requests) == 0 {
		return nil
	}
	ids, byID := make([]string, len(requests)), map[string]*AccessRequest{}
	for i := range requests {
		ids[i], byID[requests[i].ID] = requests[i].ID, &requests[i]
	}
	items, err := ReadItems(ctx, tx, `i.request_id = any($1::text[]::uuid[])`, ids)
	if err != nil {
		return err
	}
	var chained []string
	for _, i := range items {
		if i.Plan.Outcome == approval.Chain {
			chained = append(chained, i.ID)
		}
		byID[i.RequestID].Items = append(byID[i.RequestID].Items, i)
	}
	stages, err := progress.Stages(ctx, tx, chained)
	if err != nil {
		return err
	}
	now := time.Now()
	for i := range requests {
		requests[i].complete(stages, now)
	}
	return nil
}

// complete fills in what follows from what was read.
func (r *AccessRequest) complete(stages map[string][]progress.StageInstance, now time.Time) {
	r.Number, r.WebhookCorrelationID = Number(r.Serial), r.ID
	r.Comments, r.RequestedResources = []AccessRequestComment{}, []RequestedResource{}
	if r.Items == nil {
		r.Items = []AccessRequestItem{}
	}
	r.Risk = AccessRequestRisk{Level: "low", Reasons: []string{}}
	for i := range r.Items {
		item := &r.Items[i]
		item.complete(stages[item.ID], r.SubmittedAt)
		r.RequestedResources = append(r.RequestedResources, item.asked())
		r.weigh(item)
		r.watch(item, now)
	}
	r.allow()
}

// complete fills in what the API shows and the row has in another form: the rule, the stages of the
// chain, when it expires, and the fulfillment. Lists are never null.
func (i *AccessRequestItem) complete(stages []progress.StageInstance, submitted time.Time) {
	p := i.Plan
	i.Rule = AccessRequestRule{
		ID:             p.Rule.ID,
		Name:           p.Rule.Name,
		Version:        p.Rule.Version,
		RuleIndex:      p.Rule.Branch,
		MatchedBecause: p.Rule.MatchedBecause,
		Outcome:        p.Outcome,
	}
	if i.Stages = stages; stages == nil {
		i.Stages = []progress.StageInstance{}
	}
	if i.GrantIDs = i.Fulfilment.GrantIDs; i.GrantIDs == nil {
		i.GrantIDs = []string{}
	}
	if i.DecidedBy == nil {
		i.DecidedBy = []decision.Actor{}
	}
	if p.Outcome == approval.Chain && len(stages) > 0 {
		at := submitted.Add(term.TTL(p))
		i.ExpiresAt = &at
	}
	if !i.Given {
		return
	}
	f := i.Fulfilment
	i.Provisioning = &AccessRequestProvisioning{
		State:      cmp.Or(f.State, Provisioning),
		Total:      f.Total,
		Active:     f.Active,
		Failed:     f.FailedOnes,
		Tasks:      f.TaskIDs,
		VerifiedAt: f.VerifiedAt,
		Error:      f.Error,
		Reason:     f.Reason,
	}
	if f.TaskIDs == nil {
		i.Provisioning.Tasks = []string{}
	}
	if f.State == "" && i.Status == Scheduled {
		i.Provisioning.State = Scheduled
	}
}

// asked is the item as it was asked for.
func (i *AccessRequestItem) asked() RequestedResource {
	out := RequestedResource{StartsAt: i.StartsAt, EndsAt: i.EndsAt}
	for to, from := range map[*string]*string{&out.RoleID: i.RoleID, &out.EntitlementID: i.EntitlementID,
		&out.AccountID: i.AccountID, &out.Duration: i.Duration} {
		if from != nil {
			*to = *from
		}
	}
	if len(i.Parameters) > 0 {
		out.Parameters = i.Parameters
	}
	if out.Duration != "" {
		out.EndsAt = nil
	}
	return out
}

// riskOrder has the risk levels from the least to the greatest.
var riskOrder = []string{"low", "medium", "high", "critical"}

// weigh counts an item into the request's risk.
func (r *AccessRequest) weigh(item *AccessRequestItem) {
	if item.RiskLevel != nil && slices.Index(riskOrder, *item.RiskLevel) > 1 {
		r.Risk.Reasons = append(r.Risk.Reasons, item.Display+" is of "+*item.RiskLevel+" risk")
	}
	if item.RiskLevel != nil && slices.Index(riskOrder, *item.RiskLevel) > slices.Index(riskOrder, r.Risk.Level) {
		r.Risk.Level = *item.RiskLevel
	}
	if item.Privileged {
		r.Risk.Reasons = append(r.Risk.Reasons, item.Display+" is privileged")
	}
}

// watch finds until when the next answer is expected.
func (r *AccessRequest) watch(item *AccessRequestItem, now time.Time) {
	for _, stage := range item.Stages {
		if stage.State != "open" || stage.DueAt == nil {
			continue
		}
		if r.SLA.RespondBy == nil || stage.DueAt.Before(*r.SLA.RespondBy) {
			r.SLA.RespondBy = stage.DueAt
		}
		r.SLA.Breached = r.SLA.Breached || stage.DueAt.Before(now)
	}
}
