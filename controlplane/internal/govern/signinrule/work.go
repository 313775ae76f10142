package signinrule

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	peopleKind = "sign_in"
	sweepKind  = "sign_in_sweep"
)

// Kinds is the work on the queue.
func (s *Service) Kinds() []queue.Kind {
	return []queue.Kind{
		{
			Name: peopleKind, Title: "Sign-in by rules",
			About:   "Gives sign-in to people, and takes it, as the rules for sign-in say.",
			Subject: "identity", Group: peopleKind, Display: "Sign-in rules", Batch: batch,
			Work: func(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
				return s.evaluate(ctx, tx, queue.Subjects(items), "")
			},
		},
		{
			Name: sweepKind, Title: "Sign-in by rules for everyone",
			About: "Enqueues all people after a rule for sign-in changed.",
			Group: peopleKind, Batch: 1,
			Work: func(ctx context.Context, tx *pg.Tx, _ []queue.Item) error { return s.enqueueAll(ctx, tx) },
		},
	}
}

// concerned are the people whom a rule may be about: those who are not archived, and those who have sign-in by a rule.
const concerned = `(i.status <> 'archived'
		        or exists (select from sign_in_grant g where g.tenant_id = i.tenant_id and g.identity_id = i.id))`

// enqueueAll enqueues everybody whom a rule may be about.
func (s *Service) enqueueAll(ctx context.Context, tx *pg.Tx) error {
	const swept = `update sign_in_rule set swept_at = $1 where tenant_id = current_tenant()`
	if err := pg.Exec(ctx, tx, "note the evaluation of everyone", swept, s.Now()); err != nil {
		return err
	}
	const sql = `
		insert into work_item (tenant_id, kind, subject, cause)
		select i.tenant_id, 'sign_in', i.id, 'everyone'
		  from identity i
		 where i.tenant_id = current_tenant()
		   and ` + concerned
	return pg.Exec(ctx, tx, "enqueue everybody", sql)
}

// Jobs is the periodic work: conditions over dates change with the day alone.
func (s *Service) Jobs(log *slog.Logger) []queue.Job {
	return []queue.Job{{
		Name:  "sign_in_rules",
		Title: "Daily evaluation of rules for sign-in",
		About: "Enqueues the people of tenants with rules for sign-in once a day, because conditions can ask for " +
			"dates.",
		Every: time.Hour,
		Run: func(ctx context.Context) error {
			const sql = `
				select t.id::text
				  from tenant t
				 where t.status = 'active'
				   and exists (select from sign_in_rule r
				                where r.tenant_id = t.id
				                  and r.enabled
				                  and (r.swept_at is null or r.swept_at < $1::timestamptz - interval '1 day'))`
			tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql, s.Now())
			if err != nil {
				return fmt.Errorf("find tenants with rules for sign-in: %w", err)
			}
			_, err = loop.EachTenant(ctx, log, "cannot evaluate the rules for sign-in of a tenant; it is tried again",
				tenants, s.sweep)
			return err
		},
	}}
}

// sweep enqueues the evaluation of everybody in a tenant.
func (s *Service) sweep(ctx context.Context, tenant string) (int, error) {
	return 1, s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		return queue.Enqueue(ctx, tx, queue.Work{Kind: sweepKind, Cause: "a new day"})
	})
}
