package webhook

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/retry"
	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/lease"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// sweep ends what can no longer be delivered, in every active tenant.
func (s *Service) sweep(ctx context.Context) {
	s.each(
		ctx,
		`select distinct w.tenant_id::text from webhook w join tenant t on t.id = w.tenant_id and t.status = 'active'`,
		s.sweepOne,
	)
}

// purge deletes what is older than 30 days, or belongs to a webhook that is gone. No tenant is left out: one that has
// no webhook any more may have events still.
func (s *Service) purge(ctx context.Context) {
	s.each(ctx, `select id::text from tenant`, purgeOne)
}

// each does something in every tenant that a query finds. What fails in one keeps none of the others from theirs, and
// is tried again next time.
func (s *Service) each(ctx context.Context, query string, do func(context.Context, *pg.Tx) error) {
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], query)
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "cannot tidy up webhooks' deliveries", "err", err)
	}
	for _, t := range tenants {
		err := s.DB.As(ctx, viewer.System(t), func(tx *pg.Tx) error { return do(ctx, tx) })
		if err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot tidy up webhooks' deliveries", "tenant", t, "err", err)
		}
	}
}

// sweepOne gives up deliveries whose six hours are over: from their first attempt, or where the endpoint is left alone
// because it keeps failing, from when they were made. What a webhook was to be sent while it was being disabled is
// skipped.
func (s *Service) sweepOne(ctx context.Context, tx *pg.Tx) error {
	const skip = `
		update webhook_delivery d
		   set state = 'skipped', ended_at = now(), lease_owner = null, lease_until = null
		  from webhook w
		 where d.tenant_id = current_tenant() and d.state = 'pending'
		   and w.tenant_id = d.tenant_id and w.id = d.webhook_id and w.state <> 'enabled'`
	const expire = `
		with given as (
			update webhook_delivery d
			   set state = 'exhausted', ended_at = now(),
			       last_error = coalesce(d.last_error, 'its six hours were over'), lease_owner = null,
			       lease_until = null
			  from webhook w
			 where d.tenant_id = current_tenant()
			   and d.state = 'pending'
			   and ` + lease.Free + `
			   and w.tenant_id = d.tenant_id
			   and w.id = d.webhook_id
			   and coalesce(d.first_at, case when w.probe_at is not null then d.created_at end) < now() -
			       make_interval(secs => $1)
			returning d.webhook_id)
		select webhook_id::text, count(*) from given group by 1`
	if err := pg.Exec(ctx, tx, "skip deliveries", skip); err != nil {
		return err
	}
	counts := map[string]int{}
	var id string
	var n int
	if err := pg.Each(
		ctx,
		tx,
		"give up deliveries",
		[]any{&id, &n},
		func() error { counts[id] = n; return nil },
		expire,
		retry.Deadline.Seconds(),
	); err != nil {
		return err
	}
	for id, n := range counts {
		r, err := subscription.Find(ctx, tx, id, "for update of w")
		if err != nil {
			return err
		}
		if err := s.gaveUp(ctx, tx, r, n, 0); err != nil {
			return err
		}
	}
	return pg.Exec(ctx, tx, "delete secrets that ended",
		`delete from webhook_secret where tenant_id = current_tenant() and expires_at < now()`)
}

func purgeOne(ctx context.Context, tx *pg.Tx) error {
	const old = `
		delete from webhook_delivery d
		 where d.tenant_id = current_tenant()
		   and (d.created_at < now() - make_interval(secs => $1) and d.state <> 'pending'
		     or not exists (select from webhook w where w.tenant_id = d.tenant_id and w.id = d.webhook_id))`
	if err := pg.Exec(ctx, tx, "delete old deliveries", old, event.Kept.Seconds()); err != nil {
		return err
	}
	_, err := event.Purge(ctx, tx)
	return err
}
