package action

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/authority"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// Due counts the identities that ApplyDue moved, and says whether there are more.
type Due struct {
	Started, Left, OnLeave, Returned, Noticed, Archived int
	More                                                bool
}

// ApplyDue applies what has become due in the tenant's time zone: starts, leaves, returns, notices and last days;
// archiving after the retention time; pins that end; responsibilities of leavers; changed ranks of sources. One call
// catches up, however many dates have passed; a second call finds nothing.
func ApplyDue(ctx context.Context, tx *pg.Tx, now time.Time) (due Due, err error) {
	l, err := rules.Find(ctx, tx)
	if err != nil {
		return due, err
	}
	moved, err := lifecycle.ApplyDue(ctx, tx, l.Clock(now))
	if err != nil {
		return due, err
	}
	for _, m := range moved {
		*due.counter(m.From, m.To)++
	}
	due.More = len(moved) == lifecycle.BatchSize
	if err := unpinDue(ctx, tx, l.Clock(now)); err != nil {
		return due, err
	}
	if err := handOver(ctx, tx, now); err != nil {
		return due, err
	}
	if _, err := authority.ApplyRanks(ctx, tx); err != nil {
		return due, err
	}
	archived, err := archiveDue(ctx, tx, l, now)
	due.Archived, due.More = archived, due.More || archived == lifecycle.BatchSize
	return due, err
}

// counter is what counts a move from one status to another.
func (d *Due) counter(from, to string) *int {
	switch {
	case to == rules.Deactivated:
		return &d.Left
	case to == rules.OnLeave:
		return &d.OnLeave
	case to == rules.Notice:
		return &d.Noticed
	case from == rules.PreHire:
		return &d.Started
	}
	return &d.Returned
}
