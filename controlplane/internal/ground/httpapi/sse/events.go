package sse

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Events sends server-sent events (WHATWG HTML, section 9.2).
type Events struct {
	ctx huma.Context
	rc  *http.ResponseController
	n   int
}

// New sends events as the body of the answer to the request of this context.
func New(ctx huma.Context) *Events { return &Events{ctx: ctx} }

// Send writes one event and flushes it. id lets a client continue after a cut through Last-Event-ID; empty: a running
// number.
func (e *Events) Send(event, id string, data any) error {
	b, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	e.n++
	if id == "" {
		id = fmt.Sprint(e.n)
	}
	if _, err := fmt.Fprintf(e.ctx.BodyWriter(), "event: %s\nid: %s\ndata: %s\n\n", event, id, b); err != nil {
		return err
	}
	return e.flush()
}

// Ping keeps intermediaries from closing a quiet stream.
func (e *Events) Ping() error {
	if _, err := e.ctx.BodyWriter().Write([]byte(": ping\n\n")); err != nil {
		return err
	}
	return e.flush()
}

func (e *Events) flush() error {
	if e.rc == nil {
		w, ok := e.ctx.BodyWriter().(http.ResponseWriter)
		if !ok {
			return nil
		}
		e.rc = http.NewResponseController(w)
	}
	// A stream outlives the server's write timeout, which is meant for ordinary answers.
	_ = e.rc.SetWriteDeadline(time.Now().Add(30 * time.Second))
	return e.rc.Flush()
}
