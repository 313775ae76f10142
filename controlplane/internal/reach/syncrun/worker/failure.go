package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/lease"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// settle writes how the attempt ended.
func (w *work) settle(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, lease.ErrFenced):
		return w.s.DB.As(ctx, w.v, func(tx *pg.Tx) error { return w.lease.Alive(ctx, tx) })
	case err == nil:
		return nil
	case errors.Is(err, errStopping):
		return w.handBack(ctx, 0, true)
	case errors.Is(err, errCancelled):
		return w.end(
			ctx,
			syncrun.Cancelled,
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
	return w.end(ctx, syncrun.Failed, detail)
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

// Why work on a run stops early.
var (
	errCancelled = errors.New("a person cancelled this sync run")
	errStopping  = errors.New("this process is stopping")
	errStuck     = &v1.ErrorDetail{
		Class:     v1.ClassTransient,
		Code:      "no_progress",
		Message:   "the connector showed no sign of progress for too long",
		Retryable: true,
	}
)
