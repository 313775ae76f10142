package app

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/replay"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// addPipeline adds what every request passes: the rate of its token, and the answers that are kept for repetitions.
func addPipeline(_ context.Context, p *parts) error {
	p.api.Rate = limit.New(limit.NewShared(p.db), p.log, time.Now)
	sealer := seal.ColumnSealer{Ring: p.ring, Place: seal.Place{Table: "kept_answer", Column: "answer"}}
	p.api.Replay = &replay.Keeper{DB: p.db, Seal: sealer, Log: p.log, Now: time.Now}
	p.workers = append(p.workers, p.api.Rate.Run)
	p.jobs = append(p.jobs, queue.Job{
		Name:  "kept_answers",
		Title: "Idempotency cleanup",
		About: "Deletes the responses that are kept for repeated requests, after a day.",
		Every: time.Hour,
		Run:   p.api.Replay.Purge,
	})
	return nil
}
