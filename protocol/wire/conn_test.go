package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/grantwright/grantwright/protocol/wire"
	"github.com/grantwright/grantwright/protocol/wire/wiretest"
)

func frame(t *testing.T, s wire.Socket) wire.Frame {
	t.Helper()
	msg, err := s.ReadMessage()
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	f, err := wire.Decode(msg, 0)
	if err != nil {
		t.Fatalf("decode %s: %v", msg, err)
	}
	return f
}

func serve(c *wire.Conn, ctx context.Context, handle func(wire.Frame) error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- c.Serve(ctx, handle) }()
	return done
}

func send(t *testing.T, s wire.Socket, f wire.Frame, body any) {
	t.Helper()
	msg, err := wire.Encode(f, body)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.WriteMessage(msg); err != nil {
		t.Fatal(err)
	}
}

func TestControlFramesOvertakeAcksAndAcksOvertakeChunks(t *testing.T) {
	near, far := wiretest.Pipe()
	c := wire.NewConn(near, 0)
	// Queued before Serve starts the writer, so that the order is the queue's and not chance.
	for _, typ := range []wire.Type{wire.TypeChunk, wire.TypeResult, wire.TypeAck, wire.TypeHeartbeat, wire.TypeChunk} {
		if err := c.Send(wire.Frame{Type: typ}, struct{}{}); err != nil {
			t.Fatal(err)
		}
	}
	done := serve(c, t.Context(), func(wire.Frame) error { return nil })
	want := []wire.Type{wire.TypeHeartbeat, wire.TypeAck, wire.TypeChunk, wire.TypeResult, wire.TypeChunk}
	for i, w := range want {
		if f := frame(t, far); f.Type != w || f.ID == "" || f.TS.IsZero() || f.V != 1 {
			t.Fatalf("frame %d = %+v, want type %s with id, time and version", i, f, w)
		}
	}
	c.Close(wire.CloseDraining, "bye")
	var closed *wire.CloseError
	if err := <-done; !errors.As(err, &closed) || closed.Code != wire.CloseDraining {
		t.Fatalf("Serve = %v, want close code %d", err, wire.CloseDraining)
	}
	if _, err := far.ReadMessage(); !errors.As(err, &closed) || closed.Reason != "bye" {
		t.Fatalf("the far end sees %v, want the code and the reason", err)
	}
	if err := c.Send(wire.Frame{Type: wire.TypeHeartbeat}, nil); !errors.Is(err, wire.ErrClosed) {
		t.Fatalf("Send after Close = %v, want ErrClosed", err)
	}
}

func TestWhatIsQueuedIsWrittenBeforeTheClose(t *testing.T) {
	near, far := wiretest.Pipe()
	c := wire.NewConn(near, 0)
	if err := c.Send(wire.Frame{Type: wire.TypeGoaway}, wire.Goaway{Reason: "restart"}); err != nil {
		t.Fatal(err)
	}
	c.Close(wire.CloseDraining, "")
	done := serve(c, t.Context(), func(wire.Frame) error { return nil })
	if f := frame(t, far); f.Type != wire.TypeGoaway {
		t.Fatalf("got %s, want goaway", f.Type)
	}
	<-done
}

func TestAnUnknownTypeIsAnsweredUnlessItIsOptional(t *testing.T) {
	near, far := wiretest.Pipe()
	c := wire.NewConn(near, 0)
	seen := make(chan wire.Type, 9)
	done := serve(c, t.Context(), func(f wire.Frame) error { seen <- f.Type; return nil })
	send(t, far, wire.Frame{Type: "from.the.future", ID: "a", Opt: true}, nil)
	send(t, far, wire.Frame{Type: "from.the.future", ID: "b"}, nil)
	send(t, far, wire.Frame{Type: wire.TypeDrain, ID: "c"}, nil)
	f := frame(t, far)
	body, err := wire.DecodeBody[wire.ErrorBody](f)
	if err != nil || f.Type != wire.TypeError || f.Re != "b" || body.Code != "unknown_type" {
		t.Fatalf("answer = %+v %+v %v, want error unknown_type re b", f, body, err)
	}
	if typ := <-seen; typ != wire.TypeDrain {
		t.Fatalf("the handler saw %s, want drain alone", typ)
	}
	far.Cut()
	if err := <-done; !errors.Is(err, wiretest.ErrCut) {
		t.Fatalf("Serve = %v, want the cut", err)
	}
}

func TestABadFrameClosesTheConnectionWithItsCode(t *testing.T) {
	for _, tt := range []struct {
		msg  string
		code int
	}{
		{`hello`, wire.CloseProtocol},
		{`{"v":2,"type":"hello"}`, wire.CloseVersion},
		{`{"v":1,"type":"hello","body":"` + string(make([]byte, wire.DefaultMaxFrame)) + `"}`, wire.CloseTooLarge},
	} {
		near, far := wiretest.Pipe()
		done := serve(wire.NewConn(near, 0), t.Context(), func(wire.Frame) error { return nil })
		if err := far.WriteMessage([]byte(tt.msg)); err != nil {
			t.Fatal(err)
		}
		var closed *wire.CloseError
		if _, err := far.ReadMessage(); !errors.As(err, &closed) || closed.Code != tt.code {
			t.Errorf("after %.30q the far end sees %v, want code %d", tt.msg, err, tt.code)
		}
		if err := <-done; err == nil {
			t.Errorf("Serve ended without an error after %.30q", tt.msg)
		}
	}
}

func TestAHandlersErrorSaysHowToClose(t *testing.T) {
	near, far := wiretest.Pipe()
	done := serve(wire.NewConn(near, 0), t.Context(), func(wire.Frame) error {
		return fmt.Errorf("hello refused: %w", &wire.CloseError{Code: wire.CloseRevoked, Reason: "revoked"})
	})
	send(t, far, wire.Frame{Type: wire.TypeHello}, nil)
	var closed *wire.CloseError
	if _, err := far.ReadMessage(); !errors.As(err, &closed) || closed.Code != wire.CloseRevoked {
		t.Fatalf("the far end sees %v, want %d", err, wire.CloseRevoked)
	}
	if err := <-done; err == nil {
		t.Fatal("Serve ended without an error")
	}
}

func TestTheEndOfTheContextClosesTheConnection(t *testing.T) {
	near, far := wiretest.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := serve(wire.NewConn(near, 0), ctx, func(wire.Frame) error { return nil })
	cancel()
	var closed *wire.CloseError
	if err := <-done; !errors.As(err, &closed) || closed.Code != wire.Going {
		t.Fatalf("Serve = %v, want code %d", err, wire.Going)
	}
	if _, err := far.ReadMessage(); !errors.As(err, &closed) || closed.Code != wire.Going {
		t.Fatalf("the far end sees %v, want %d", err, wire.Going)
	}
}

func TestAPeerThatDoesNotReadIsCutOff(t *testing.T) {
	near, _ := wiretest.Pipe()
	c := wire.NewConn(near, 0)
	done := serve(c, t.Context(), func(wire.Frame) error { return nil })
	var err error
	for range 10000 {
		if err = c.Send(wire.Frame{Type: wire.TypeHeartbeat, TS: time.Now()}, json.RawMessage(`{}`)); err != nil {
			break
		}
	}
	if !errors.Is(err, wire.ErrClosed) {
		t.Fatalf("Send = %v, want ErrClosed once the queue is full", err)
	}
	near.Cut() // what the adapter's write deadline does to a real socket
	<-done
}

// closedByPeer is a socket whose peer has closed: a write fails, and reading gives the peer's close code after that.
type closedByPeer struct{ wrote chan struct{} }

func (s closedByPeer) ReadMessage() ([]byte, error) {
	<-s.wrote
	return nil, &wire.CloseError{Code: wire.CloseRevoked, Reason: "revoked"}
}

func (s closedByPeer) WriteMessage([]byte) error {
	defer close(s.wrote)
	return errors.New("close sent")
}

func (s closedByPeer) Close(int, string) error { return nil }

func TestThePeersCloseCodeIsKeptWhenAWriteFailsBecauseOfIt(t *testing.T) {
	for range 100 {
		c := wire.NewConn(closedByPeer{wrote: make(chan struct{})}, 0)
		if err := c.Send(wire.Frame{Type: wire.TypeHeartbeat}, struct{}{}); err != nil {
			t.Fatal(err)
		}
		err := c.Serve(t.Context(), func(wire.Frame) error { return nil })
		var closed *wire.CloseError
		if !errors.As(err, &closed) || closed.Code != wire.CloseRevoked {
			t.Fatalf("Serve = %v; want the close code %d of the peer", err, wire.CloseRevoked)
		}
	}
}
