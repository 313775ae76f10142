package decisionkind

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Sizes and times of the work.
const (
	batch = 500 // conditions of a kind that are checked in one transaction
	// how often all conditions are compared with the inbox: what comes with time alone is counted in days
	sweeping = time.Hour
)

// sweepKind is the kind of the work that compares all conditions of a tenant with its inbox.
const sweepKind = "inbox_sweep"

// Kinds are the work on the inbox: one kind for each kind of condition, so that a condition that cannot be asked about
// holds up no other.
func (s *Service) Kinds() []queue.Kind {
	const group = "inbox"
	all := []queue.Kind{
		{
			Name:    sweepKind,
			Title:   "Inbox comparison",
			About:   "Compares the decision tasks in the inbox with everything that needs a decision.",
			Group:   group,
			Batch:   1,
			Forever: true,
			Work:    func(ctx context.Context, tx *pg.Tx, _ []queue.Item) error { return s.sweep(ctx, tx) },
		},
	}
	for _, k := range s.kinds() {
		all = append(
			all,
			queue.Kind{
				Name:    kind.WorkOn(k.Name),
				Title:   "Inbox: " + k.About,
				About:   "Opens and closes decision tasks about " + k.About + ".",
				Subject: k.Subject,
				Group:   group,
				Batch:   batch,
				Work: func(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
					return k.Look(ctx, tx, queue.Subjects(items))
				},
			},
		)
	}
	return all
}

// Jobs are the periodic work: to have all tenants swept.
func (s *Service) Jobs() []queue.Job {
	return []queue.Job{{
		Name:  sweepKind,
		Title: "Inbox comparison",
		About: "Enqueues the inbox comparison for each active tenant.",
		Every: sweeping,
		Run:   s.sweepAll,
	}}
}

// Part does one pass of this package's work in a tenant, and says how much was done.
func (s *Service) Part(ctx context.Context, tenant string) (int, error) {
	q := queue.Queue{DB: s.DB, Log: s.Log, Kinds: s.Kinds()}
	return q.Pass(ctx, tenant)
}

// sweepAll has all conditions of all active tenants compared with their inboxes.
func (s *Service) sweepAll(ctx context.Context) error {
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], `select id::text from tenant where status = 'active'`)
	if err != nil {
		return fmt.Errorf("list tenants to sweep: %w", err)
	}
	for _, tenant := range tenants {
		err := s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
			return queue.Enqueue(ctx, tx, queue.Work{Kind: sweepKind, Cause: "periodic"})
		})
		if err != nil {
			return fmt.Errorf("have tenant %s swept: %w", tenant, err)
		}
	}
	return nil
}
