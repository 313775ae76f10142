package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Times and sizes of a process's work.
const (
	interval = time.Second           // how soon dates, retries and leases are noticed, which no notification announces
	breath   = 20 * time.Millisecond // between two searches, so that a storm of announcements costs little
	atOnce   = 6                     // passes
)

// Queue works on everything that is due. Its kinds and jobs are set before Run.
type Queue struct {
	DB    *pg.DB
	Log   *slog.Logger
	Kinds []Kind
	Jobs  []Job

	// Observe is called after each pass and each run of a job; nil: nothing is counted.
	Observe func(kind string, took time.Duration, done int, err error)

	slots int                  // passes at once; 0: atOnce
	asked map[string]time.Time // when Run last asked for the dates of a kind; Run's own
}

func (q *Queue) observe(kind string, took time.Duration, n int, err error) {
	if q.Observe != nil {
		q.Observe(kind, took, n, err)
	}
}

// ended is a pass that has ended.
type ended struct {
	at     place
	more   bool
	failed bool
}

// Run works until ctx ends, and waits for the passes that it is in then. Any number of processes may do so at once.
func (q *Queue) Run(ctx context.Context) error {
	var wake loop.Wakeup
	var group sync.WaitGroup
	defer group.Wait()
	line := pg.Line{
		DB:      q.DB,
		Channel: Channel,
		Again:   2 * time.Second,
		Log:     q.Log,
		Lost:    "cannot listen for due work; the queue is polled",
	}
	group.Go(func() { line.Listen(ctx, wake.Notify) })
	group.Go(func() { q.runJobs(ctx) })

	slots := cmp.Or(q.slots, atOnce)
	agenda, done, running := newAgenda(), make(chan ended, slots), 0
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for search := true; ctx.Err() == nil; {
		if search {
			q.refresh(ctx, agenda)
			search = false
		}
		for running < slots {
			p, found := agenda.next(time.Now())
			if !found {
				break
			}
			running++
			group.Go(func() { done <- q.serve(ctx, p) })
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
			search = true
		case <-wake.Notified():
			search = true
			rest(ctx, breath)
		case e := <-done:
			running--
			agenda.done(e.at, e.more, e.failed, time.Now())
		}
	}
	return nil
}

// rest waits for a moment, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// refresh looks for due work. Dates of kinds whose time to be asked has not come stay as they were found last.
func (q *Queue) refresh(ctx context.Context, a *agenda) {
	now := time.Now()
	early := map[string]bool{}
	for _, k := range q.Kinds {
		early[k.Name] = k.Due != nil && now.Sub(q.asked[k.Name]) < k.Due.Every-interval/2 // or a late tick is missed
	}
	found, err := q.find(ctx, early)
	if err != nil {
		if ctx.Err() == nil {
			q.Log.WarnContext(ctx, "cannot look for due work; it is tried again", "err", err)
		}
		return
	}
	if q.asked == nil {
		q.asked = map[string]time.Time{}
	}
	for name, is := range early {
		if !is {
			q.asked[name] = now
		}
	}
	a.due(found, early, now)
}

// serve does one pass. Items that failed are noted already; what else fails has the place wait.
func (q *Queue) serve(ctx context.Context, p place) ended {
	k := q.kind(p.Kind)
	_, more, err := q.pass(ctx, p.Tenant, k)
	if err != nil && !more && ctx.Err() == nil {
		q.Log.WarnContext(ctx, "cannot do due work; it is tried again", "tenant", p.Tenant, "kind", p.Kind, "err", err)
	}
	return ended{at: p, more: more, failed: err != nil && !more}
}

func (q *Queue) kind(name string) Kind {
	return q.Kinds[slices.IndexFunc(q.Kinds, func(k Kind) bool { return k.Name == name })]
}

// Pass does one pass of each kind in a tenant, and says how much was done in all. What fails keeps no other kind from
// its pass.
func (q *Queue) Pass(ctx context.Context, tenant string) (sum int, err error) {
	for _, k := range q.Kinds {
		n, _, failed := q.pass(ctx, tenant, k)
		sum += n
		err = errors.Join(err, failed)
	}
	return sum, err
}

// Look does one pass in each place that has work due, those with urgent work first, and says how much was done in all.
func (q *Queue) Look(ctx context.Context) (sum int, err error) {
	found, err := q.find(ctx, nil)
	if err != nil {
		return 0, err
	}
	places := make([]place, 0, len(found))
	for p := range found {
		places = append(places, p)
	}
	rand.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	slices.SortStableFunc(places, func(p, o place) int {
		switch {
		case found[p] == found[o]:
			return 0
		case found[p]:
			return -1
		}
		return 1
	})
	for _, p := range places {
		n, _, failed := q.pass(ctx, p.Tenant, q.kind(p.Kind))
		sum += n
		err = errors.Join(err, failed)
	}
	return sum, err
}

// find gives the places that have work due, and whether any of it is urgent. It steps from one place to the next in the
// index of due items, so that a tenant with a hundred thousand of them costs no more than one with a single one. It
// does not ask for the dates of early kinds.
func (q *Queue) find(ctx context.Context, early map[string]bool) (map[place]bool, error) {
	const sql = `
		with recursive present as (
		    (select w.tenant_id, w.kind
		       from work_item w
		      where w.state = 'waiting'
		      order by w.tenant_id, w.kind
		      limit 1)
		     union all
		    select n.tenant_id, n.kind
		      from present p
		     cross join lateral (select w.tenant_id, w.kind
		                           from work_item w
		                          where w.state = 'waiting'
		                            and (w.tenant_id, w.kind) > (p.tenant_id, p.kind)
		                          order by w.tenant_id, w.kind
		                          limit 1) n
		)
		select p.tenant_id::text, p.kind,
		       exists (select from work_item w
		                where w.tenant_id = p.tenant_id and w.kind = p.kind and w.state = 'waiting' and w.priority > 0
		                    and w.due_at <= now())
		  from present p
		  join tenant t
		    on t.id = p.tenant_id
		   and t.status = 'active'
		 cross join lateral (select w.due_at
		                       from work_item w
		                      where w.tenant_id = p.tenant_id and w.kind = p.kind and w.state = 'waiting'
		                      order by w.due_at
		                      limit 1) first
		 where first.due_at <= now()
		   and p.kind = any($1)`
	var found map[place]bool
	err := q.DB.Across(ctx, func(tx *pg.Tx) error {
		found = map[place]bool{}
		rows, err := tx.Query(ctx, sql, q.names())
		if err != nil {
			return err
		}
		var p place
		var urgent bool
		_, err = pgx.ForEachRow(
			rows,
			[]any{&p.Tenant, &p.Kind, &urgent},
			func() error { found[p] = urgent; return nil },
		)
		if err != nil {
			return err
		}
		return q.dates(ctx, tx, early, found)
	})
	if err != nil {
		return nil, fmt.Errorf("find due work: %w", err)
	}
	return found, nil
}

// dates adds the places that a package's own dates make due.
func (q *Queue) dates(ctx context.Context, tx *pg.Tx, early map[string]bool, found map[place]bool) error {
	for _, k := range q.Kinds {
		if k.Due == nil || early[k.Name] {
			continue
		}
		var args []any
		if k.Due.Args != nil {
			args = k.Due.Args()
		}
		tenants, err := pg.All[string](ctx, tx, k.Name, k.Due.SQL, args...)
		if err != nil {
			return err
		}
		for _, t := range tenants {
			p := place{Tenant: t, Kind: k.Name}
			if _, there := found[p]; !there {
				found[p] = false
			}
		}
	}
	return nil
}

func (q *Queue) names() []string {
	names := make([]string, len(q.Kinds))
	for i, k := range q.Kinds {
		names[i] = k.Name
	}
	return names
}
