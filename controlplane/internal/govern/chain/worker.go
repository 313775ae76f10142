package chain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/batch"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/change"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// changes is the kind of work that follows changes of the organization.
const changes = "approval"

// Sizes and times of the work.
const (
	atOnce    = 1000             // changes that are followed in one transaction
	putOff    = 15 * time.Second // how long a chain waits that could not be processed
	dueAtOnce = 200              // chains that are processed in one pass
)

// Kinds are the work on approval chains: to follow changes of the organization, and to remind, escalate, expire and end
// waits when a chain's own date has come.
func (s *Service) Kinds() []queue.Kind {
	const due = `
		select distinct c.tenant_id::text
		  from chain c
		  join tenant t
		    on t.id = c.tenant_id
		   and t.status = 'active'
		 where (c.state in ('running', 'blocked') or c.left_tasks <> '{}')
		   and c.look_at <= $1`
	return []queue.Kind{
		{
			Name:  changes,
			Title: "Approver changes",
			About: "Updates the approvers of open approvals after a change of people, roles or users.",
			Batch: atOnce,
			Work: func(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
				return change.Follow(ctx, tx, items, s.Now())
			},
		},
		{
			Name:  "approval_due",
			Title: "Approval dates",
			About: "Sends reminders, and escalates and expires approvals when they are due.",
			Part:  s.processDue,
			Due:   &queue.Due{SQL: due, Args: func() []any { return []any{s.Now()} }},
		},
	}
}

// Part does one pass of this package's work in a tenant, and says how much was done.
func (s *Service) Part(ctx context.Context, tenant string) (int, error) {
	q := queue.Queue{DB: s.DB, Log: s.Log, Kinds: s.Kinds()}
	return q.Pass(ctx, tenant)
}

// processDue processes the chains of a tenant that are due, up to a batch, and says how many.
func (s *Service) processDue(ctx context.Context, tenant string) (int, error) {
	v := viewer.System(tenant)
	due, err := s.due(ctx, v)
	if err != nil {
		return 0, err
	}
	done := 0
	for _, item := range due {
		if ctx.Err() != nil {
			break
		}
		looked, err := s.processOne(ctx, v, item)
		switch {
		case errors.Is(err, batch.ErrBusy):
		case err != nil:
			s.Log.WarnContext(
				ctx,
				"cannot follow an approval; it is tried again",
				"tenant",
				tenant,
				"item",
				item,
				"err",
				err,
			)
		}
		if err != nil {
			err = s.postpone(ctx, v, item)
		}
		if err != nil {
			return done, err
		}
		if looked {
			done++
		}
	}
	return done, nil
}

// due are the items whose chains have to be looked at, those that wait longest first.
func (s *Service) due(ctx context.Context, v viewer.Viewer) (items []string, err error) {
	const sql = `
		select c.item_id::text
		  from chain c
		 where c.tenant_id = current_tenant()
		   and (c.state in ('running', 'blocked') or c.left_tasks <> '{}')
		   and c.look_at <= @now
		 order by c.look_at, c.item_id
		 limit @batch`
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"now": s.Now(), "batch": dueAtOnce})
		if err != nil {
			return err
		}
		items, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find approvals that are due: %w", err)
	}
	return items, nil
}

// postpone looks at a chain a little later: what is wrong with it now shall not keep the others waiting.
func (s *Service) postpone(ctx context.Context, v viewer.Viewer, item string) error {
	const sql = `
		update chain c
		   set look_at = @later
		  from (select item_id from chain where tenant_id = current_tenant() and item_id = @item
		      for update skip locked) free
		 where c.tenant_id = current_tenant()
		   and c.item_id = free.item_id`
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, sql, pgx.NamedArgs{"item": item, "later": s.Now().Add(putOff)})
		return err
	})
	if err != nil {
		return fmt.Errorf("put an approval off: %w", err)
	}
	return nil
}
