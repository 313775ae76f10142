package emergency

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/change"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// interval is how soon is noticed that a review is due. Reviews are due in hours.
const interval = 15 * time.Second

// Kinds are the work on reviews: to ask administrators about emergency access that no reviewer has reviewed in time.
func (s *Reviews) Kinds() []queue.Kind {
	const due = `
		select distinct i.tenant_id::text
		  from access_request_item i
		  join tenant t on t.id = i.tenant_id and t.status = 'active'
		 where i.review_due_at <= $1`
	return []queue.Kind{{
		Name:  "emergency_reviews",
		Title: "Overdue emergency reviews",
		About: "Escalates the reviews of emergency access that are overdue to the administrators of the tenant.",
		Part:  s.escalate,
		Due:   &queue.Due{SQL: due, Args: func() []any { return []any{s.Now()} }, Every: interval},
	}}
}

// escalate asks the administrators of a tenant too, and says about how many reviews.
func (s *Reviews) escalate(ctx context.Context, tenant string) (n int, err error) {
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		ids, err := pg.All[string](
			ctx,
			tx,
			"find reviews that are due",
			`select i.id::text from access_request_item i where i.review_due_at <= $1 order by i.id limit 100`,
			s.Now(),
		)
		if err != nil {
			return err
		}
		b, err := change.OpenItems(ctx, tx, ids, s.Now())
		if err != nil {
			return err
		}
		var questions []decision.New
		for _, id := range ids {
			r, item := b.Item(id)
			if due := item.Review.EscalateAt(); due == nil || due.After(b.Now) {
				continue // somebody was quicker
			}
			people, err := overseers(ctx, tx, item)
			if err != nil {
				return err
			}
			item.Review.Escalate = true
			questions = append(questions, reviewQuestion(r, item, people))
			b.Note(
				r,
				item,
				"escalated",
				item.Display+": the emergency access was not reviewed in time; administrators decide",
			)
			b.Audit(r, accessrequest.AuditEscalated, item, "")
		}
		n = len(questions)
		if _, err := decision.Ask(ctx, tx, questions); err != nil {
			return err
		}
		return b.Apply(ctx, tx)
	})
	return n, err
}
