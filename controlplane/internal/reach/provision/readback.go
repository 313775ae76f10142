package provision

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Of reading back: how many changes of a tenant are looked for at a time, and how soon after they were made.
const (
	readsAtOnce = 50
	firstRead   = 10 * time.Second
)

// ReadBack reads the records of changes that were made and not seen, one by one, where connectors can: what is to
// follow does not wait for a full sync then. Each is read again after twice as long, up to an hour.
func (s *Service) ReadBack(ctx context.Context) error {
	s.init()
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
	job
	ConnectorID string `db:"connector_id"`
}

func (s *Service) readBack(ctx context.Context, v viewer.Viewer) error {
	var due []unread
	lanes := map[string]*lane{}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		clear(lanes)
		if due, err = unreadTasks(ctx, tx); err != nil {
			return err
		}
		for _, u := range due {
			if lanes[u.ConnectorID] != nil {
				continue
			}
			l := &lane{s: s, v: v, id: u.ConnectorID}
			if l.target, err = s.Connectors.Open(ctx, tx, u.ConnectorID); err == nil {
				lanes[u.ConnectorID] = l
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, u := range due {
		l := lanes[u.ConnectorID]
		if l == nil || ctx.Err() != nil {
			continue
		}
		o, shown, err := l.readOne(ctx, u.job)
		if err != nil {
			delete(lanes, u.ConnectorID) // it cannot be read now, or not at all: a sync shows the rest
			continue
		}
		if !shown {
			continue
		}
		if err := s.DB.As(ctx, v, func(tx *pg.Tx) error { return l.confirm(ctx, tx, o) }); err != nil {
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
		select t.connector_id, false as was_unsure, t.idempotency_key as request_id, ` + jobColumns + `
		  from t ` + aroundJob
	rows, err := tx.Query(ctx, sql, firstRead.String(), readsAtOnce)
	if err != nil {
		return nil, fmt.Errorf("find what to read back: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[unread])
	if err != nil {
		return nil, fmt.Errorf("find what to read back: %w", err)
	}
	return found, nil
}

// readOne reads a change's record, and gives its outcome where what is read shows it, or proves that its account is
// gone.
func (l *lane) readOne(ctx context.Context, j job) (o outcome, shown bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.s.CallLimit)
	defer cancel()
	j.Mode = task.ModeAuto // a person may have made it; it is in the target now
	seen, err := l.read(ctx, j)
	if err != nil {
		return o, false, err
	}
	o = outcome{job: j, state: task.Done, result: v1.OutcomeAlready, verified: true}
	if len(seen.Accounts) == 1 {
		o.account = seen.Accounts[0].Account
		o.vanished = j.takesAway() && o.account == nil && seen.Accounts[0].Presence == v1.PresenceGone
	}
	return o, j.shown(seen) || o.vanished && j.Operation != task.Revoke, nil
}

// confirm writes that a change was seen, unless somebody has said so meanwhile.
func (l *lane) confirm(ctx context.Context, tx *pg.Tx, o outcome) error {
	both, err := l.twins(ctx, tx, []outcome{o})
	if err != nil {
		return err
	}
	o = both[0]
	const sql = `
		update provisioning_task
		   set state = $2, verified = case when $2 = 'done' then 'yes' else 'no' end, verified_by = 'readback',
		       verified_at = now(), unsure = false, error = nullif($3::jsonb, 'null'), error_class = nullif($4, ''),
		           advice = nullif($5, ''), updated_at = now(), version = version + 1
		 where id = $1
		   and state = 'verifying'`
	tag, err := tx.Exec(ctx, sql, o.job.ID, o.state, o.detail, o.class, o.advice)
	if err != nil {
		return fmt.Errorf("confirm task: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return nil
	}
	if err := l.apply(ctx, tx, both); err != nil {
		return err
	}
	if err := follow(ctx, tx, both); err != nil {
		return err
	}
	if o.job.Operation == task.CreateAccount && o.state == task.Done && o.job.IdentityID != nil {
		const turn = `insert into work_item (tenant_id, kind, subject) values (current_tenant(), 'provisioning', $1)`
		if _, err := tx.Exec(ctx, turn, *o.job.IdentityID); err != nil {
			return fmt.Errorf("have the person looked at again: %w", err)
		}
	}
	return audit.RecordAll(ctx, tx, l.entries(both))
}
