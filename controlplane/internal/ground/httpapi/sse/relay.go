package sse

import (
	"context"
	"errors"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// signOfLife is how long a stream is quiet at most.
const signOfLife = 10 * time.Second

// Relay runs work and sends its events as one kind, then its outcome as result, or as error with a code.
// work may send from any goroutine, and even after its end, without a reader. A reader that is too slow gets
// the outcome alone; log hears of an error.
func Relay[T, R any](
	ctx context.Context,
	e *Events,
	kind string,
	work func(tell func(T)) (R, error),
	log func(ctx context.Context, err error),
) error {
	type outcome struct {
		answer R
		err    error
	}
	told, done := make(chan T, 64), make(chan outcome, 1)
	go func() {
		answer, err := work(func(t T) {
			select {
			case told <- t:
			default:
			}
		})
		done <- outcome{answer, err}
	}()
	alive := time.NewTicker(signOfLife)
	defer alive.Stop()
	if err := e.Ping(); err != nil {
		return err
	}
	for {
		select {
		case t := <-told:
			if err := e.Send(kind, "", t); err != nil {
				return err
			}
		case <-alive.C:
			if err := e.Ping(); err != nil {
				return err
			}
		case o := <-done:
			for len(told) > 0 { // events before the end
				if err := e.Send(kind, "", <-told); err != nil {
					return err
				}
			}
			if o.err != nil {
				log(ctx, o.err)
				return e.Send("error", "", ending(o.err))
			}
			return e.Send("result", "", o.answer)
		}
	}
}

// ending is what a stream says about an error; what is none of the caller's business is named in the log.
func ending(err error) map[string]string {
	var f *fault.Fault
	if !errors.As(err, &f) {
		f = fault.New(fault.Internal, "An internal error occurred. Find its cause in the log by the request ID.")
	}
	return map[string]string{"code": f.Code, "detail": f.Message}
}
