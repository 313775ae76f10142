package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/schedule"
)

// addSchedules adds what reads connectors by themselves, in every process.
func addSchedules(_ context.Context, p *parts) error {
	schedules := &schedule.Service{DB: p.db, Runs: p.runs, Log: p.log, Now: time.Now}
	p.routes = append(p.routes, schedules.Routes()...)
	p.workers = append(p.workers, schedules.Run)
	return nil
}
