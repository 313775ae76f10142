package worker

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/mapper"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/lease"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/merge"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/owners"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/position"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/reading"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/staging"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// work is one attempt at a run.
type work struct {
	s           *Service
	v           viewer.Viewer
	lease       lease.Lease
	id          string
	connector   string
	attempt     int
	failures    int // attempts since the run last moved on, with this one
	died        int // processes that died in the run since it last moved on
	resumes     int
	round       int // how often the run was held before
	chunkSize   int
	incremental bool // asked for
	preview     bool
	callback    *string
	cancelled   bool // asked for before the work began
	firstLoad   bool
	crowded     bool // more grants would be inherited than may be
	streams     bool // merges behind the reading
	evaluated   bool
	unleased    bool // ends a run without a worker
	cancel      context.CancelCauseFunc
	target      callable.Connector
	mapper      *mapper.Mapper
	position    *position.Position
	settings    []byte // of the reading
	settingsNow []byte
	merged      map[string]bool // parts that are merged, by key; read only once the work has begun
	known       merge.Known
	open        int64 // grants that named a person, or a thing, that was not there when all was merged
	// Of accounts and of entitlements, whose target system names an owner who is not known.
	openOwners [2]owners.Unknown
	watch      watch

	mu sync.Mutex // guards what follows
	reading.State
	seq        int   // last chunk committed
	sizes      []int // records of each committed chunk
	count      counters.PartCount
	aside      int
	reread     int64
	executedBy *v1.ExecutedBy
}

// run is what reconcile must know of the run.
func (w *work) run() reconcile.Run {
	return reconcile.Run{
		ID:              w.id,
		Connector:       w.connector,
		FirstLoad:       w.firstLoad,
		Preview:         w.preview,
		Incremental:     w.Effective.Incremental,
		Complete:        w.Complete,
		Clean:           !w.Capped && w.clean(),
		SettingsChanged: w.position != nil && string(w.position.Settings) != string(w.settings),
	}
}

func (w *work) do(ctx context.Context) {
	began := time.Now()
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		w.beat(ctx)
	}()
	err := w.guarded(ctx)
	w.cancel(nil)
	<-beating
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	// The run's own context is over; what is written now has a moment of its own.
	end, done := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer done()
	if err := w.settle(end, err); err != nil && !errors.Is(err, lease.ErrFenced) {
		w.s.Log.ErrorContext(ctx, "cannot end a run; it will be taken over", "run", w.id, "err", err)
	}
	w.s.Log.DebugContext(ctx, "worked on a run", "connector", w.connector, "took_ms", time.Since(began).Milliseconds())
	w.clear(end)
}

// clear drops what the run has staged once it is over. What it does not come to, the connector's next run does.
func (w *work) clear(ctx context.Context) {
	if w.s.KeepStaged {
		return
	}
	err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) error {
		var over bool
		if err := tx.QueryRow(ctx, `select finished_at is not null from sync_run where id = $1`, w.id).
			Scan(&over); err != nil ||
			!over {
			return err
		}
		return staging.Clear(ctx, tx, w.connector)
	})
	if err != nil {
		w.s.Log.WarnContext(ctx, "what a run had staged stays until the next one", "run", w.id, "err", err)
	}
}

// guarded turns a panic of a connector into a failed run.
func (w *work) guarded(ctx context.Context) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			w.s.Log.ErrorContext(
				ctx,
				"panic in a run",
				"run",
				w.id,
				"cause",
				fmt.Sprint(cause),
				"stack",
				string(debug.Stack()),
			)
			err = errors.New("a fault of our own stopped the run")
		}
	}()
	return w.goOn(ctx)
}

// goOn does what is left of the run: read, weigh, merge and remove, and draw what follows.
func (w *work) goOn(ctx context.Context) error {
	switch {
	case w.cancelled:
		return errCancelled
	case w.died >= maxDeaths:
		return diedTwice()
	case w.failures > maxFailures:
		return &v1.ErrorDetail{
			Class: v1.ClassInternal,
			Code:  "attempts_used_up",
			Message: fmt.Sprintf(
				"%d attempts did not move this run on; what was merged stays, nothing was removed",
				maxFailures,
			),
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	err := w.stages(ctx, stop)
	if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

func (w *work) stages(ctx context.Context, stop context.CancelCauseFunc) error {
	err := w.s.DB.As(ctx, w.v, func(tx *pg.Tx) (err error) {
		if w.target, err = w.s.Connectors.Open(ctx, tx, w.connector); err != nil {
			return err
		}
		w.Kinds = reading.Kinds(w.target.Purpose)
		w.mapper, _, err = w.s.Fields.Mapper(ctx, tx, w.connector)
		return err
	})
	if err != nil {
		return err
	}
	if w.streams && !w.evaluated {
		return w.stream(ctx, stop)
	}
	if !w.Ended {
		if err := w.readTarget(ctx, nil); err != nil {
			return err
		}
		crashpoint.Reach("read.ended")
	}
	if over, err := w.evaluate(ctx); err != nil || over {
		return err
	}
	crashpoint.Reach("evaluated")
	if err := w.look(ctx); err != nil {
		return err
	}
	if err := w.enter(ctx, syncrun.Applying, "apply"); err != nil {
		return err
	}
	if err := w.startMerging(ctx, stop).Finish(true); err != nil {
		return err
	}
	return w.conclude(ctx)
}

// stream is a connector's first load: it merges behind the reading, since there is nothing yet that could be changed or
// removed.
func (w *work) stream(ctx context.Context, stop context.CancelCauseFunc) (err error) {
	m := w.startMerging(ctx, stop)
	m.More()
	if !w.Ended {
		err = w.readTarget(ctx, m)
		crashpoint.Reach("read.ended")
	}
	if err == nil {
		err = w.enter(ctx, syncrun.Applying, "apply")
	}
	if merged := m.Finish(err == nil); err == nil {
		err = merged
	}
	if err != nil {
		return err
	}
	if err := w.prove(ctx); err != nil {
		return err
	}
	return w.conclude(ctx)
}

func (w *work) startMerging(ctx context.Context, stop context.CancelCauseFunc) *merge.Pipeline {
	m := &merge.Pipeline{Chunks: w, Behind: w.streams, Alone: w.attempt > 1}
	m.Start(ctx, stop)
	return m
}

// clean is true when every record that was read could be used.
func (w *work) clean() bool {
	c := w.count.Totals()
	return c.Skipped == 0
}
