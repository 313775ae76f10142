package response

import (
	"io"
	"net/http"
	"time"
)

// SlowWriter moves the connection's deadline on as long as something is taken: a large file takes longer than an
// answer.
type SlowWriter struct{ w io.Writer }

// NewSlowWriter writes to w, the body of an answer.
func NewSlowWriter(w io.Writer) *SlowWriter { return &SlowWriter{w} }

// Write writes to the body, within 30 s.
func (p *SlowWriter) Write(b []byte) (int, error) {
	if w, ok := p.w.(http.ResponseWriter); ok {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(30 * time.Second))
	}
	return p.w.Write(b)
}
