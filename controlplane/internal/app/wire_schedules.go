package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/schedule"
)

// addSchedules adds the schedules of connectors.
func addSchedules(_ context.Context, p *parts) error {
	schedules := &schedule.Service{DB: p.db, Runs: p.runs, Log: p.log, Now: time.Now}
	p.routes = append(p.routes, schedules.Routes()...)
	p.kinds = append(p.kinds, schedules.Kinds()...)
	return nil
}
