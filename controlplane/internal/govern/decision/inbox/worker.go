package inbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/inbox/leaver"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Times and sizes of the work.
const (
	interval = time.Second      // how soon a date is noticed
	putOff   = 30 * time.Second // how long a decision waits that could not be applied
	batch    = 200              // decisions, or people who have left, in one transaction
	sweeping = 10 * time.Minute // how soon an assignee is replaced who left while the task was created
)

// leavers is the kind of work that replaces assignees. Triggers on identities and users enqueue it.
const leavers = "decision_leavers"

// Kinds are the work on decision tasks: to apply decisions that can no longer be undone, to begin and end delegations,
// and to replace assignees who have left.
func (s *Service) Kinds() []queue.Kind {
	const decisions = `
		select distinct d.tenant_id::text
		  from decision_task d
		  join tenant t
		    on t.id = d.tenant_id
		   and t.status = 'active'
		 where d.apply_at <= $1`
	const delegations = `
		select distinct d.tenant_id::text
		  from decision_delegation d
		  join tenant t
		    on t.id = d.tenant_id
		   and t.status = 'active'
		 where d.state = 'scheduled' and d.starts_at <= $1
		    or d.state = 'active' and d.ends_at <= $1`
	due := func(sql string) *queue.Due {
		return &queue.Due{SQL: sql, Args: func() []any { return []any{s.Now()} }, Every: interval}
	}
	return []queue.Kind{
		{
			Name:  "decisions",
			Title: "Decision dates",
			About: "Applies decisions when they can no longer be undone.",
			Part:  s.applyDue,
			Due:   due(decisions),
		},
		{
			Name:  "delegations",
			Title: "Delegation dates",
			About: "Begins and ends delegations on their dates.",
			Part:  s.delegations().Turn,
			Due:   due(delegations),
		},
		{
			Name:    leavers,
			Title:   "Assignees who left",
			About:   "Reassigns tasks of people who left or can no longer sign in, and ends their delegations.",
			Subject: "identity",
			Batch:   batch,
			Work:    leaver.FollowLeavers,
		},
	}
}

// Jobs is the periodic work: to find assignees who left while their task was created, which no trigger could see.
func (s *Service) Jobs() []queue.Job {
	return []queue.Job{{
		Name:  leavers,
		Title: "Assignees who left",
		About: "Enqueues the assignees of open decision tasks who left or can no longer sign in.",
		Every: sweeping,
		Run:   s.Sweep,
	}}
}

// Sweep enqueues the assignees of open tasks who can no longer decide, in all active tenants. What fails in one keeps
// the others from nothing.
func (s *Service) Sweep(ctx context.Context) error {
	const open = `
		select distinct d.tenant_id::text
		  from decision_task d
		  join tenant t
		    on t.id = d.tenant_id
		   and t.status = 'active'
		 where d.state in ('open', 'claimed')`
	const sql = `
		select enqueue_work($1, array(select distinct a.identity_id
		                                from decision_assignee a
		                               where a.tenant_id = current_tenant()
		                                 and a.dropped_at is null
		                                 and a.open
		                                 and unable_to_decide(a.identity_id) in ('left', 'user_disabled')), 'sweep')`
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], open)
	if err != nil {
		return fmt.Errorf("find tenants with open decision tasks: %w", err)
	}
	var failed error
	for _, tenant := range tenants {
		err := s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
			return pg.Exec(ctx, tx, "find assignees who left", sql, leavers)
		})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("tenant %s: %w", tenant, err))
		}
	}
	return failed
}
