package chain_test

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// board is who is to be asked, as somebody has written it down.
type board struct {
	mu     sync.Mutex
	stages map[int]approval.PlanStage // by stage, instead of what the plan has
	people []approval.PlanSlot        // whom escalations name
	rule   *approval.Plan
	asked  int // stages that were resolved
}

// write says who stands in a stage from now on.
func (b *board) write(stage int, groups ...approval.PlanGroup) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stages == nil {
		b.stages = map[int]approval.PlanStage{}
	}
	b.stages[stage] = approval.PlanStage{Groups: groups}
}

func (b *board) Stage(
	_ context.Context,
	_ *pg.Tx,
	s approval.Subject,
	p approval.Plan,
	stage int,
	approved []string,
	_ time.Time,
) (approval.PlanStage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked++
	if written, is := b.stages[stage]; is {
		written.Definition = p.Stages[stage].Definition
		return written, nil
	}
	return p.Stages[stage], nil
}

func (b *board) People(
	context.Context,
	*pg.Tx,
	approval.Subject,
	approval.Plan,
	[]approval.ApproverResolver,
	string,
	time.Time,
) ([]approval.PlanSlot, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.people), nil
}

func (b *board) Rule(_ context.Context, _ *pg.Tx, _ approval.Subject, id string, _ time.Time) (approval.Plan, error) {
	if b.rule == nil {
		return approval.Plan{}, fault.New(fault.NotFound, "no rule %s", id)
	}
	return *b.rule, nil
}

func (b *board) Clock(context.Context, *pg.Tx) (chain.Clock, error) { return hours{}, nil }

// hours are all worked.
type hours struct{}

func (hours) Due(from time.Time, within time.Duration, _ string) time.Time { return from.Add(within) }
