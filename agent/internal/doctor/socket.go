package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"github.com/grantwright/grantwright/agent/internal/dial"
	"github.com/grantwright/grantwright/agent/internal/enroll"
	"github.com/grantwright/grantwright/protocol/wire"
)

// trial is a websocket that says no hello: to the control plane it is no connection of the agent's, so that one that
// works is left alone.
type trial struct {
	ws *websocket.Conn
	// pongs and frames receive what the control plane sends; what is not awaited is dropped.
	pongs  chan string
	frames chan wire.Frame
	ended  chan struct{}
	err    error // after ended
}

// websocket upgrades a connection.
func (e *exam) websocket(ctx context.Context) finding {
	switch {
	case !e.keyed:
		return skip("this host is not enrolled, or its keys cannot be read by this user")
	case e.Now().Add(e.skew).After(e.state.ExpiresAt):
		return skip("the token of this agent has expired; it renews it when it runs")
	}
	d := websocket.Dialer{
		NetDialContext:   e.dialer.DialContext,
		TLSClientConfig:  e.dialer.TLS.Clone(),
		HandshakeTimeout: stepTime,
		Subprotocols:     []string{wire.Subprotocol},
	}
	header := http.Header{
		"Authorization": {"Bearer " + e.state.Token},
		"User-Agent":    {"grantwright-agent/" + e.Version},
	}
	ws, resp, err := d.DialContext(ctx, "ws"+strings.TrimPrefix(e.dialer.Base.String(), "http")+"/api/v1/agent", header)
	switch {
	case errors.Is(err, websocket.ErrBadHandshake) && resp.StatusCode < 300:
		return fail(
			blocked,
			"the request came through, and its wish for a websocket did not: the answer was %s",
			resp.Status,
		)
	case errors.Is(err, websocket.ErrBadHandshake):
		f := refused(enroll.Refusal(resp, e.Now()))
		if f.code == "upgrade_required" {
			f.mend = blocked
		}
		return f
	case err != nil:
		return fail(blocked, "%v", dial.Explain(err))
	case ws.Subprotocol() != wire.Subprotocol:
		ws.Close()
		return fail("Is this the control plane's address?", "it does not speak %s", wire.Subprotocol)
	}
	e.socket = &trial{ws: ws, pongs: make(chan string, 8), frames: make(chan wire.Frame, 8), ended: make(chan struct{})}
	go e.socket.read()
	return pass("upgraded to %s", wire.Subprotocol)
}

// blocked is the advice for websockets that do not come through.
const blocked = "A proxy or load balancer on the way does not let websockets through: have it pass on Upgrade for " +
	"/api/v1/agent."

// read reads until the connection ends. It never blocks on its receivers, so that pings are
// answered.
func (t *trial) read() {
	defer close(t.ended)
	t.ws.SetReadLimit(wire.HardMaxFrame)
	t.ws.SetPongHandler(func(text string) error {
		select {
		case t.pongs <- text:
		default:
		}
		return nil
	})
	for {
		_, msg, err := t.ws.ReadMessage()
		if err != nil {
			t.err = err
			return
		}
		f, err := wire.Decode(msg, wire.HardMaxFrame)
		if err != nil {
			t.err = err
			return
		}
		select {
		case t.frames <- f:
		default:
		}
	}
}

// close ends the connection as an orderly client does.
func (t *trial) close() {
	_ = t.ws.WriteControl(
		websocket.CloseMessage,
		websocket.FormatCloseMessage(websocket.CloseNormalClosure, "tried"),
		time.Now().Add(time.Second),
	)
	select {
	case <-t.ended:
	case <-time.After(time.Second):
	}
	t.ws.Close()
}

// pings is how many pings are sent, one after the other.
const pings = 3

// ping measures the round trip.
func (e *exam) ping(ctx context.Context) finding {
	if e.socket == nil {
		return skip("there is no websocket to ping over")
	}
	var took []time.Duration
	for range pings {
		text := rand.Text()
		began := time.Now()
		if err := e.socket.ws.WriteControl(websocket.PingMessage, []byte(text), time.Now().Add(stepTime)); err != nil {
			return fail(cutOff, "a ping cannot be sent: %v", err)
		}
		if err := e.socket.await(ctx, text); err != nil {
			return fail(cutOff, "%v", err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return pass("a round trip takes %s", took[pings/2].Round(100*time.Microsecond))
}

// cutOff is the advice for a websocket that is cut off.
const cutOff = "Something on the way ends or holds up websockets: look at the idle times and limits of proxies and " +
	"load balancers."

// await waits for the pong with this text.
func (t *trial) await(ctx context.Context, text string) error {
	for {
		select {
		case got := <-t.pongs:
			if got == text {
				return nil
			}
		case <-t.ended:
			return fmt.Errorf("the connection ended: %w", t.err)
		case <-ctx.Done():
			return errors.New("no answer to a ping came")
		}
	}
}

// echo sends a frame of the largest usual size and waits for it to come back.
func (e *exam) echo(ctx context.Context) finding {
	if e.socket == nil {
		return skip("there is no websocket to send over")
	}
	const envelope = 400
	data := strings.Repeat(rand.Text(), wire.DefaultMaxFrame/26)[:wire.DefaultMaxFrame-envelope]
	frame, err := wire.Encode(
		wire.Frame{Type: wire.TypeEcho, ID: wire.NewID(e.Now()), TS: e.Now()},
		wire.Echo{Data: data},
	)
	if err != nil {
		return fail("", "%v", err)
	}
	began := time.Now()
	if err := e.socket.ws.WriteMessage(websocket.TextMessage, frame); err != nil {
		return fail(cutOff, "a frame of 1 MiB cannot be sent: %v", err)
	}
	select {
	case f := <-e.socket.frames:
		back, err := wire.DecodeBody[wire.Echo](f)
		switch {
		case f.Type != wire.TypeEcho || err != nil:
			return fail(
				"Is the control plane older than this agent? Ask its administrator.",
				"a frame of type %s came back",
				f.Type,
			)
		case back.Data != data:
			return fail(cutOff, "a frame of 1 MiB came back changed")
		}
	case <-e.socket.ended:
		return fail(cutOff, "the connection ended while a frame of 1 MiB was under way: %v", e.socket.err)
	case <-ctx.Done():
		return fail(cutOff, "a frame of 1 MiB did not come back within %s", stepTime)
	}
	return pass("a frame of 1 MiB came back in %s", time.Since(began).Round(time.Millisecond))
}
