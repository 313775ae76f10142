package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// Socket carries text messages both ways. An adapter wraps a websocket in it; wiretest.Pipe makes one in memory.
//
// ReadMessage is called by one goroutine at a time, WriteMessage by another one at a time, Close by any at any time.
// The adapter sends pings every PingInterval, fails ReadMessage once nothing at all was heard for ReadTimeout, bounds
// the size of a message by SetReadLimit, refuses binary messages with close code 1003, and gives writes a deadline.
type Socket interface {
	// ReadMessage returns the next message, which belongs to the caller. After the peer has closed, the error is a
	// *CloseError.
	ReadMessage() ([]byte, error)
	WriteMessage(msg []byte) error
	// Close sends a close frame where that is still possible and ends the connection; ReadMessage and WriteMessage then
	// fail soon. Further calls do nothing.
	Close(code int, reason string) error
}

// CloseError is the code with which a connection was closed, by either end.
type CloseError struct {
	Code   int
	Reason string
}

// Error says the code and, if there is one, the reason.
func (e *CloseError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("connection closed with code %d", e.Code)
	}
	return fmt.Sprintf("connection closed with code %d: %s", e.Code, e.Reason)
}

// Going is the close code of an end that stops in an orderly way (RFC 6455 section 7.4.1: going away).
const Going = 1001

// ErrClosed is returned by Send after the connection has ended or was closed.
var ErrClosed = errors.New("connection closed")

// maxQueued bounds the frames that wait to be written. Chunks are bounded by credit long before; a peer behind which
// thousands of small frames pile up has stopped reading.
const maxQueued = 4096

// Conn sends and receives frames over a Socket. Send may be called by any goroutine; one writer sends what is queued,
// control frames before acks before chunks and results, each kind in the order given. Serve must be called exactly
// once.
type Conn struct {
	// Now stamps frames that carry no time yet.
	Now func() time.Time

	socket Socket
	max    int // largest message accepted, in bytes

	mu      sync.Mutex
	wake    *sync.Cond
	lanes   [3][]message
	closing *CloseError // set once: no more frames are accepted
	failed  bool        // closing was set because a frame could not be written
	stopped bool        // the socket is gone: what is queued is dropped
}

// message is an encoded frame; sent is called when it was written.
type message struct {
	data []byte
	sent func() // may be nil
}

// NewConn wraps s. maxFrame bounds received messages in bytes; 0 means DefaultMaxFrame.
func NewConn(s Socket, maxFrame int) *Conn {
	if maxFrame <= 0 {
		maxFrame = DefaultMaxFrame
	}
	c := &Conn{Now: time.Now, socket: s, max: min(maxFrame, HardMaxFrame)}
	c.wake = sync.NewCond(&c.mu)
	return c
}

// Send queues a frame; ID and TS are filled in where they are empty. It does not wait for the network. An error other
// than ErrClosed means that the frame cannot be encoded.
func (c *Conn) Send(f Frame, body any) error {
	if f.TS.IsZero() {
		f.TS = c.Now()
	}
	if f.ID == "" {
		f.ID = NewID(f.TS)
	}
	data, err := Encode(f, body)
	if err != nil {
		return err
	}
	return c.SendEncoded(f.Type, data, nil)
}

// SendEncoded queues a frame that Encode has made, such as a chunk that is kept for sending again. sent, when not nil,
// is called by the writer after the frame has left; it must not block. data must not change afterwards.
func (c *Conn) SendEncoded(t Type, data []byte, sent func()) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing != nil {
		return ErrClosed
	}
	l := lane(t)
	if len(c.lanes[l]) >= maxQueued {
		c.closeLocked(CloseSilent, "the other end does not read")
		return ErrClosed
	}
	c.lanes[l] = append(c.lanes[l], message{data: data, sent: sent})
	c.wake.Signal()
	return nil
}

// Close ends the connection after what is queued has been written. It returns at once; Serve returns when it is done.
func (c *Conn) Close(code int, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closeLocked(code, reason)
}

// closeLocked begins the end of the connection. The first reason counts.
func (c *Conn) closeLocked(code int, reason string) {
	if c.closing == nil {
		c.closing = &CloseError{Code: code, Reason: reason}
	}
	c.wake.Signal()
}

// Serve reads frames and calls handle for each, one after the other, until the connection ends, handle fails or ctx
// ends. handle must not block: other frames wait behind it. It never sees a frame of unknown type: that is answered
// with an error frame, or ignored when the frame says so.
//
// The error is why it ended: a *CloseError when either end closed on purpose (this end's own code included),
// handle's error, or the socket's. When handle fails the connection is closed with CloseCode of its error, unless the
// error is or wraps a *CloseError, which says the code itself.
func (c *Conn) Serve(ctx context.Context, handle func(Frame) error) error {
	stop := context.AfterFunc(ctx, func() { c.Close(Going, "shutting down") })
	defer stop()
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write()
	}()
	err := c.read(handle)
	c.mu.Lock()
	own := c.closing
	var peer *CloseError
	if c.failed && errors.As(err, &peer) {
		own = nil // the peer's close is why the frame could not be written, and says more
	}
	code, reason := closing(err)
	c.closeLocked(code, reason)
	c.mu.Unlock()
	<-written
	if own != nil {
		return own
	}
	return err
}

// closing says how to close after reading has ended with err.
func closing(err error) (code int, reason string) {
	var closed *CloseError
	if errors.As(err, &closed) {
		return closed.Code, closed.Reason
	}
	return CloseCode(err), reasonOf(err)
}

// reasonOf cuts an error to what a close frame can carry (RFC 6455 section 5.5: 125 bytes with the code).
func reasonOf(err error) string {
	s := err.Error()
	return strings.ToValidUTF8(s[:min(len(s), 120)], "")
}

// read decodes frames and hands them to handle, one after the other, until the connection ends. Its
// error is never nil. Frames of unknown type are refused and do not end it.
func (c *Conn) read(handle func(Frame) error) error {
	for {
		msg, err := c.socket.ReadMessage()
		if err != nil {
			c.abandon()
			// A writer that waits for a dead peer must not hold up the end.
			_ = c.socket.Close(closing(err))
			return err
		}
		f, err := Decode(msg, c.max)
		if err != nil {
			return err
		}
		if !f.Type.Known() {
			c.refuse(f)
			continue
		}
		if err := handle(f); err != nil {
			return err
		}
	}
}

// refuse answers a frame of unknown type.
func (c *Conn) refuse(f Frame) {
	if f.Opt {
		return
	}
	// A connection that is closing needs no answer, and this frame can always be encoded.
	_ = c.Send(Frame{Type: TypeError, Re: f.ID, Task: f.Task}, ErrorBody{
		Code: "unknown_type", Message: fmt.Sprintf("frames of type %q are not known here", f.Type),
	})
}

// abandon drops what is queued: the socket has failed.
func (c *Conn) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	c.wake.Signal()
}

// failWrite ends the connection because a frame could not be written.
func (c *Conn) failWrite(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped, c.failed = true, c.closing == nil
	c.closeLocked(CloseSilent, "cannot write: "+reasonOf(err))
}

// write sends what is queued until the connection is closed, then closes the socket.
func (c *Conn) write() {
	for {
		m, ok := c.next()
		if !ok {
			break
		}
		if err := c.socket.WriteMessage(m.data); err != nil {
			c.failWrite(err)
			break
		}
		if m.sent != nil {
			m.sent()
		}
	}
	c.mu.Lock()
	end := *c.closing
	c.mu.Unlock()
	// The connection is over either way; a close frame that cannot be sent changes nothing.
	_ = c.socket.Close(end.Code, end.Reason)
}

// next waits for the most urgent message. It reports false when there will be none.
func (c *Conn) next() (message, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for i := range c.lanes {
			if q := c.lanes[i]; len(q) > 0 && !c.stopped {
				m := q[0]
				q[0] = message{}
				c.lanes[i] = q[1:]
				return m, true
			}
		}
		if c.closing != nil {
			return message{}, false
		}
		c.wake.Wait()
	}
}

// lane is the urgency of a type of frame, 0 the highest. Chunks and results share one, so that a result never overtakes
// the chunks it counts.
func lane(t Type) int {
	switch t {
	case TypeChunk, TypeResult:
		return 2
	case TypeAck:
		return 1
	default:
		return 0
	}
}
