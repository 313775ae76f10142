package session

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/protocol/wire"
)

const (
	writeTimeout = 30 * time.Second
	closeTimeout = time.Second // for the other end to answer a close frame
	firstRead    = 2 << 10     // most messages are smaller than this
	secondRead   = 64 << 10    // and of the others all but chunks are smaller than this
)

// Socket makes a wire.Socket of a websocket. It knows when the other end was heard last, be it by a pong.
type Socket struct {
	// Host is the control plane's, as the request named it.
	Host string

	ws     *websocket.Conn
	silent time.Duration
	large  int // size of the last message beyond secondRead; only the reader touches it

	mu       sync.Mutex
	asked    map[string]chan struct{} // by the text of a ping: who waits for its pong
	heard    time.Time
	deadline time.Time
	closed   bool
	done     chan struct{}
}

// NewSocket takes over a websocket whose handshake is done. host is the one that the request of the handshake named.
// The caller reads messages until the first error, and then calls Drain.
func NewSocket(ws *websocket.Conn, host string, t agents.Timing) *Socket {
	s := &Socket{Host: host, ws: ws, silent: t.Silent, done: make(chan struct{})}
	ws.SetReadLimit(wire.HardMaxFrame)
	ws.SetPongHandler(func(text string) error {
		s.alive()
		s.answered(text)
		return nil
	})
	ws.SetPingHandler(func(text string) error {
		s.alive()
		// A pong that cannot be sent shows when reading fails.
		_ = ws.WriteControl(websocket.PongMessage, []byte(text), time.Now().Add(writeTimeout))
		return nil
	})
	s.alive()
	go s.keepAlive(t.Ping)
	return s
}

// alive notes that the other end was heard. The read deadline moves at most once a second.
func (s *Socket) alive() {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = now
	if want := now.Add(s.silent); !s.closed && want.Sub(s.deadline) > min(time.Second, s.silent/10) {
		s.deadline = want
		_ = s.ws.SetReadDeadline(want) // fails only on a connection that is gone, which reading reports
	}
}

// lastHeard is when anything at all came from the other end.
func (s *Socket) lastHeard() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard
}

func (s *Socket) ping() {
	// A ping that cannot be sent shows by the silence that follows.
	_ = s.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeTimeout))
}

// ask sends a ping that no other looks like. answered is closed when its pong has come.
func (s *Socket) ask() (answered <-chan struct{}, forget func()) {
	text, done := rand.Text(), make(chan struct{})
	s.mu.Lock()
	if s.asked == nil {
		s.asked = map[string]chan struct{}{}
	}
	s.asked[text] = done
	s.mu.Unlock()
	// A ping that cannot be sent shows by the silence that follows.
	_ = s.ws.WriteControl(websocket.PingMessage, []byte(text), time.Now().Add(writeTimeout))
	return done, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.asked, text)
	}
}

func (s *Socket) answered(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if done := s.asked[text]; done != nil {
		close(done)
		delete(s.asked, text)
	}
}

func (s *Socket) keepAlive(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.ping()
		case <-s.done:
			return
		}
	}
}

// ReadMessage returns the next text message in memory of its own.
func (s *Socket) ReadMessage() ([]byte, error) {
	kind, r, err := s.ws.NextReader()
	if err != nil {
		return nil, readError(err)
	}
	if kind != websocket.TextMessage {
		_ = s.Close(websocket.CloseUnsupportedData, "text frames only")
		return nil, &wire.CloseError{Code: websocket.CloseUnsupportedData, Reason: "text frames only"}
	}
	msg := make([]byte, 0, firstRead)
	for {
		if len(msg) == cap(msg) {
			msg = s.grow(msg)
		}
		n, err := r.Read(msg[len(msg):cap(msg)])
		msg = msg[:len(msg)+n]
		s.alive()
		if errors.Is(err, io.EOF) {
			if len(msg) > secondRead {
				s.large = len(msg)
			}
			return msg, nil
		}
		if err != nil {
			return nil, readError(err)
		}
	}
}

// grow makes room. Chunks of a run are of much the same size, so after the first one little is copied.
func (s *Socket) grow(msg []byte) []byte {
	size := secondRead
	if cap(msg) >= secondRead {
		size = max(2*cap(msg), s.large+s.large/8)
	}
	bigger := make([]byte, len(msg), size)
	copy(bigger, msg)
	return bigger
}

func readError(err error) error {
	var closed *websocket.CloseError
	var ne net.Error
	switch {
	case errors.As(err, &closed):
		return &wire.CloseError{Code: closed.Code, Reason: closed.Text}
	case errors.Is(err, websocket.ErrReadLimit):
		return fmt.Errorf("%w: at most %d bytes are read", wire.ErrTooLarge, wire.HardMaxFrame)
	case errors.As(err, &ne) && ne.Timeout():
		return &wire.CloseError{Code: wire.CloseSilent, Reason: "nothing heard"}
	}
	return err
}

// WriteMessage sends a text message.
func (s *Socket) WriteMessage(msg []byte) error {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return wire.ErrClosed
	}
	if err := s.ws.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	return s.ws.WriteMessage(websocket.TextMessage, msg)
}

// Close sends a close frame and gives the other end a moment to answer it, so that it learns the code: a connection
// torn down at once would take the frame with it. Drain ends the connection.
func (s *Socket) Close(code int, reason string) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.done)
	until := time.Now().Add(closeTimeout)
	// The write deadline frees a writer that waits for an end which does not read.
	err := errors.Join(s.ws.SetReadDeadline(until), s.ws.NetConn().SetWriteDeadline(until))
	s.mu.Unlock()
	if code == websocket.CloseNoStatusReceived || code == websocket.CloseAbnormalClosure {
		return err // these tell of a connection that is gone already and are never sent (RFC 6455 section 7.4.1)
	}
	return errors.Join(
		err,
		s.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), until),
	)
}

// Drain reads what is still under way until the other end has closed too, and ends the connection. The reader calls it
// last.
func (s *Socket) Drain() {
	_ = s.Close(wire.Going, "")
	for {
		_, r, err := s.ws.NextReader()
		if err != nil {
			break
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			break
		}
	}
	_ = s.ws.Close()
}
