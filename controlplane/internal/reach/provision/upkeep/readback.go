package upkeep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/settle"
)

// Of reading back: how many changes of a tenant are looked for at a time, and how soon after they were made.
const (
	readsAtOnce = 50
	firstRead   = 10 * time.Second
)

// ReadBack reads the records of changes that were made and not seen, one by one, where connectors can: what is to
// follow does not wait for a full sync then. Each is read again after twice as long, up to an hour.
func (s *Service) ReadBack(ctx context.Context) error {
	const sql = `select distinct tenant_id::text from provisioning_task where state = 'verifying'`
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql)
	if err != nil {
		return fmt.Errorf("list tenants: %w", err)
	}
	var failed error
	for _, tenant := range tenants {
		failed = errors.Join(failed, s.readBack(ctx, viewer.System(tenant)))
	}
	return failed
}

// unread is a change whose record is to be read.
type unread struct {
	attempt.Job
	ConnectorID string `db:"connector_id"`
}

// readBack reads the accounts of changes that could not be verified at once. Which ones are due,
// and how to reach their connectors, is read in one transaction; the targets are called after it,
// outside of any transaction. A connector that cannot be opened is skipped until the next pass.
func (s *Service) readBack(ctx context.Context, v viewer.Viewer) error {
	var due []unread
	callers := map[string]*attempt.Caller{}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		clear(callers)
		if due, err = unreadTasks(ctx, tx); err != nil {
			return err
		}
		for _, u := range due {
			if callers[u.ConnectorID] != nil {
				continue
			}
			if opened, err := s.Connectors.Open(ctx, tx, u.ConnectorID); err == nil {
				callers[u.ConnectorID] = &attempt.Caller{
					Dispatch: s.Dispatch,
					Opened:   opened,
					Log:      s.Log,
					Limit:    s.CallLimit,
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, u := range due {
		c := callers[u.ConnectorID]
		if c == nil || ctx.Err() != nil {
			continue
		}
		o, shown, err := c.ReadOne(ctx, u.Job)
		if err != nil {
			delete(callers, u.ConnectorID) // it cannot be read now, or not at all: a sync shows the rest
			continue
		}
		if !shown {
			continue
		}
		if err := s.DB.As(
			ctx,
			v,
			func(tx *pg.Tx) error { return settle.Confirm(ctx, tx, u.ConnectorID, s.Now(), o) },
		); err != nil {
			return err
		}
	}
	return nil
}

// unreadTasks takes the tasks whose records are to be read now, and says when they are read next.
func unreadTasks(ctx context.Context, tx *pg.Tx) ([]unread, error) {
	sql := `
		with due as (
		    select id
		      from provisioning_task
		     where state = 'verifying'
		       and mode <> 'simulate'
		       and operation <> 'set_password'
		       and coalesce(look_at, finished_at + $1::interval) <= now()
		     order by look_at nulls first, id
		     limit $2
		       for update skip locked
		), t as (
		    update provisioning_task t
		       set looks = t.looks + 1, look_at = now() + least(interval '1 hour',
		           $1::interval * power(2, least(t.looks + 1, 12)))
		      from due d
		     where t.id = d.id
		    returning t.*
		)
		select t.connector_id, false as was_unsure, t.idempotency_key as request_id, ` + attempt.JobColumns + `
		  from t ` + attempt.AroundJob
	return pg.All[unread](ctx, tx, "find what to read back", sql, firstRead.String(), readsAtOnce)
}
