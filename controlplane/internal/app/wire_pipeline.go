package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/replay"
)

// addPipeline adds what every request passes: the rate of its token, and the answers that are kept for repetitions.
func addPipeline(_ context.Context, p *parts) error {
	p.api.Rate = limit.New(limit.NewShared(p.db), p.log, time.Now)
	p.api.Replay = &replay.Keeper{DB: p.db, Seal: p.ring, Log: p.log, Now: time.Now}
	p.workers = append(p.workers, p.api.Rate.Run)
	p.jobs = append(p.jobs, p.api.Replay.Jobs()...)
	return nil
}
