package emergency

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/change"
	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// interval is how soon is noticed that a review is due. Reviews are due in hours.
const interval = 15 * time.Second

// Jobs is the periodic work: to ask administrators about emergency access that no reviewer has reviewed in time.
func (s *Reviews) Jobs() []queue.Job {
	return []queue.Job{{
		Name:  "emergency_reviews",
		Title: "Overdue emergency reviews",
		About: "Escalates the reviews of emergency access that are overdue to the administrators of the tenant.",
		Every: interval,
		Run: func(ctx context.Context) error {
			_, err := s.Look(ctx)
			return err
		},
	}}
}

// Look escalates the overdue reviews of all tenants, and returns how many it escalated.
func (s *Reviews) Look(ctx context.Context) (int, error) {
	const sql = `
		select distinct i.tenant_id::text
		  from access_request_item i
		  join tenant t on t.id = i.tenant_id and t.status = 'active'
		 where i.review_due_at <= $1`
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql, s.Now())
	if err != nil {
		return 0, fmt.Errorf("find tenants with reviews that are due: %w", err)
	}
	return loop.EachTenant(ctx, s.Log, "cannot escalate reviews of a tenant; it is tried again", tenants, s.escalate)
}

// escalate asks the administrators of a tenant too.
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
