package fulfil

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Times and sizes of the work.
const (
	interval = time.Second
	batch    = 500 // fulfilments that are looked at in one transaction
)

// Run follows fulfilments until ctx ends. Any number of processes may do so at once.
func (s *Service) Run(ctx context.Context) error {
	return loop.Worker{Every: interval, Log: s.Log, Cannot: "cannot check the progress of approved access; the check is repeated"}.Drain(ctx, func(ctx context.Context) (int, error) {
		n, err := s.Look(ctx)
		if n < batch { // no tenant had a full one: nothing is left
			n = 0
		}
		return n, err
	})
}

// Look looks at a batch of what is due in each tenant, and says how many it were.
func (s *Service) Look(ctx context.Context) (int, error) {
	const sql = `
		select t.id
		  from tenant t
		 where t.status = 'active'
		   and (exists (select from fulfilment f where f.tenant_id = t.id and f.state <> 'closed' and f.due_at <= $1)
		     or exists (select from fulfilment_turn n where n.tenant_id = t.id))`
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql, s.Now())
	if err != nil {
		return 0, fmt.Errorf("find tenants with access to follow: %w", err)
	}
	return loop.EachTenant(ctx, s.Log, "cannot follow the access of a tenant; it is tried again", tenants, s.Part)
}

// Part looks at a batch of a tenant's fulfilments.
func (s *Service) Part(ctx context.Context, tenant string) (n int, err error) {
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		now := s.Now()
		due, err := takeDue(ctx, tx, now)
		if n = len(due); err != nil || n == 0 {
			return err
		}
		seen, err := look(ctx, tx, due)
		if err != nil {
			return err
		}
		return s.follow(ctx, tx, due, seen, now)
	})
	return n, err
}

// takeDue locks what is due, and what has a turn because reasons of it have ended.
func takeDue(ctx context.Context, tx *pg.Tx, now time.Time) ([]row, error) {
	const sql = `
		with taken as (
		    delete from fulfilment_turn n
		     using (select n.id from fulfilment_turn n order by n.id limit @batch for update skip locked) t
		     where n.tenant_id = current_tenant()
		       and n.id = t.id
		    returning n.source_id
		), meant as (
		    select f.item_id from taken join fulfilment f on f.item_id = taken.source_id
		     union
		    select f.item_id from taken join fulfilment f on f.assignment_id = taken.source_id
		     union
		    (select f.item_id from fulfilment f where f.state <> 'closed' and f.due_at <= @now order by f.due_at limit @batch)
		)
		select ` + columns + `
		  from fulfilment f
		 where f.item_id in (select m.item_id from meant m)
		   and f.state <> 'closed'
		 order by f.item_id
		   for update`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"batch": batch, "now": now})
	if err != nil {
		return nil, fmt.Errorf("take fulfilments: %w", err)
	}
	due, err := pgx.CollectRows(rows, pgx.RowToStructByName[row])
	if err != nil {
		return nil, fmt.Errorf("take fulfilments: %w", err)
	}
	return due, nil
}

// follow writes what was seen, starts clocks, and tells what has moved.
func (s *Service) follow(ctx context.Context, tx *pg.Tx, due []row, seen map[string]sight, now time.Time) error {
	var moved []Progress
	var after []update
	for _, f := range due {
		look := seen[f.ItemID]
		state := f.next(look, now)
		if state == Fulfilled && f.VerifiedAt == nil {
			if err := f.verified(ctx, tx, look, now); err != nil {
				return err
			}
		} else if f.Lasts == nil && look.Live > 0 {
			f.EndsAt = look.EndsAt // the reasons' own: somebody may have moved it
		}
		if f.EndedReason == nil && (state == Ending || state == Closed) {
			f.EndedReason = look.EndReason
		}
		told := f.progress(state, look)
		text, err := json.Marshal(told)
		if err != nil {
			return err
		}
		u := update{Item: f.ItemID, State: state, Told: text, EndsAt: f.EndsAt, VerifiedAt: f.VerifiedAt, Running: f.Lasts != nil, Reason: f.EndedReason}
		if wait, again := f.waits(state, now); again {
			next := now.Add(wait)
			u.DueAt = &next
		}
		after = append(after, u)
		if !f.wasTold(told) {
			moved = append(moved, told)
		}
	}
	if err := write(ctx, tx, after); err != nil || len(moved) == 0 {
		return err
	}
	return s.Moved(ctx, tx, moved)
}

// verified starts the clock of what is for a time: from when the target was seen to have it.
func (f *row) verified(ctx context.Context, tx *pg.Tx, seen sight, now time.Time) error {
	at := now
	if seen.SeenAt != nil && seen.SeenAt.Before(now) && seen.SeenAt.After(f.CreatedAt) {
		at = *seen.SeenAt
	}
	f.VerifiedAt = &at
	if f.Lasts == nil {
		f.EndsAt = seen.EndsAt
		return nil
	}
	until := at.Add(time.Duration(*f.Lasts * float64(time.Second)))
	f.EndsAt, f.Lasts = &until, nil
	return f.limit(ctx, tx, until)
}

func (f row) progress(state string, s sight) Progress {
	p := Progress{ItemID: f.ItemID, State: state, Total: s.Live, Active: s.Active, FailedOnes: s.Failed + s.Denied, GrantIDs: s.GrantIDs, TaskIDs: s.TaskIDs,
		VerifiedAt: f.VerifiedAt, StartsAt: f.StartsAt, EndsAt: f.EndsAt}
	if state == Failed || state == Provisioning {
		p.Error = s.Error
	}
	if f.EndedReason != nil {
		p.Reason = *f.EndedReason
	}
	return p
}

// wasTold says whether that is what was told last.
func (f row) wasTold(p Progress) bool {
	var before, after any
	text, err := json.Marshal(p)
	if err != nil || json.Unmarshal(text, &after) != nil || json.Unmarshal(f.Told, &before) != nil {
		return false
	}
	return reflect.DeepEqual(before, after)
}

// update is what is written of a fulfilment.
type update struct {
	Item       string          `json:"item"`
	State      string          `json:"state"`
	Told       json.RawMessage `json:"told"`
	EndsAt     *time.Time      `json:"ends_at"`
	VerifiedAt *time.Time      `json:"verified_at"`
	Running    bool            `json:"running"` // its time has not begun
	DueAt      *time.Time      `json:"due_at"`
	Reason     *string         `json:"reason"`
}

func write(ctx context.Context, tx *pg.Tx, after []update) error {
	const sql = `
		update fulfilment f
		   set state = u.state, told = u.told, ends_at = u.ends_at, verified_at = u.verified_at, lasts = case when u.running then f.lasts end,
		       due_at = coalesce(u.due_at, 'infinity'), ended_reason = u.reason, updated_at = now()
		  from jsonb_to_recordset($1::jsonb) u (item uuid, state text, told jsonb, ends_at timestamptz, verified_at timestamptz, running boolean,
		       due_at timestamptz, reason text)
		 where f.item_id = u.item`
	text, err := json.Marshal(after)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, sql, string(text)); err != nil {
		return fmt.Errorf("write fulfilments: %w", err)
	}
	return nil
}
