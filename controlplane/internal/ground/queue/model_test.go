package queue_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// model compares the queue with what was committed. Each enqueued item has a cause of its own. Work writes the causes
// that it sees into a table with a unique key, in its transaction: what is done twice fails, and what is lost is
// missing in the end.
type model struct {
	t       testing.TB
	db      *pg.DB
	tenants []viewer.Viewer
	queues  []*queue.Queue // of two processes

	mu     sync.Mutex
	n      int
	want   map[string][]string // by tenant: causes whose items were committed
	poison map[string]bool     // tenant and subject
	busy   map[string]bool     // tenant and subject
	kill   int                 // transactions that lose their connection
	twice  []string
	during bool // work has its first subject enqueued again meanwhile
}

const modelBatch = 3

func newModel(t testing.TB, db *pg.DB, run int) *model {
	m := &model{t: t, db: db, want: map[string][]string{}, poison: map[string]bool{}, busy: map[string]bool{}}
	for i := range 2 {
		m.tenants = append(m.tenants, pgtest.Tenant(t, db, fmt.Sprintf("t-%d-%d", run, i)))
	}
	for range 2 {
		m.queues = append(
			m.queues,
			&queue.Queue{DB: db, Log: quiet, Kinds: []queue.Kind{{Name: "model", Batch: modelBatch, Work: m.work}}},
		)
	}
	return m
}

func (m *model) cause() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n++
	return fmt.Sprint(m.n)
}

var errUndone = errors.New("undone")

// enqueue adds an item, in a transaction that commits or does not.
func (m *model) enqueue(v viewer.Viewer, subjects []string, urgent, commit bool) {
	cause := m.cause()
	err := m.db.As(context.Background(), v, func(tx *pg.Tx) error {
		if err := queue.Enqueue(
			context.Background(),
			tx,
			queue.Work{Kind: "model", Subjects: subjects, Cause: cause, Urgent: urgent},
		); err != nil ||
			commit {
			return err
		}
		return errUndone
	})
	if commit != (err == nil) {
		m.t.Fatalf("enqueue: %v", err)
	}
	if commit {
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, s := range subjects {
			m.want[v.Tenant] = append(m.want[v.Tenant], s+" "+cause)
		}
	}
}

// enter notes which subjects are worked on, and which of them already were.
func (m *model) enter(tenant string, items []queue.Item) (poisoned, killed, during bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(items) > modelBatch {
		m.twice = append(m.twice, fmt.Sprintf("%d subjects in a batch", len(items)))
	}
	for _, i := range items {
		key := tenant + i.Subject
		if m.busy[key] {
			m.twice = append(m.twice, key)
		}
		m.busy[key] = true
		poisoned = poisoned || m.poison[key]
	}
	if m.kill > 0 {
		m.kill--
		killed = true
	}
	during, m.during = m.during, false
	return poisoned, killed, during
}

func (m *model) leave(tenant string, items []queue.Item) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, i := range items {
		delete(m.busy, tenant+i.Subject)
	}
}

func (m *model) work(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
	tenant := tx.Viewer.Tenant
	poisoned, killed, during := m.enter(tenant, items)
	defer m.leave(tenant, items)
	if during {
		m.enqueue(viewer.System(tenant), []string{items[0].Subject}, false, true)
	}
	for _, i := range items {
		for _, cause := range i.Causes {
			// The table of another subject: it has a unique key of two texts.
			_, err := tx.Exec(
				ctx,
				`insert into event_wish (tenant_id, listener, kind) values (current_tenant(), $1, 'model')`,
				i.Subject+" "+cause,
			)
			if err != nil {
				return err
			}
		}
	}
	if killed {
		_, err := tx.Exec(ctx, `select pg_terminate_backend(pg_backend_pid())`)
		return err
	}
	if poisoned {
		return errPoison
	}
	return nil
}

func (m *model) look(both bool) {
	var group sync.WaitGroup
	for _, q := range m.queues {
		if !both && q != m.queues[0] {
			continue
		}
		group.Go(func() { _, _ = q.Look(context.Background()) }) // what fails is part of the model
	}
	group.Wait()
}

func (m *model) retryNow() {
	for _, v := range m.tenants {
		exec(m.t, m.db, v, `update work_item set due_at = now(), state = 'waiting', attempts = least(attempts, 3)`)
	}
}

// settle heals everything and works until nothing is left. Each cause must have been worked on exactly once then.
func (m *model) settle() {
	m.poison, m.kill, m.during = map[string]bool{}, 0, false
	m.retryNow()
	left := func() (n int) {
		for _, v := range m.tenants {
			n += count(m.t, m.db, v, `select count(*) from work_item`)
		}
		return n
	}
	for n := 0; n < 100 && left() > 0; n++ {
		m.look(true)
	}
	if n := left(); n != 0 {
		m.t.Fatalf("%d items are left", n)
	}
	for _, v := range m.tenants {
		got := strings(m.t, m.db, v, `select listener from event_wish where kind = 'model'`)
		want := m.want[v.Tenant]
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			m.t.Fatalf("worked on %v; want %v", got, want)
		}
	}
	if len(m.twice) > 0 {
		m.t.Fatalf("worked on twice at once: %v", m.twice)
	}
}

// Whatever is enqueued, fails, is rolled back or killed, by whichever of two processes: nothing is lost, done twice, or
// done twice at once for one subject.
func TestTheQueueKeepsItsPromises(t *testing.T) {
	db := pgtest.New(t)
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		m := newModel(t, db, run)
		tenant := rapid.SampledFrom(m.tenants)
		one := rapid.Custom(func(rt *rapid.T) string { return subject(rapid.IntRange(1, 5).Draw(rt, "subject")) })
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.IntRange(0, 6).Draw(rt, "step") {
			case 0, 1:
				subjects := rapid.SliceOfNDistinct(one, 1, 5, rapid.ID).Draw(rt, "subjects")
				m.enqueue(
					tenant.Draw(rt, "tenant"),
					subjects,
					rapid.Bool().Draw(rt, "urgent"),
					rapid.IntRange(0, 3).Draw(rt, "commit") > 0,
				)
			case 2:
				m.look(rapid.Bool().Draw(rt, "both"))
			case 3:
				m.poison[tenant.Draw(rt, "tenant").Tenant+one.Draw(rt, "poisoned")] = true
			case 4:
				maps.DeleteFunc(m.poison, func(string, bool) bool { return true })
			case 5:
				m.kill = rapid.IntRange(1, 2).Draw(rt, "kill")
				m.during = rapid.Bool().Draw(rt, "during")
			case 6:
				m.retryNow()
			}
		}
		m.settle()
	})
}
