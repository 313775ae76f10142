package lane

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
)

// claim takes tasks that are due: what is urgent first, then the accounts of leavers, then what has waited longest, and
// one of each account, so that changes of an account never overtake one another. With the task, that it is about to be
// sent is written. ended is what this transaction has settled.
func (l *lane) claim(ctx context.Context, tx *pg.Tx, room int, ended []attempt.Outcome) ([]attempt.Job, error) {
	q, err := l.guard.Quota(ctx, tx, room, counted(ended))
	if q.Open {
		l.halted.Store(true)
	}
	if err != nil || q.Room == 0 {
		return nil, err
	}
	const sql = `
		with candidate as (
		    (select id, account_id, 0 as rank, next_attempt_at as since
		       from provisioning_task
		      where connector_id = $1 and lane = 'urgent' and state in ('queued', 'retrying') and mode <> 'manual'
		          and next_attempt_at <= now() and operation <> all($5::text[])
		      order by next_attempt_at, id
		      limit 8 * $2 + 32)
		    union all
		    (select id, account_id, 1, next_attempt_at
		       from provisioning_task
		      where connector_id = $1 and operation = 'disable' and payload ->> 'disabled_for' = 'left'
		        and state in ('queued', 'retrying') and lane = 'normal' and mode <> 'manual'
		            and next_attempt_at <= now() and operation <> all($5::text[])
		      order by next_attempt_at, id
		      limit 8 * $2 + 32)
		    union all
		    (select id, account_id, 3, next_attempt_at
		       from provisioning_task
		      where connector_id = $1 and lane = 'normal' and state in ('queued', 'retrying') and mode <> 'manual'
		          and next_attempt_at <= now() and operation <> all($5::text[])
		      order by next_attempt_at, id
		      limit 8 * $2 + 32)
		    union all
		    (select id, account_id, 2, lease_until
		       from provisioning_task
		      where connector_id = $1 and state = 'running' and lease_until < now()
		      limit 8 * $2 + 32)
		), first as (
		    select distinct on (coalesce(c.account_id, c.id)) c.id, c.rank, c.since
		      from candidate c
		     where c.account_id is null
		        or not exists (select from provisioning_task o where o.account_id = c.account_id
		            and o.state = 'running' and o.lease_until >= now())
		     order by coalesce(c.account_id, c.id), c.rank, c.since, c.id
		), picked as (
		    select t.id, t.unsure as was_unsure
		      from provisioning_task t
		      join first f on f.id = t.id
		     where t.state in ('queued', 'retrying') or t.state = 'running' and t.lease_until < now()
		     order by f.rank, f.since, t.id
		     limit $2
		       for update of t skip locked
		), taken as (
		    update provisioning_task t
		       set state = 'running', attempts = t.attempts + 1, lease_owner = $3, lease_until = now() + $4::interval,
		           unsure = t.mode <> 'simulate',
		           updated_at = now(), version = t.version + 1
		      from picked p
		     where t.id = p.id
		    returning t.*, p.was_unsure
		), tried as (
		    insert into provisioning_attempt (tenant_id, task_id, n, request_id)
		    select tenant_id, id, attempts, gen_random_uuid() from taken
		    returning task_id, request_id
		)
		select t.was_unsure, r.request_id, ` + attempt.JobColumns + `
		  from taken t
		  join tried r on r.task_id = t.id ` + attempt.AroundJob + `
		 order by t.lane desc, t.next_attempt_at, t.id`
	taken, err := pg.All[attempt.Job](ctx, tx, "take tasks", sql, l.id, q.Room, l.s.me, terms.Length.String(), q.Full)
	if err != nil {
		return nil, err
	}
	return l.admitted(ctx, tx, taken)
}

// admitted holds the grants that must not be made, and returns the other tasks. A grant that may have been made already
// was admitted before.
func (l *lane) admitted(ctx context.Context, tx *pg.Tx, taken []attempt.Job) ([]attempt.Job, error) {
	var grants []string
	for _, j := range taken {
		if j.Operation == task.Grant && j.Mode != task.ModeSimulate && !j.Unsure {
			grants = append(grants, j.ID)
		}
	}
	if l.s.Admit == nil || len(grants) == 0 {
		return taken, nil
	}
	held, err := l.s.Admit(ctx, tx, grants)
	if err != nil || len(held) == 0 {
		return taken, err
	}
	if err := taskstore.Hold(ctx, tx, held); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(taken, func(j attempt.Job) bool {
		return slices.ContainsFunc(held, func(h taskstore.Held) bool { return h.ID == j.ID })
	}), nil
}

// counted are the operations of the changes that the circuit breaker counts.
func counted(ended []attempt.Outcome) (operations []string) {
	for _, o := range ended {
		if o.Counted() {
			operations = append(operations, o.Job.Operation)
		}
	}
	return operations
}
