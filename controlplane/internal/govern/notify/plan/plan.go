package plan

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/message"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/settings"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/wording"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// Kind is the kind of work that plans notifications. Triggers of the database enqueue it.
const Kind = "notifications"

// hourly is how many messages a person receives in an hour at most. What waits is sent together after rest.
const (
	hourly = 12
	rest   = 15 * time.Minute
)

// verdict is what is done with the notifications of a person.
type verdict struct {
	now    []fact
	later  []string // ids that wait for the digest
	gone   []string // ids of notifications that are not sent
	until  time.Time
	digest bool // the person has something for the digest
}

// judge decides about the notifications of a person. It knows no database.
func judge(p person, all []fact, rules settings.Rules, now time.Time) (v verdict) {
	loc := notice.Zone(p.TimeZone)
	quiet := rules.Quiet.Until(loc, now)
	latest := map[string]int{} // of several about one subject, the last one counts
	for i, f := range all {
		latest[f.Type+f.Subject] = i
	}
	for i, f := range all {
		k, known := notice.Find(f.Kind)
		mode := rules.Mode(k.Group, p.Modes)
		urgent := f.urgent(now, loc)
		switch d := notice.Decide(k, mode, urgent); {
		case !known || f.Settled || p.Gone || latest[f.Type+f.Subject] != i || d == notice.Off:
			v.gone = append(v.gone, f.ID)
		case d == notice.Digest:
			v.later, v.digest = append(v.later, f.ID), true
		case quiet.After(now) && !urgent:
			v.until = quiet
		case p.Lately >= hourly:
			v.until = now.Add(rest)
		default:
			v.now = append(v.now, f)
			v.digest = v.digest || k.Group == notice.Tasks && mode == notice.Smart
		}
	}
	return v
}

// messages are those about the notifications that a person receives now: one for each group.
func (w writer) messages(p person, now []fact) (out []message.New) {
	groups := map[notice.Group][]fact{}
	for _, f := range now {
		k, _ := notice.Find(f.Kind)
		groups[k.Group] = append(groups[k.Group], f)
	}
	for _, f := range groups[notice.Account] { // each by itself: they are about the safety of a sign-in
		k, _ := notice.Find(f.Kind)
		out = append(out, w.single(p, k, f))
	}
	for _, g := range notice.Groups {
		all := groups[g]
		switch {
		case len(all) == 1:
			k, _ := notice.Find(all[0].Kind)
			out = append(out, w.single(p, k, all[0]))
		case len(all) > 1:
			out = append(out, w.summary(p, g, all))
		}
	}
	return out
}

// Service plans notifications. All fields are needed.
type Service struct {
	DB      *pg.DB
	Now     func() time.Time
	BaseURL func(slug string) string // where a tenant's console is
}

// writer prepares the messages of the transaction's tenant.
func (s *Service) writer(ctx context.Context, tx *pg.Tx) (writer, error) {
	slug, err := pg.One[string](ctx, tx, "read the tenant", `select slug from tenant where id = current_tenant()`)
	if err != nil {
		return writer{}, err
	}
	words, err := wording.Read(ctx, tx)
	return writer{base: s.BaseURL(slug), now: s.Now(), words: words}, err
}

// batch is what planning needs about some people.
type batch struct {
	writer
	rules  settings.Rules
	people []person
	facts  map[string][]fact // their notifications in one state, by person
}

// read reads what planning needs about people, with their notifications in a state.
func (s *Service) read(ctx context.Context, tx *pg.Tx, ids []string, state string) (r batch, err error) {
	if r.rules, err = settings.ReadRules(ctx, tx); err != nil {
		return r, err
	}
	if r.writer, err = s.writer(ctx, tx); err != nil {
		return r, err
	}
	if r.people, err = people(ctx, tx, ids); err != nil {
		return r, err
	}
	all, err := facts(ctx, tx, ids, state)
	r.facts = map[string][]fact{}
	for _, f := range all {
		r.facts[f.Person] = append(r.facts[f.Person], f)
	}
	return r, err
}

// Work plans the notifications of people.
func (s *Service) Work(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
	w, err := s.read(ctx, tx, queue.Subjects(items), "pending")
	if err != nil {
		return err
	}
	var out []message.New
	var done, later []string
	var digests []person
	waits := map[time.Time][]string{}
	for _, p := range w.people {
		v := judge(p, w.facts[p.ID], w.rules, w.now)
		out = append(out, w.messages(p, v.now)...)
		for _, f := range v.now {
			done = append(done, f.ID)
		}
		done, later = append(done, v.gone...), append(later, v.later...)
		if !v.until.IsZero() {
			waits[v.until] = append(waits[v.until], p.ID)
		}
		if v.digest || len(v.now)+len(v.gone)+len(v.later) == 0 && v.until.IsZero() {
			digests = append(digests, p) // queued without a notification: a task is asked of a role
		}
	}
	if err := message.Insert(ctx, tx, out); err != nil {
		return err
	}
	if err := settle(ctx, tx, done, later); err != nil {
		return err
	}
	for until, people := range waits {
		if err := queue.Enqueue(
			ctx,
			tx,
			queue.Work{Kind: Kind, Subjects: people, Delay: until.Sub(w.now)},
		); err != nil {
			return err
		}
	}
	return schedule(ctx, tx, digests, w.rules, w.now)
}

// settle deletes notifications that are done with, and holds others back for the digest.
func settle(ctx context.Context, tx *pg.Tx, done, later []string) error {
	const remove = `delete from notification where tenant_id = current_tenant() and id = any($1::text[]::uuid[])`
	const hold = `update notification set state = 'digest' where tenant_id = current_tenant()
		and id = any($1::text[]::uuid[])`
	if len(done) > 0 {
		if err := pg.Exec(ctx, tx, "delete notifications", remove, done); err != nil {
			return err
		}
	}
	if len(later) == 0 {
		return nil
	}
	return pg.Exec(ctx, tx, "hold notifications back", hold, later)
}

// schedule sets when the digests of people are due, of those that have none scheduled.
func schedule(ctx context.Context, tx *pg.Tx, all []person, rules settings.Rules, now time.Time) error {
	var ids []string
	var dues []time.Time
	for _, p := range all {
		if p.Due != nil || p.Gone {
			continue
		}
		ids, dues = append(ids, p.ID), append(dues, p.next(rules, now))
	}
	if len(ids) == 0 {
		return nil
	}
	const sql = `
		insert into notification_digest as d (tenant_id, person_id, due_at)
		select current_tenant(), u.person, u.due
		  from unnest(@people::text[]::uuid[], @dues::timestamptz[]) u (person, due)
		    on conflict (tenant_id, person_id) do update
		   set due_at = excluded.due_at
		 where d.due_at is null`
	return pg.Exec(ctx, tx, "schedule digests", sql, pgx.NamedArgs{"people": ids, "dues": dues})
}

// next is when the next digest of a person is due.
func (p person) next(rules settings.Rules, now time.Time) time.Time {
	hour, last := rules.DigestHour, time.Time{}
	if p.Hour != nil {
		hour = *p.Hour
	}
	if p.LastSent != nil {
		last = *p.LastSent
	}
	loc := notice.Zone(p.TimeZone)
	return rules.Quiet.Until(loc, notice.NextDigest(hour, loc, last, now))
}
