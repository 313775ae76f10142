package request

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Submit asks for access.
func (s *Service) Submit(ctx context.Context, v viewer.Viewer, in NewAccessRequest) (made AccessRequest, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		made, err = s.submit(ctx, tx, draw(tx, in, "#"))
		return err
	})
	return made, err
}

// submit enters one draft, or says why not.
func (s *Service) submit(ctx context.Context, tx *pg.Tx, d *draft) (AccessRequest, error) {
	if err := examine(ctx, tx, []*draft{d}, true, s.Now()); err != nil {
		return AccessRequest{}, err
	}
	if err := d.refusal(); err != nil {
		return AccessRequest{}, err
	}
	if err := s.enter(ctx, tx, []*draft{d}); err != nil {
		return AccessRequest{}, err
	}
	return find(ctx, tx, d.id)
}

// enter writes drafts against which nothing stands, and lets what follows begin: chains, access, and the ends of
// access.
func (s *Service) enter(ctx context.Context, tx *pg.Tx, drafts []*draft) error {
	first, err := numbers(ctx, tx, len(drafts))
	if err != nil {
		return err
	}
	var requests []record
	var items []itemRecord
	var ids []string
	wishes := map[string]*wish{}
	for i, d := range drafts {
		requests = append(requests, d.record(tx.Viewer, first+int64(i), s.Now()))
		items = append(items, d.items()...)
		ids = append(ids, d.id)
		for _, w := range d.wishes {
			wishes[w.id] = w
		}
	}
	if err := insert(ctx, tx, requests, items); err != nil {
		return err
	}
	b, err := open(ctx, tx, ids, s.Now())
	if err != nil {
		return err
	}
	for _, r := range b.requests {
		b.note(r, nil, Submitted, r.Justification)
		b.audit(r, actSubmitted, nil, r.Justification)
	}
	submitted := make([]news, len(b.requests))
	for i, r := range b.requests {
		asItWas := *r
		asItWas.Items = slices.Clone(r.Items)
		submitted[i] = news{event.RequestSubmitted, &asItWas}
	}
	if err := publish(ctx, tx, submitted); err != nil {
		return err
	}
	matters, err := s.begin(ctx, tx, b, drafts, wishes)
	if err != nil {
		return err
	}
	if err := b.close(ctx, tx); err != nil {
		return err
	}
	if len(matters) == 0 {
		return nil
	}
	return s.Chains.Start(ctx, tx, matters)
}

// begin does what follows from the outcomes of the plans, and gives what people must agree to.
func (s *Service) begin(
	ctx context.Context,
	tx *pg.Tx,
	b *book,
	drafts []*draft,
	wishes map[string]*wish,
) ([]chain.Matter, error) {
	byID := map[string]*draft{}
	for _, d := range drafts {
		byID[d.id] = d
	}
	var matters []chain.Matter
	var reviews []review
	for _, r := range b.requests {
		d := byID[r.ID]
		for i := range r.Items {
			item := &r.Items[i]
			w := wishes[item.ID]
			switch w.way(d.in) {
			case approval.AutoReject:
				b.decide(r, item, Rejected, "rejected_by_rule", w.plan.Reason, nil)
			case Emergency:
				b.approve(r, item, "emergency", r.Justification, nil)
				b.audit(r, actEmergency, item, r.Justification)
				reviews = append(reviews, review{r, item, w})
			case approval.AutoApprove:
				b.approve(r, item, "approved_by_rule", w.plan.Reason, nil)
			default:
				item.Status = Pending
				if w.plan.Blocked {
					item.Status = Blocked
					b.note(r, item, Blocked, item.Display+": no approver was found; administrators are notified")
				}
				matters = append(matters, d.matter(r, item, w, tx.Viewer))
			}
		}
	}
	return matters, s.askForReviews(ctx, tx, b, reviews)
}

// way is what happens with a wish next.
func (w *wish) way(in NewAccessRequest) string {
	switch {
	case w.plan.Outcome == approval.AutoReject:
		return approval.AutoReject
	case in.Urgency == Emergency:
		return Emergency
	case in.Kind == Extend && !w.plan.Terms.ExtensionNeedsOK:
		return approval.AutoApprove
	}
	return w.plan.Outcome
}

// record is the draft as it is stored.
func (d *draft) record(v viewer.Viewer, serial int64, now time.Time) record {
	var expires *time.Time
	for _, w := range d.wishes {
		if at := now.Add(w.ttl()); w.way(d.in) == approval.Chain && (expires == nil || at.After(*expires)) {
			expires = &at
		}
	}
	out := record{
		ID:        d.id,
		Serial:    serial,
		For:       d.person.ID,
		By:        actorOf(v),
		Kind:      d.in.Kind,
		Urgency:   d.in.Urgency,
		Why:       d.in.Justification,
		Reference: d.in.ExternalReference,
		Answers:   d.in.FormAnswers,
		Approvers: d.in.Approvers,
		Preview:   d.foresee(),
		ExpiresAt: expires,
	}
	if out.Answers == nil {
		out.Answers = map[string]any{}
	}
	if out.Approvers == nil {
		out.Approvers = []string{}
	}
	out.RequesterID, out.ActorID = idOrNil(v.Identity), idOrNil(v.ID)
	words := []string{numberOf(serial), d.person.Display, v.Display, d.in.Justification}
	if d.in.ExternalReference != nil {
		words = append(words, *d.in.ExternalReference)
	}
	for _, w := range d.wishes {
		words = append(words, w.thing.Display)
	}
	out.Searched = strings.ToLower(strings.Join(words, "\n"))
	return out
}

func idOrNil(id string) *string {
	if id == "" {
		return nil
	}
	return &id
}

// items are the draft's things as they are stored.
func (d *draft) items() []itemRecord {
	out := make([]itemRecord, len(d.wishes))
	for i, w := range d.wishes {
		item := itemRecord{
			ID:          w.id,
			RequestID:   d.id,
			Position:    i,
			Beneficiary: d.person.ID,
			Kind:        d.in.Kind,
			RoleID:      idOrNil(w.in.RoleID),
			Entitlement: idOrNil(w.in.EntitlementID),
			AccountID:   idOrNil(w.in.AccountID),
			Display:     w.thing.Display,
			RiskLevel:   w.thing.RiskLevel,
			Privileged:  w.thing.Privileged,
			Parameters:  w.in.Parameters,
			StartsAt:    w.starts,
			EndsAt:      w.ends,
			Limits:      w.limits,
			Plan:        w.plan,
		}
		if item.Parameters == nil {
			item.Parameters = map[string]any{}
		}
		if item.Limits == nil {
			item.Limits = []string{}
		}
		if w.duration > 0 {
			item.Duration = idOrNil(span.Format(w.duration))
		}
		if w.limit > 0 {
			item.Longest = idOrNil(span.Format(w.limit))
		}
		if w.target != nil {
			item.Target = &w.target.ID
		}
		out[i] = item
	}
	return out
}

// matter is an item as people are asked about it.
func (d *draft) matter(r *AccessRequest, item *AccessRequestItem, w *wish, v viewer.Viewer) chain.Matter {
	m := chain.Matter{
		ItemID:    item.ID,
		RequestID: r.ID,
		Number:    r.Number,
		Subject:   d.subject(w, v),
		Plan:      w.plan,
		What:      w.thing.ref(),
		Who: decision.Ref{
			Type:    "identity",
			ID:      d.person.ID,
			Display: d.person.Display,
		},
		RequestedBy: actorOf(v),
		Context:     d.context(r, w),
		ExpiresAt:   r.SubmittedAt.Add(w.ttl()),
	}
	if item.RiskLevel != nil {
		m.RiskLevel = *item.RiskLevel
	}
	return m
}

// context is what approvers are shown.
func (d *draft) context(r *AccessRequest, w *wish) map[string]any {
	c := map[string]any{
		"request_id":         r.ID,
		"item_id":            w.id,
		"number":             r.Number,
		"kind":               r.Kind,
		"urgency":            r.Urgency,
		"justification":      r.Justification,
		"external_reference": r.ExternalReference,
		"requested_by":       r.RequestedBy,
		"form_answers":       r.FormAnswers,
		"limits":             w.limits,
		"requested_for": map[string]any{
			"id":         d.person.ID,
			"display":    d.person.Display,
			"department": d.person.Department,
			"title":      d.person.Title,
		},
		"what": map[string]any{
			"type":        w.thing.Type,
			"id":          w.thing.ID,
			"display":     w.thing.Display,
			"description": w.thing.Description,
			"privileged":  w.thing.Privileged,
		},
		"starts_at":   w.starts,
		"ends_at":     w.ends,
		"other_items": len(d.wishes) - 1,
	}
	if w.duration > 0 {
		c["duration"] = span.Format(w.duration)
	}
	if len(w.in.Parameters) > 0 {
		c["parameters"] = w.in.Parameters
	}
	return c
}
