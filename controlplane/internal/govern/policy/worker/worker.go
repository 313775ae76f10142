package worker

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/requirement"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
)

// Kinds of work, all of one group.
const (
	people = "policy"       // people whose identity or access changed
	dates  = "policy_dates" // role assignments that start or end, exemptions that end
)

// Service evaluates what is enqueued. It needs all fields.
type Service struct {
	DB  *pg.DB
	Log *slog.Logger
	Now func() time.Time
}

// causeManager is the cause of a person's item whose manager is another one.
const causeManager = "manager"

// Kinds are the work of this package.
func (s *Service) Kinds() []queue.Kind {
	const assignments = `
		select t.id::text
		  from tenant t
		 where t.status = 'active'
		   and (exists (select from role_assignment a where a.tenant_id = t.id and a.state = 'scheduled'
		       and a.starts_at <= $1)
		        or exists (select from role_assignment a where a.tenant_id = t.id and a.state <> 'ended'
		            and a.ends_at <= $1)
		        or exists (select from requirement_gap g where g.tenant_id = t.id and ` + requirement.LapsedSQL + `))`
	const unfinished = `
		select w.tenant_id::text
		  from policy_walk w
		  join tenant t
		    on t.id = w.tenant_id
		   and t.status = 'active'
		 where w.started_at is not null and w.finished_at is null
		    or w.fresh_until <= $1`
	now := func() []any { return []any{s.Now()} }
	return []queue.Kind{
		{
			Name:  dates,
			Title: "Role assignment dates",
			About: "Starts and ends role assignments on their dates, and ends exemptions from requirements.",
			Part:  s.settleDates,
			Due:   &queue.Due{SQL: assignments, Args: now},
		},
		{
			Name:    people,
			Title:   "Policy evaluation",
			About:   "Evaluates access policies and roles for people who changed.",
			Subject: "identity",
			Group:   evaluation.QueueGroup,
			Batch:   evaluation.Batch,
			Work:    s.evaluatePeople,
		},
		{
			Name:  accesspolicy.SweepKind,
			Title: "Policy evaluation of everyone",
			About: "Evaluates access policies and roles for all people after a policy or a role changed.",
			Part:  s.walk,
			Due:   &queue.Due{SQL: unfinished, Args: now},
		},
	}
}

// Part does one pass of this package's work in a tenant, and says how much was done.
func (s *Service) Part(ctx context.Context, tenant string) (int, error) {
	q := queue.Queue{DB: s.DB, Log: s.Log, Kinds: s.Kinds()}
	return q.Pass(ctx, tenant)
}

// settleDates starts and ends role assignments whose date has come, which enqueues their people, and ends exemptions
// from requirements.
func (s *Service) settleDates(ctx context.Context, tenant string) (n int, err error) {
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) (err error) {
		if n, err = assignment.Settle(ctx, tx, s.Now()); err != nil {
			return err
		}
		lapsed, err := requirement.Lapse(ctx, tx, s.Now())
		n += lapsed
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("start and end by dates: %w", err)
	}
	return n, nil
}

// evaluatePeople evaluates people, and enqueues everybody below those whose manager is another one.
func (s *Service) evaluatePeople(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
	urgent := map[string]bool{}
	var moved []string
	for _, item := range items {
		if item.Urgent {
			urgent[item.Subject] = true
		}
		if item.Has(causeManager) {
			moved = append(moved, item.Subject)
		}
	}
	b, err := evaluation.Load(ctx, tx, s.Now())
	if err != nil {
		return err
	}
	if len(moved) > 0 && len(b.Needs.Managers) > 0 {
		if err := followBeneath(ctx, tx, moved); err != nil {
			return err
		}
	}
	_, err = b.Evaluate(ctx, tx, queue.Subjects(items), urgent, false)
	return err
}

// followBeneath enqueues everybody below those whose manager is another one.
func followBeneath(ctx context.Context, tx *pg.Tx, moved []string) error {
	const sql = `
		with recursive beneath (id) as (
		    select i.id
		      from identity i
		     where i.manager_id = any(@moved::text[]::uuid[])
		     union
		    select i.id
		      from beneath b
		      join identity i on i.manager_id = b.id
		)
		insert into work_item (tenant_id, kind, subject)
		select current_tenant(), 'policy', b.id
		  from beneath b
		 where b.id <> all(@moved::text[]::uuid[])
		   and b.id not in (select n.subject from work_item n where n.kind = 'policy' and n.state = 'waiting')`
	return pg.Exec(ctx, tx, "follow a change of manager", sql, pgx.NamedArgs{"moved": moved})
}

// walk goes a piece of the way through everybody, or begins to.
func (s *Service) walk(ctx context.Context, tenant string) (n int, err error) {
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		n = 0
		if locked, err := queue.TryLock(ctx, tx, evaluation.QueueGroup); err != nil || !locked {
			return err
		}
		w, err := findWalk(ctx, tx)
		if err != nil {
			return err
		}
		if w.idle(s.Now()) {
			return nil
		}
		b, err := evaluation.Load(ctx, tx, s.Now())
		if err != nil {
			return err
		}
		if !w.running {
			begun, err := w.begin(ctx, tx, b)
			if begun {
				n = 1
			}
			return err
		}
		n, err = w.step(ctx, tx, b)
		n = max(n, 1)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("evaluate everybody: %w", err)
	}
	return n, nil
}
