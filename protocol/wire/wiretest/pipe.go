// Package wiretest simulates the remote end of an agent connection in tests: an in-memory pair of sockets, and a
// player of transcripts in place of the agent or the control plane, so that each can be tested without the other.
package wiretest

import (
	"errors"
	"slices"
	"sync"

	"github.com/grantwright/grantwright/protocol/wire"
)

// ErrCut is what reading and writing fail with after Cut.
var ErrCut = errors.New("connection cut")

// Pipe makes two connected sockets. Each direction holds up to 64 messages before writing blocks.
func Pipe() (a, b *End) {
	line := &line{done: make(chan struct{})}
	ab, ba := make(chan []byte, 64), make(chan []byte, 64)
	return &End{line: line, in: ba, out: ab}, &End{line: line, in: ab, out: ba}
}

// End is one end of a Pipe. It is a wire.Socket.
type End struct {
	line *line
	in   <-chan []byte
	out  chan<- []byte
}

// line is what both ends share: whether it has ended, and why.
type line struct {
	once sync.Once
	done chan struct{}
	err  error
}

// end ends the line once; the first reason counts.
func (l *line) end(err error) {
	l.once.Do(func() {
		l.err = err
		close(l.done)
	})
}

// ReadMessage returns the next message. What was written before an orderly close can still be read.
func (e *End) ReadMessage() ([]byte, error) {
	select {
	case m := <-e.in:
		return m, nil
	case <-e.line.done:
	}
	if !errors.Is(e.line.err, ErrCut) {
		select {
		case m := <-e.in:
			return m, nil
		default:
		}
	}
	return nil, e.line.err
}

// WriteMessage sends a copy of msg.
func (e *End) WriteMessage(msg []byte) error {
	select {
	case <-e.line.done:
		return e.line.err
	default:
	}
	select {
	case e.out <- slices.Clone(msg):
		return nil
	case <-e.line.done:
		return e.line.err
	}
}

// Close ends the connection for both ends with a *wire.CloseError.
func (e *End) Close(code int, reason string) error {
	e.line.end(&wire.CloseError{Code: code, Reason: reason})
	return nil
}

// Cut ends the connection as a broken cable does: what is under way is lost and no close code is seen.
func (e *End) Cut() { e.line.end(ErrCut) }
