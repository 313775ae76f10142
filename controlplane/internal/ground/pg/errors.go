package pg

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
)

// Translate turns the driver's errors into faults where the caller can act on them. Others pass unchanged.
func Translate(err error) error {
	if err == nil {
		return nil
	}
	var f *fault.Fault
	if errors.As(err, &f) {
		return err
	}
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return translateServer(err, pe)
	}
	if unreachable(err) {
		return unavailable(err)
	}
	return err
}

func translateServer(err error, pe *pgconn.PgError) error {
	switch pe.Code {
	case "22P05", "22021":
		return wrap(
			err,
			fault.Coded(
				fault.Malformed,
				"invalid_encoding",
				"a text holds a character that cannot be stored, such as NUL",
			),
		)
	case "57014", "55P03":
		return overloaded(err, "the request took too long and was stopped; narrow it or try again")
	case "57P01", "57P02", "57P03", "08006", "08003", "53300":
		return unavailable(err)
	}
	return err
}

// unreachable reports whether the connection could not be made, was found closed when something was to be sent, or
// broke.
func unreachable(err error) bool {
	var ce *pgconn.ConnectError
	var ne net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return false
	case errors.As(err, &ce):
		return true
	case errors.Is(err, context.DeadlineExceeded):
		return false
	}
	return errors.As(err, &ne) || pgconn.SafeToRetry(err) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed)
}

func unavailable(err error) error {
	f := fault.Coded(fault.Unavailable, "database_unavailable", "the database does not answer; try again in a moment")
	f.RetryAfter = 2 * time.Second
	return wrap(err, f)
}

func busy(cause error) error {
	return overloaded(cause, "the database is busy with what others ask; try again in a moment")
}

// overloaded asks callers to retry after a moment, each after another one, so that they do not come back together.
func overloaded(cause error, why string) error {
	f := fault.Coded(fault.Unavailable, "temporarily_overloaded", "%s", why)
	f.RetryAfter = time.Duration(1+rand.IntN(5)) * time.Second
	return wrap(cause, f)
}

// wrap keeps the cause for the log and the fault for the reader.
func wrap(cause error, f *fault.Fault) error { return fmt.Errorf("%w (%w)", f, cause) }

// Violates reports whether err is a violation of the named constraint or unique index.
func Violates(err error, constraint string) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && pe.ConstraintName == constraint
}
