package fulfil

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// batch is how many fulfillments are processed in one transaction.
const batch = 500

// Kinds are the work on fulfillments: to check those whose reasons have ended, and those whose own date has come.
func (s *Service) Kinds() []queue.Kind {
	const due = `
		select distinct f.tenant_id::text
		  from fulfilment f
		  join tenant t
		    on t.id = f.tenant_id
		   and t.status = 'active'
		 where f.state <> 'closed'
		   and f.due_at <= $1`
	return []queue.Kind{
		{
			Name:  "fulfillment",
			Title: "Fulfillment checks",
			About: "Checks requested access after the reason for it ended.",
			Batch: batch,
			Work:  s.checkEnded,
		},
		{
			Name:  "fulfillment_due",
			Title: "Fulfillment dates",
			About: "Checks whether requested access was provisioned in time.",
			Batch: batch,
			Part:  s.checkDue,
			Due:   &queue.Due{SQL: due, Args: func() []any { return []any{s.Now()} }},
		},
	}
}

// Part does one pass of this package's work in a tenant, and says how much was done.
func (s *Service) Part(ctx context.Context, tenant string) (int, error) {
	q := queue.Queue{DB: s.DB, Log: s.Log, Kinds: s.Kinds()}
	return q.Pass(ctx, tenant)
}

// checkEnded checks fulfillments of which reasons have ended. Subjects are items of requests and assignments of roles.
func (s *Service) checkEnded(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
	const ended = `f.item_id = any(@subjects::text[]::uuid[]) or f.assignment_id = any(@subjects::text[]::uuid[])`
	rows, err := lock(ctx, tx, ended, pgx.NamedArgs{"subjects": queue.Subjects(items)})
	if err != nil {
		return err
	}
	return s.check(ctx, tx, rows)
}

// checkDue checks a batch of a tenant's fulfillments that are due.
func (s *Service) checkDue(ctx context.Context, tenant string) (n int, err error) {
	const due = `f.item_id in (select d.item_id from fulfilment d where d.state <> 'closed' and d.due_at <= @now
		order by d.due_at limit @batch)`
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		rows, err := lock(ctx, tx, due, pgx.NamedArgs{"batch": batch, "now": s.Now()})
		if n = len(rows); err != nil {
			return err
		}
		return s.check(ctx, tx, rows)
	})
	return n, err
}

// check looks at locked fulfillments and writes what has changed.
func (s *Service) check(ctx context.Context, tx *pg.Tx, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	seen, err := look(ctx, tx, rows)
	if err != nil {
		return err
	}
	return s.follow(ctx, tx, rows, seen, s.Now())
}

// lock locks open fulfillments, in an order that all share.
func lock(ctx context.Context, tx *pg.Tx, where string, args pgx.NamedArgs) ([]row, error) {
	sql := `
		select ` + columns + `
		  from fulfilment f
		 where f.state <> 'closed'
		   and (` + where + `)
		 order by f.item_id
		   for update`
	return pg.All[row](ctx, tx, "lock fulfillments", sql, args)
}

// follow writes what was seen, starts clocks, and reports what has moved.
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
			f.EndsAt = look.EndsAt // the reasons' own: a user may have moved it
		}
		if f.EndedReason == nil && (state == Ending || state == Closed) {
			f.EndedReason = look.EndReason
		}
		told := f.progress(state, look)
		text, err := json.Marshal(told)
		if err != nil {
			return err
		}
		u := update{
			Item:       f.ItemID,
			State:      state,
			Told:       text,
			EndsAt:     f.EndsAt,
			VerifiedAt: f.VerifiedAt,
			Running:    f.Lasts != nil,
			Reason:     f.EndedReason,
		}
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

// progress is what the owner of the item is notified of. Denied entitlements count as failed. An error is
// shown only while the fulfillment has not succeeded.
func (f row) progress(state string, s sight) Progress {
	p := Progress{
		ItemID:     f.ItemID,
		State:      state,
		Total:      s.Live,
		Active:     s.Active,
		FailedOnes: s.Failed + s.Denied,
		GrantIDs:   s.GrantIDs,
		TaskIDs:    s.TaskIDs,
		VerifiedAt: f.VerifiedAt,
		StartsAt:   f.StartsAt,
		EndsAt:     f.EndsAt,
	}
	if state == Failed || state == Provisioning {
		p.Error = s.Error
	}
	if f.EndedReason != nil {
		p.Reason = *f.EndedReason
	}
	return p
}

// wasTold reports whether that is what was reported last.
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
	// ID of the item, the key of the fulfilment.
	Item string `json:"item"`
	// New state.
	State string `json:"state"`
	// Progress that was last reported to the owner of the item, so that nothing is reported twice.
	Told json.RawMessage `json:"told"`
	// End of the access. Nil: it has no end.
	EndsAt *time.Time `json:"ends_at"`
	// Time the last grant was confirmed. Nil: not yet.
	VerifiedAt *time.Time `json:"verified_at"`
	Running    bool       `json:"running"` // its time has not begun
	// When the fulfilment is checked again although nothing happened. Nil: never.
	DueAt *time.Time `json:"due_at"`
	// Why the fulfilment ended. Nil: it has not.
	Reason *string `json:"reason"`
}

// write stores all updates in one statement. A fulfillment without a next check is due at infinity,
// so that the index of due ones passes over it.
func write(ctx context.Context, tx *pg.Tx, after []update) error {
	const sql = `
		update fulfilment f
		   set state = u.state, told = u.told, ends_at = u.ends_at, verified_at = u.verified_at,
		       lasts = case when u.running then f.lasts end, due_at = coalesce(u.due_at, 'infinity'),
		           ended_reason = u.reason, updated_at = now()
		  from jsonb_to_recordset($1::jsonb) u (item uuid, state text, told jsonb, ends_at timestamptz,
		       verified_at timestamptz, running boolean, due_at timestamptz, reason text)
		 where f.item_id = u.item`
	text, err := json.Marshal(after)
	if err != nil {
		return err
	}
	return pg.Exec(ctx, tx, "write fulfilments", sql, string(text))
}
