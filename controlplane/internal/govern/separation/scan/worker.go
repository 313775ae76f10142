package scan

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Kinds of work, of one group.
const (
	kindPeople = "separation"
	kindScan   = "separation_scan"
)

// Service scans people. All fields but Piece are needed.
type Service struct {
	DB  *pg.DB
	Log *slog.Logger
	Now func() time.Time
	// Piece is how many identities one transaction of a scan passes. 0: the usual number.
	Piece int
}

// usualPiece keeps a transaction of a scan at about a second.
const usualPiece = 20_000

// Kinds are the work of this package.
func (s *Service) Kinds() []queue.Kind {
	// A tenant is scanned a day after its last scan began, or has ended by cancellation, if it has policies.
	const due = `
		select s.tenant_id::text
		  from separation_scan s
		  join tenant t on t.id = s.tenant_id and t.status = 'active'
		 where s.state in ('waiting', 'running')
		    or coalesce(s.started_at, s.finished_at) <= $1::timestamptz - interval '24 hours'`
	return []queue.Kind{
		{
			Name:    kindPeople,
			Title:   "Separation of duties",
			About:   "Evaluates separation-of-duties policies for people whose access changed.",
			Subject: "identity",
			Group:   kindPeople,
			Batch:   batch,
			Work:    s.evaluatePeople,
		},
		{
			Name:  kindScan,
			Title: "Separation of duties of everyone",
			About: "Evaluates separation-of-duties policies for all people.",
			Group: kindPeople,
			Part:  s.part,
			Due:   &queue.Due{SQL: due, Args: func() []any { return []any{s.Now()} }},
		},
	}
}

// Part does one pass of this package's work in a tenant, and says how much was done.
func (s *Service) Part(ctx context.Context, tenant string) (int, error) {
	q := queue.Queue{DB: s.DB, Log: s.Log, Kinds: s.Kinds()}
	return q.Pass(ctx, tenant)
}

// evaluatePeople evaluates people whose access changed.
func (s *Service) evaluatePeople(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
	b, err := rulebook.For(ctx, tx)
	if err != nil {
		return err
	}
	_, err = evaluate(ctx, tx, b, queue.Subjects(items), violation.ByChange, s.Now())
	return err
}

// part takes requests for a scan, or does a piece of the one that runs.
func (s *Service) part(ctx context.Context, tenant string) (n int, err error) {
	err = s.DB.AsBulk(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		n = 0
		if locked, err := queue.TryLock(ctx, tx, kindPeople); err != nil || !locked {
			return err
		}
		n, err = s.advance(ctx, tx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("scan for violations: %w", err)
	}
	return n, nil
}

// advance does the next thing that there is to do: requests first, so that a changed policy restarts a scan.
func (s *Service) advance(ctx context.Context, tx *pg.Tx) (int, error) {
	now := s.Now()
	requests, err := queue.Take(ctx, tx, kindScan, 1)
	if err != nil {
		return 0, err
	}
	if len(requests) > 0 {
		return 1, request(ctx, tx, causeChange, now)
	}
	scan, none, err := last(ctx, tx, " for update of s")
	switch {
	case err != nil || none:
		return 0, err
	case scan.State == Waiting:
		return 1, begin(ctx, tx, now)
	case scan.State == Running:
		most := s.Piece
		if most == 0 {
			most = usualPiece
		}
		return 1, scan.step(ctx, tx, most, now)
	case scan.isOld(now):
		return 1, request(ctx, tx, causeNight, now)
	}
	return 0, nil
}

// isOld reports whether the next nightly scan is due.
func (s SeparationScan) isOld(now time.Time) bool {
	at := s.FinishedAt
	if s.StartedAt != nil {
		at = s.StartedAt
	}
	return at != nil && !at.After(now.Add(-24*time.Hour))
}
