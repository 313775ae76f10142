package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/lease"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Job is periodic work of the deployment. One process at a time runs it.
type Job struct {
	Name  string
	Title string        // what people read in place of the name
	About string        // one sentence that says what the job does
	Every time.Duration // from the end of a run to the start of the next one
	Run   func(ctx context.Context) error
}

// terms are those of the lease on a job.
var terms = lease.Terms{Length: 30 * time.Second, Every: 5 * time.Second, Doubt: 15 * time.Second}

// runJobs runs jobs whenever they are due, until ctx ends, and waits for those that it is in then.
func (q *Queue) runJobs(ctx context.Context) {
	var group sync.WaitGroup
	defer group.Wait()
	var mu sync.Mutex
	running := map[string]bool{}
	for ; ctx.Err() == nil && len(q.Jobs) > 0; rest(ctx, interval) {
		names, err := q.dueJobs(ctx)
		if err != nil && ctx.Err() == nil {
			q.Log.WarnContext(ctx, "cannot look for periodic work; it is tried again", "err", err)
		}
		for _, j := range q.Jobs {
			mu.Lock()
			begin := names[j.Name] && !running[j.Name]
			running[j.Name] = running[j.Name] || begin
			mu.Unlock()
			if !begin {
				continue
			}
			group.Go(func() {
				defer func() {
					mu.Lock()
					defer mu.Unlock()
					delete(running, j.Name)
				}()
				if err := q.runJob(ctx, j); err != nil && ctx.Err() == nil {
					q.Log.WarnContext(ctx, "periodic work failed; it is tried again", "job", j.Name, "err", err)
				}
			})
		}
	}
}

// dueJobs are the jobs of this process that are due and that no process holds. Those that no process has ever run are
// due.
func (q *Queue) dueJobs(ctx context.Context) (map[string]bool, error) {
	const sql = `
		select j.name
		  from unnest($1::text[]) j (name)
		  left join recurring_work r
		    on r.name = j.name
		 where coalesce(r.due_at <= now(), true)
		   and ` + lease.Free
	var names []string
	for _, j := range q.Jobs {
		names = append(names, j.Name)
	}
	found, err := pg.FindAcross(ctx, q.DB, pgx.RowTo[string], sql, names)
	due := map[string]bool{}
	for _, name := range found {
		due[name] = true
	}
	return due, err
}

// runJob runs a job under its lease, unless another process is quicker. A process that stops gives the lease back at
// once.
func (q *Queue) runJob(ctx context.Context, j Job) error {
	token, began := uuid.NewString(), time.Now()
	err := q.claim(ctx, j, token)
	if errors.Is(err, lease.ErrLost) {
		return nil
	}
	if err != nil {
		return err
	}
	held, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	hold := terms.Taken(began)
	go func() {
		if err := hold.Keep(held, func(ctx context.Context) error { return q.renew(ctx, j, token) }); err != nil {
			lost(err)
		}
	}()
	err = j.Run(held)
	if errors.Is(context.Cause(held), lease.ErrLost) {
		return lease.ErrLost
	}
	q.observe(j.Name, time.Since(began), 1, err)
	note, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return errors.Join(err, q.finish(note, j, token, err, ctx.Err() != nil))
}

// claim takes the lease. Two processes that claim at once wait for each other, and one of them gets it; the other one
// gets lease.ErrLost.
func (q *Queue) claim(ctx context.Context, j Job, token string) error {
	const sql = `
		insert into recurring_work as r (name, lease_id, lease_until, started_at)
		values (@name, @token, now() + make_interval(secs => @lease), now())
		    on conflict (name) do update
		   set lease_id = excluded.lease_id, lease_until = excluded.lease_until, started_at = excluded.started_at
		 where r.due_at <= now()
		   and (r.lease_until is null or r.lease_until < now())`
	return q.change(ctx, j, sql, pgx.NamedArgs{"name": j.Name, "token": token, "lease": terms.Length.Seconds()})
}

// renew extends the lease.
func (q *Queue) renew(ctx context.Context, j Job, token string) error {
	const sql = `
		update recurring_work
		   set lease_until = now() + make_interval(secs => @lease)
		 where name = @name
		   and lease_id = @token`
	return q.change(ctx, j, sql, pgx.NamedArgs{"name": j.Name, "token": token, "lease": terms.Length.Seconds()})
}

// finish notes how a run ended, unless the lease is another's, and when the next one is due.
func (q *Queue) finish(ctx context.Context, j Job, token string, failed error, stopped bool) error {
	const sql = `
		update recurring_work
		   set lease_id = null, lease_until = null,
		       finished_at = case when @stopped then finished_at else now() end,
		       due_at = now() + make_interval(secs => @wait),
		       attempts = case when @error = '' then 0 else attempts + 1 end,
		       last_error = nullif(@error, '')
		 where name = @name
		   and lease_id = @token`
	wait, text := j.Every, ""
	switch {
	case stopped:
		wait = 0
	case failed != nil:
		wait, text = min(j.Every, time.Minute), short(failed)
	}
	err := q.change(
		ctx,
		j,
		sql,
		pgx.NamedArgs{"name": j.Name, "token": token, "wait": wait.Seconds(), "error": text, "stopped": stopped},
	)
	if errors.Is(err, lease.ErrLost) {
		return nil
	}
	return err
}

// change runs a statement about the row of a job. It fails with lease.ErrLost if that changes no row.
func (q *Queue) change(ctx context.Context, j Job, sql string, args pgx.NamedArgs) error {
	err := q.DB.Deployment(ctx, func(tx *pg.Tx) error { return lease.Fenced(tx.Exec(ctx, sql, args)) })
	if err != nil {
		return fmt.Errorf("lease of %s: %w", j.Name, err)
	}
	return nil
}
