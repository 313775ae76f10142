package link

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"github.com/grantwright/grantwright/protocol/wire"
)

const (
	writeTimeout   = 60 * time.Second // a frame of 4 MiB over a line of 64 KiB/s
	controlTimeout = 5 * time.Second
	closeTimeout   = 2 * time.Second // for the other end to answer a close frame
	unsupported    = 1003            // RFC 6455 section 7.4.1: unsupported data
)

// socket is a wire.Socket over a websocket.
type socket struct {
	ws   *websocket.Conn
	pace Pace
	// pingDone is closed with the connection, and ends ping.
	pingDone chan struct{}
	once     sync.Once
}

// newSocket takes over ws and begins to send pings.
func newSocket(ws *websocket.Conn, pace Pace) *socket {
	s := &socket{ws: ws, pace: pace, pingDone: make(chan struct{})}
	ws.SetReadLimit(wire.HardMaxFrame)
	ws.SetPongHandler(func(string) error { return s.extendDeadline() })
	answer := ws.PingHandler()
	ws.SetPingHandler(func(data string) error {
		if err := s.extendDeadline(); err != nil {
			return err
		}
		return answer(data)
	})
	go s.ping()
	return s
}

// extendDeadline moves the deadline: the other end is alive.
func (s *socket) extendDeadline() error { return s.ws.SetReadDeadline(time.Now().Add(s.pace.Silent)) }

// ping sends websocket pings, which keep idle connections through proxies alive.
func (s *socket) ping() {
	tick := time.NewTicker(s.pace.Ping)
	defer tick.Stop()
	for {
		select {
		case <-s.pingDone:
			return
		case <-tick.C:
			// A connection that cannot be written to is found by its reader.
			_ = s.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(controlTimeout))
		}
	}
}

// ReadMessage implements wire.Socket.
func (s *socket) ReadMessage() ([]byte, error) {
	if err := s.extendDeadline(); err != nil {
		return nil, err
	}
	kind, msg, err := s.ws.ReadMessage()
	switch {
	case err != nil:
		s.end()
		return nil, translate(err)
	case kind != websocket.TextMessage:
		return nil, &wire.CloseError{Code: unsupported, Reason: "only text messages are understood"}
	}
	return msg, nil
}

// translate makes errors of the websocket those of package wire.
func translate(err error) error {
	var closed *websocket.CloseError
	switch {
	case errors.Is(err, websocket.ErrReadLimit):
		return fmt.Errorf("%w: beyond %d bytes", wire.ErrTooLarge, wire.HardMaxFrame)
	case errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure:
		return &wire.CloseError{Code: closed.Code, Reason: closed.Text}
	}
	return err
}

// WriteMessage implements wire.Socket.
func (s *socket) WriteMessage(msg []byte) error {
	if err := s.ws.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return err
	}
	return s.ws.WriteMessage(websocket.TextMessage, msg)
}

// Close implements wire.Socket. The line stays open for a moment, since closing it at once could destroy the close
// frame on its way; the reader ends with the other end's answer.
func (s *socket) Close(code int, reason string) error {
	var err error
	s.once.Do(func() {
		close(s.pingDone)
		err = s.ws.WriteControl(
			websocket.CloseMessage,
			websocket.FormatCloseMessage(code, reason),
			time.Now().Add(controlTimeout),
		)
		time.AfterFunc(closeTimeout, func() { s.ws.Close() })
	})
	return err
}

// end closes the line: nothing more will be read.
func (s *socket) end() {
	s.once.Do(func() { close(s.pingDone) })
	s.ws.Close()
}
