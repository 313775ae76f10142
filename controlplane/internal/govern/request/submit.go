package request

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/change"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/draft"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/emergency"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/task"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Submit asks for access.
func (s *Service) Submit(ctx context.Context, v viewer.Viewer,
	in accessrequest.NewAccessRequest) (made accessrequest.AccessRequest, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		made, err = s.submit(ctx, tx, draft.New(tx, in, "#"))
		return err
	})
	return made, err
}

// submit enters one draft, or says why not.
func (s *Service) submit(ctx context.Context, tx *pg.Tx, d *draft.Draft) (accessrequest.AccessRequest, error) {
	if err := draft.Examine(ctx, tx, []*draft.Draft{d}, true, s.Now()); err != nil {
		return accessrequest.AccessRequest{}, err
	}
	if err := d.Refusal(); err != nil {
		return accessrequest.AccessRequest{}, err
	}
	if err := s.enter(ctx, tx, []*draft.Draft{d}); err != nil {
		return accessrequest.AccessRequest{}, err
	}
	return accessrequest.Find(ctx, tx, d.ID)
}

// enter writes drafts against which nothing stands, and lets what follows begin: chains, access, and the ends of
// access.
func (s *Service) enter(ctx context.Context, tx *pg.Tx, drafts []*draft.Draft) error {
	first, err := accessrequest.NextNumbers(ctx, tx, len(drafts))
	if err != nil {
		return err
	}
	var requests []accessrequest.Record
	var items []accessrequest.ItemRecord
	var ids []string
	wishes, warnings := map[string]*draft.Item{}, map[string][]string{}
	for i, d := range drafts {
		requests = append(requests, d.Record(tx.Viewer, first+int64(i), s.Now()))
		items = append(items, d.ItemRecords()...)
		ids, warnings[d.ID] = append(ids, d.ID), d.Warnings()
		for _, w := range d.Items {
			wishes[w.ID] = w
		}
	}
	if err := accessrequest.Insert(ctx, tx, requests, items); err != nil {
		return err
	}
	verdicts := map[string]check.SeparationVerdict{}
	for _, d := range drafts {
		verdicts[d.ID] = d.Separation
	}
	if err := check.RecordShadow(ctx, tx, verdicts); err != nil {
		return err
	}
	for _, d := range drafts {
		for _, p := range d.Proposals {
			if _, err := mitigation.Insert(ctx, tx, p.In, p.Target, s.Now()); err != nil {
				return err
			}
		}
	}
	b, err := change.Open(ctx, tx, ids, s.Now())
	if err != nil {
		return err
	}
	for _, r := range b.Requests {
		b.Note(r, nil, accessrequest.Submitted, r.Justification)
		b.Audit(r, accessrequest.AuditSubmitted, nil, r.Justification)
		for _, text := range warnings[r.ID] {
			b.Note(r, nil, "separation_of_duties", text)
		}
	}
	submitted := make([]change.Event, len(b.Requests))
	for i, r := range b.Requests {
		asItWas := *r
		asItWas.Items = slices.Clone(r.Items)
		submitted[i] = change.Event{Kind: event.RequestSubmitted, Of: &asItWas}
	}
	if err := change.Publish(ctx, tx, submitted); err != nil {
		return err
	}
	started, err := s.begin(ctx, tx, b, drafts, wishes)
	if err != nil {
		return err
	}
	if err := b.Apply(ctx, tx); err != nil {
		return err
	}
	if len(started) == 0 {
		return nil
	}
	return s.Chains.Start(ctx, tx, started)
}

// begin does what follows from the outcomes of the plans, and gives what people must agree to.
func (s *Service) begin(
	ctx context.Context,
	tx *pg.Tx,
	b *change.Set,
	drafts []*draft.Draft,
	wishes map[string]*draft.Item,
) ([]chain.Item, error) {
	byID := map[string]*draft.Draft{}
	for _, d := range drafts {
		byID[d.ID] = d
	}
	var started []chain.Item
	var reviews []emergency.Review
	for _, r := range b.Requests {
		d := byID[r.ID]
		for i := range r.Items {
			item := &r.Items[i]
			w := wishes[item.ID]
			switch w.Way(d.In) {
			case approval.AutoReject:
				b.Decide(r, item, accessrequest.Rejected, "rejected_by_rule", w.Plan.Reason, nil)
			case accessrequest.Emergency:
				b.Approve(r, item, "emergency", r.Justification, nil)
				b.Audit(r, accessrequest.AuditEmergency, item, r.Justification)
				reviews = append(
					reviews,
					emergency.Review{Request: r, Item: item, Within: w.Plan.Emergency.PostReviewWithin},
				)
			case approval.AutoApprove:
				b.Approve(r, item, "approved_by_rule", w.Plan.Reason, nil)
			default:
				item.Status = accessrequest.Pending
				if w.Plan.Blocked {
					item.Status = accessrequest.Blocked
					b.Note(
						r,
						item,
						accessrequest.Blocked,
						item.Display+": no approver was found; administrators are notified",
					)
				}
				started = append(started, task.ApprovalItem(d, r, item, w, tx.Viewer))
			}
		}
	}
	return started, emergency.AskReviewers(ctx, tx, b, reviews)
}
