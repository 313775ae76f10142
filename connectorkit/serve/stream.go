package serve

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// lineBytes is about how long a line of a stream gets, well below what a caller takes.
const lineBytes = 512 << 10

// stream serves the Sync of a Connector: one SyncResponse a line, cut as the service itself cuts them. An error after
// the first line is a line too.
func (h *Handler) stream(w http.ResponseWriter, r *http.Request, body []byte) {
	req, ok := read[v1.SyncRequest](w, body)
	if !ok {
		return
	}
	s := &stream{w: w, control: http.NewResponseController(w)}
	// A long read is no slow client.
	_ = s.control.SetReadDeadline(time.Time{})
	_ = s.control.SetWriteDeadline(time.Time{})
	ctx, stop := context.WithCancel(r.Context())
	defer stop()
	done := s.keepAlive(ctx, h.heartbeat())
	err := connectorkit.Sync(
		ctx,
		h.Connector,
		req,
		connectorkit.LimitsOf(req, lineBytes),
		func(_ context.Context, page v1.SyncResponse) error {
			return s.line(page)
		},
	)
	stop()
	<-done
	if err == nil || r.Context().Err() != nil {
		return // the caller has gone
	}
	detail := h.detail(r.Context(), err)
	out := v1.SyncResponse{Error: &detail.Message, ErrorDetail: detail}
	out.Normalize()
	_ = s.line(out)
}

// heartbeat is how often an empty line is sent while nothing else is.
func (h *Handler) heartbeat() time.Duration {
	if h.Heartbeat > 0 {
		return h.Heartbeat
	}
	return 15 * time.Second
}

// stream is an answer of many lines.
type stream struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
	// last is when something was written last.
	last time.Time
}

// line writes a page as one line and flushes it.
func (s *stream) line(page v1.SyncResponse) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	kept := &keeping{w: s.w}
	encode(kept, page)
	if kept.err != nil {
		return kept.err
	}
	s.last = time.Now()
	return s.control.Flush()
}

// begin writes the header, before the first line. From then on errors are lines too.
func (s *stream) begin() {
	if !s.begun {
		s.begun = true
		s.w.Header().Set("Content-Type", "application/x-ndjson")
		s.w.Header().Set("X-Accel-Buffering", "no") // proxies must pass lines on as they come
	}
}

// keepAlive sends an empty line whenever nothing was sent for so long.
func (s *stream) keepAlive(ctx context.Context, every time.Duration) <-chan struct{} {
	done := make(chan struct{})
	tick := time.NewTicker(every)
	go func() {
		defer close(done)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				s.beat(every)
			}
		}
	}()
	return done
}

// beat writes an empty line if nothing was written for so long, which keeps proxies from closing.
func (s *stream) beat(every time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Since(s.last) < every {
		return
	}
	s.begin()
	if _, err := io.WriteString(s.w, "\n"); err == nil {
		_ = s.control.Flush() // a caller that has gone ends the request's context
	}
}

// keeping remembers the first error of writing.
type keeping struct {
	w io.Writer
	// err is the first error, after which nothing is written.
	err error
}

// Write passes p on.
func (k *keeping) Write(p []byte) (int, error) {
	n, err := k.w.Write(p)
	if err != nil && k.err == nil {
		k.err = err
	}
	return n, err
}
