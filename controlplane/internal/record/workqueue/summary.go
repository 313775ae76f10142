package workqueue

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

// WorkSummary says how the work of a tenant stands.
type WorkSummary struct {
	// Counts of the work items by kind, in the order of the titles.
	Kinds []WorkKind `json:"kinds" nullable:"false"`
	// Periodic work of the deployment, which all tenants share.
	Recurring []RecurringWork `json:"recurring" nullable:"false"`
}

// WorkKind says how the work of one kind stands.
type WorkKind struct {
	// Kind of the work.
	Kind string `json:"kind" db:"kind"`
	// Name of the kind.
	Title string `json:"title" db:"-"`
	// Description of the work.
	About string `json:"about" db:"-"`
	// Items that wait, for their first attempt or another one.
	Waiting int64 `json:"waiting" db:"waiting"`
	// Dead letters: items that failed eight times and are not tried again.
	Dead int64 `json:"dead" db:"dead"`
	// When the first waiting item is due.
	OldestDueAt *time.Time `json:"oldest_due_at" db:"oldest_due_at"`
	// For how long this item has been due; 0 if it is not due yet.
	OverdueSeconds int64 `json:"overdue_seconds" db:"overdue_seconds"`
	// Error of the last failed attempt of an item that waits or is a dead letter.
	LastError *string `json:"last_error" db:"last_error"`
	// Time of the last failed attempt of an item that waits or is a dead letter.
	LastFailedAt *time.Time `json:"last_failed_at" db:"last_failed_at"`
}

// unknown describes a kind that an earlier version enqueued.
const unknown = "No process of this version works on this kind. Its items stay as they are."

// RecurringWork is a periodic job of the deployment.
type RecurringWork struct {
	// Name of the periodic job.
	Name string `json:"name" db:"name"`
	// Title of the periodic job.
	Title string `json:"title" db:"-"`
	// Description of the work.
	About string `json:"about" db:"-"`
	// From the end of a run to the start of the next one.
	EverySeconds int64 `json:"every_seconds" db:"-"`
	// True while a run is in progress.
	Running bool `json:"running" db:"running"`
	// Start of the next run. Null while one is running, and before the first one.
	NextAt *time.Time `json:"next_at" db:"next_at"`
	// End of the last run, whether it failed or not.
	FinishedAt *time.Time `json:"finished_at" db:"finished_at"`
	// Failed runs since the last successful one. Operators see the error.
	FailedRuns int `json:"failed_runs" db:"failed_runs"`
}

// counts are the items of a kind in numbers. They name only columns that operators may read across tenants.
const counts = `w.kind, count(*) filter (where w.state = 'waiting') as waiting,
	count(*) filter (where w.state = 'dead') as dead, min(w.due_at) filter (where w.state = 'waiting') as oldest_due_at,
	coalesce(greatest(extract(epoch from now() - min(w.due_at) filter (where w.state = 'waiting')), 0), 0)::bigint
	    as overdue_seconds`

func (s *Service) summarize(ctx context.Context, tx *pg.Tx) (out WorkSummary, err error) {
	const sql = `
		select ` + counts + `,
		       (array_agg(w.last_error order by w.failed_at desc)
		         filter (where w.failed_at is not null))[1] as last_error,
		       max(w.failed_at) as last_failed_at
		  from work_item w
		 group by w.kind`
	found, err := pg.All[WorkKind](ctx, tx, "summarize the work queue", sql)
	if err != nil {
		return out, err
	}
	out.Kinds = s.named(found)
	jobs, err := s.recurring(ctx, tx)
	for _, j := range jobs {
		out.Recurring = append(out.Recurring, j.RecurringWork)
	}
	return out, err
}

// named gives all kinds, with what was counted of them, in the order of their titles.
func (s *Service) named(found []WorkKind) []WorkKind {
	all := make([]WorkKind, 0, len(s.Kinds))
	for _, k := range s.Kinds {
		row := WorkKind{Kind: k.Name}
		if i := slices.IndexFunc(found, func(f WorkKind) bool { return f.Kind == k.Name }); i >= 0 {
			row = found[i]
		}
		row.Title, row.About = k.Title, k.About
		all = append(all, row)
	}
	for _, row := range found {
		if _, known := s.kind(row.Kind); !known {
			row.Title, row.About = row.Kind, unknown
			all = append(all, row)
		}
	}
	slices.SortFunc(all, func(a, b WorkKind) int { return cmp.Compare(a.Title, b.Title) })
	return all
}

// kind finds a kind by name. One that this version of the product does not have is shown by its
// name.
func (s *Service) kind(name string) (queue.Kind, bool) {
	i := slices.IndexFunc(s.Kinds, func(k queue.Kind) bool { return k.Name == name })
	if i < 0 {
		return queue.Kind{Name: name, Title: name}, false
	}
	return s.Kinds[i], true
}

// OperatedWork is recurring work as the operators of the deployment see it.
type OperatedWork struct {
	RecurringWork
	// Error of the last run, if it failed.
	LastError *string `json:"last_error" db:"last_error"`
}

// recurring lists the periodic jobs, in the order of their titles.
func (s *Service) recurring(ctx context.Context, tx *pg.Tx) ([]OperatedWork, error) {
	const sql = `
		select r.name, coalesce(r.lease_until > now(), false) as running,
		       case when r.lease_until > now() then null else r.due_at end as next_at, r.finished_at,
		       r.attempts as failed_runs, r.last_error
		  from recurring_work r`
	found, err := pg.All[OperatedWork](ctx, tx, "list recurring work", sql)
	if err != nil {
		return nil, err
	}
	all := make([]OperatedWork, 0, len(s.Jobs))
	for _, j := range s.Jobs {
		row := OperatedWork{RecurringWork: RecurringWork{Name: j.Name}}
		if i := slices.IndexFunc(found, func(f OperatedWork) bool { return f.Name == j.Name }); i >= 0 {
			row = found[i]
		}
		row.Title, row.About, row.EverySeconds = j.Title, j.About, int64(j.Every.Seconds())
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b OperatedWork) int { return cmp.Compare(a.Title, b.Title) })
	return all, nil
}
