package plan

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/message"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/settings"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// digestBatch is how many digests one transaction makes.
const digestBatch = 100

// Kinds are the work: to plan notifications, and to make digests when they are due.
func (s *Service) Kinds() []queue.Kind {
	const due = `
		select distinct d.tenant_id::text
		  from notification_digest d
		  join tenant t
		    on t.id = d.tenant_id
		   and t.status = 'active'
		 where d.due_at <= $1`
	return []queue.Kind{
		{
			Name:    Kind,
			Title:   "Notifications",
			About:   "Makes messages of new notifications.",
			Subject: "identity",
			Batch:   100,
			Work:    s.Work,
		},
		{
			Name:  "digests",
			Title: "Digests",
			About: "Makes the daily digests of people who have something open.",
			Part:  s.Digests,
			Due:   &queue.Due{SQL: due, Args: func() []any { return []any{s.Now()} }, Every: 10 * time.Second},
		},
	}
}

// open is a task that a person can decide, and how many there are.
type open struct {
	Person string     `db:"person_id"`
	ID     string     `db:"id"`
	Title  string     `db:"title"`
	Due    *time.Time `db:"due_at"`
	Count  int        `db:"count"`
}

// openTasks are the most urgent open tasks of people.
func openTasks(ctx context.Context, tx *pg.Tx, people []string) (map[string][]open, error) {
	const sql = `
		select o.person_id::text, o.id::text, o.title, o.due_at, o.count
		  from (select p.id as person_id, t.id, t.title, t.due_at, count(*) over (partition by p.id)::int as count,
		               row_number() over (partition by p.id
		                                      order by t.urgency desc, t.due_at nulls last, t.created_at) as place
		          from unnest(@people::text[]::uuid[]) p (id)
		          join lateral (select a.task_id
		                          from decision_assignee a
		                         where a.tenant_id = current_tenant()
		                           and a.identity_id = p.id
		                           and a.open
		                           and a.dropped_at is null
		                         union
		                        select r.id
		                          from app_user u
		                          join decision_task r
		                            on r.tenant_id = u.tenant_id
		                           and r.state in ('open', 'claimed')
		                           and r.roles && u.roles
		                         where u.tenant_id = current_tenant()
		                           and coalesce(u.identity_id, u.id) = p.id
		                           and u.status = 'active') own on true
		          join decision_task t
		            on t.tenant_id = current_tenant()
		           and t.id = own.task_id
		           and t.state in ('open', 'claimed')
		           and p.id <> all(t.not_for)) o
		 where o.place <= @most
		 order by o.person_id, o.place`
	found, err := pg.All[open](ctx, tx, "read open tasks", sql, pgx.NamedArgs{"people": people, "most": listed})
	out := map[string][]open{}
	for _, o := range found {
		out[o.Person] = append(out[o.Person], o)
	}
	return out, err
}

// Digests makes digests of a tenant that are due, and says of how many people.
func (s *Service) Digests(ctx context.Context, tenant string) (n int, err error) {
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		ids, err := pg.All[string](ctx, tx, "find digests", `
			select d.person_id::text
			  from notification_digest d
			 where d.tenant_id = current_tenant()
			   and d.due_at <= $1
			 order by d.due_at
			 limit $2
			   for update of d skip locked`, s.Now(), digestBatch)
		if n = len(ids); err != nil || n == 0 {
			return err
		}
		return s.digests(ctx, tx, ids)
	})
	return n, err
}

// digests makes the digests of people, and schedules their next ones.
func (s *Service) digests(ctx context.Context, tx *pg.Tx, ids []string) error {
	w, err := s.read(ctx, tx, ids, "digest")
	if err != nil {
		return err
	}
	tasks, err := openTasks(ctx, tx, ids)
	if err != nil {
		return err
	}
	var done []string
	var out []message.New
	var turns []turn
	for _, held := range w.facts {
		for _, f := range held {
			done = append(done, f.ID)
		}
	}
	for _, p := range w.people {
		m, next, made := w.turn(p, tasks[p.ID], news(w.facts[p.ID]), w.rules)
		if made {
			out = append(out, m)
		}
		turns = append(turns, turn{p.ID, next, made})
	}
	if err := message.Insert(ctx, tx, out); err != nil {
		return err
	}
	if err := settle(ctx, tx, done, nil); err != nil {
		return err
	}
	return store(ctx, tx, turns, w.now)
}

// news are the notifications that a digest lists. Tasks are listed as they are now instead.
func news(held []fact) (out []fact) {
	for _, f := range held {
		if k, _ := notice.Find(f.Kind); !f.Settled && k.Group != notice.Tasks {
			out = append(out, f)
		}
	}
	return out
}

// turn is what follows for a person: when their next digest is due, and whether one was made now.
type turn struct {
	person string
	next   *time.Time
	made   bool
}

// turn makes the digest of a person, if something is open or was held back. The next one is due tomorrow, if a task is
// open, and else when something is held back again.
func (w writer) turn(p person, tasks []open, news []fact, rules settings.Rules) (message.New, *time.Time, bool) {
	if mode := rules.Mode(notice.Tasks, p.Modes); mode == notice.Off || mode == notice.Immediate {
		tasks = nil
	}
	if p.Gone || len(tasks)+len(news) == 0 {
		return message.New{}, nil, false
	}
	var rows []fact
	count := 0
	for _, o := range tasks {
		count = o.Count
		rows = append(rows, fact{Type: "decision_task", Subject: o.ID, Title: o.Title, Due: o.Due})
	}
	m := w.digest(p, rows, count, news)
	if count == 0 {
		return m, nil, true
	}
	sent := w.now
	p.LastSent = &sent
	next := p.next(rules, w.now)
	return m, &next, true
}

func store(ctx context.Context, tx *pg.Tx, all []turn, now time.Time) error {
	const sql = `
		update notification_digest d
		   set due_at = u.due, sent_at = case when u.made then @now else d.sent_at end
		  from unnest(@people::text[]::uuid[], @dues::timestamptz[], @made::boolean[]) u (person, due, made)
		 where d.tenant_id = current_tenant()
		   and d.person_id = u.person`
	people, dues, made := make([]string, len(all)), make([]*time.Time, len(all)), make([]bool, len(all))
	for i, t := range all {
		people[i], dues[i], made[i] = t.person, t.next, t.made
	}
	return pg.Exec(ctx, tx, "schedule the next digests", sql, pgx.NamedArgs{
		"people": people, "dues": dues, "made": made, "now": now,
	})
}
