package syncrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// work is one attempt at a run.
type work struct {
	s           *Service
	v           viewer.Viewer
	id          string
	connector   string
	attempt     int
	failures    int // attempts since the run last moved on, with this one
	died        int // processes that died in the run since it last moved on
	resumes     int
	round       int // how often the run was held before
	chunkSize   int
	maxRecords  *int
	continues   *string // limited run whose reading this one continues
	incremental bool    // asked for
	preview     bool
	callback    *string
	cancelled   bool // asked for before the work began
	firstLoad   bool
	crowded     bool // more grants would be inherited than may be
	streams     bool // merges behind the reading
	readEnded   bool
	evaluated   bool
	unleased    bool // ends a run that nobody works on
	cancel      context.CancelCauseFunc
	target      connector.Opened
	mapper      *mapping.Mapper
	ask         ask
	position    *position
	settings    []byte // of the reading
	settingsNow []byte
	merged      map[string]bool // parts that are merged, by key; read only once the work has begun
	known       known
	open        int64        // grants that named somebody, or something, that was not there when all was merged
	openOwners  [2]ownerless // of accounts and of entitlements, whose target system names an owner who is not known
	watch       watch

	mu         sync.Mutex
	seq        int   // last chunk committed
	sizes      []int // records of each committed chunk
	tally      tally
	aside      int
	complete   map[string]bool
	capped     bool
	anew       bool // the connector could not go on from its checkpoint
	warnings   []v1.Warning
	mark       *time.Time
	estimate   *v1.Estimate
	checkpoint string
	cursor     string
	read       *v1.Read // as the connector says; nil: it said nothing
	effective  v1.Read  // as taken for
	fallback   string
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
		Incremental:     w.effective.Incremental,
		Complete:        w.complete,
		Clean:           !w.capped && w.clean(),
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
	if err := w.settle(end, err); err != nil && !errors.Is(err, errFenced) {
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
		return forget(ctx, tx, w.connector)
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
		w.mapper, _, err = w.s.Fields.Mapper(ctx, tx, w.connector)
		return err
	})
	if err != nil {
		return err
	}
	if w.streams && !w.evaluated {
		return w.stream(ctx, stop)
	}
	if !w.readEnded {
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
	if err := w.startMerger(ctx, stop).finish(ctx, true); err != nil {
		return err
	}
	return w.conclude(ctx)
}

// stream is a connector's first load: it merges behind the reading, since there is nothing yet that could be changed or
// removed.
func (w *work) stream(ctx context.Context, stop context.CancelCauseFunc) (err error) {
	m := w.startMerger(ctx, stop)
	m.more()
	if !w.readEnded {
		err = w.readTarget(ctx, m)
		crashpoint.Reach("read.ended")
	}
	if merged := m.finish(ctx, err == nil); err == nil {
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

// settle writes how the attempt ended.
func (w *work) settle(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, errFenced):
		return w.alive(ctx)
	case err == nil:
		return nil
	case errors.Is(err, errStopping):
		return w.handBack(ctx, 0, true)
	case errors.Is(err, errCancelled):
		return w.end(
			ctx,
			Cancelled,
			&v1.ErrorDetail{
				Class:   v1.ClassCancelled,
				Code:    "cancelled",
				Message: "the run was cancelled; what had been merged stays",
			},
		)
	}
	if lost(err) && w.failures < maxFailures {
		w.s.Log.WarnContext(ctx, "the database was away; the run goes on when it is back", "run", w.id, "err", err)
		return w.handBack(ctx, pause(w.failures), false)
	}
	detail := dispatch.Detail(err)
	if detail.Class == v1.ClassInternal {
		w.s.Log.ErrorContext(ctx, "a run failed", "run", w.id, "err", err)
	}
	if w.again(detail) {
		return w.handBack(ctx, w.pauseAfter(detail), false)
	}
	return w.end(ctx, Failed, detail)
}

// codeDied is the error of a run in which process after process has died.
const codeDied = "process_died"

// diedTwice ends such a run instead of trying it again: what it reads probably takes more memory than there is, and
// every other run of the process would end with it.
func diedTwice() *v1.ErrorDetail {
	return &v1.ErrorDetail{
		Class: v1.ClassInternal,
		Code:  codeDied,
		Message: fmt.Sprintf(
			"The process that worked on this run ended unexpectedly %d times without progress, so the run is not "+
				"tried again.",
			maxDeaths,
		),
		Hint: "See the log of the control plane for the reason, such as a lack of memory. Then clear the quarantine " +
			"of the connector and run the " +
			"sync again. What was merged stays; nothing was removed.",
	}
}

func died(cause *v1.ErrorDetail) bool { return cause != nil && cause.Code == codeDied }

// lost reports whether the database went away under the work, rather than refuse something. What the target does wrong
// is told by the connector in words of its own.
func lost(err error) bool {
	var target *v1.ErrorDetail
	if errors.As(err, &target) {
		return false
	}
	return fault.Is(err, fault.Unavailable) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, net.ErrClosed) ||
		pgconn.SafeToRetry(err)
}

// again reports whether another attempt may succeed: the agent has gone, the target asks for patience, or the
// connection broke after it had worked. A target that was never reached is more likely misconfigured, and its error is
// told at once.
func (w *work) again(d *v1.ErrorDetail) bool {
	if w.failures >= maxFailures {
		return false
	}
	switch d.Class {
	case v1.ClassAgentUnavailable:
		return true
	case v1.ClassTransient, v1.ClassRateLimited:
		return w.seq > 0 || d == errStuck
	}
	return false
}

// pauseAfter is how long to wait before the next attempt: as long as the target asks for, or longer after each failure.
func (w *work) pauseAfter(d *v1.ErrorDetail) time.Duration {
	if d.RetryAfterMS != nil {
		if asked := time.Duration(*d.RetryAfterMS) * time.Millisecond; asked > 0 {
			return min(asked, time.Hour)
		}
	}
	return pause(w.failures)
}

// pause grows by two seconds with each failure, and is spread so that many runs do not come back at one moment.
func pause(failures int) time.Duration {
	d := time.Duration(failures) * 2 * time.Second
	return d - time.Duration(rand.Int64N(int64(d)/4+1))
}
