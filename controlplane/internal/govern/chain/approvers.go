package chain

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/clock"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Approvers knows who is to be asked, and counts working time.
type Approvers interface {
	Stage(
		ctx context.Context,
		tx *pg.Tx,
		s approval.Subject,
		p approval.Plan,
		stage int,
		approved []string,
		at time.Time,
	) (approval.PlanStage, error)
	People(
		ctx context.Context,
		tx *pg.Tx,
		s approval.Subject,
		p approval.Plan,
		to []approval.ApproverResolver,
		via string,
		at time.Time,
	) ([]approval.PlanSlot, error)
	Rule(ctx context.Context, tx *pg.Tx, s approval.Subject, ruleID string, at time.Time) (approval.Plan, error)
	Clock(ctx context.Context, tx *pg.Tx) (Clock, error)
}

// Clock counts working time in calendars; with an empty id in the usual one.
type Clock interface {
	Due(from time.Time, within time.Duration, calendarID string) time.Time
}

// rules are the approval rules of the tenant.
type rules struct{}

func (rules) Stage(
	ctx context.Context,
	tx *pg.Tx,
	s approval.Subject,
	p approval.Plan,
	stage int,
	approved []string,
	at time.Time,
) (approval.PlanStage, error) {
	return resolution.Stage(ctx, tx, s, p, stage, approved, at)
}

func (rules) People(
	ctx context.Context,
	tx *pg.Tx,
	s approval.Subject,
	p approval.Plan,
	to []approval.ApproverResolver,
	via string,
	at time.Time,
) ([]approval.PlanSlot, error) {
	return resolution.People(ctx, tx, s, p, to, via, at)
}

func (rules) Rule(
	ctx context.Context,
	tx *pg.Tx,
	s approval.Subject,
	ruleID string,
	at time.Time,
) (approval.Plan, error) {
	return resolution.ByRule(ctx, tx, s, ruleID, at)
}

func (rules) Clock(ctx context.Context, tx *pg.Tx) (Clock, error) { return clock.Load(ctx, tx) }

func (s *Service) approvers() Approvers {
	if s.Approvers != nil {
		return s.Approvers
	}
	return rules{}
}
