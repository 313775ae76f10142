package response

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// writeTime is how long an answer that has been waited for may take on its way.
const writeTime = 30 * time.Second

// Patient stands in for the context of a request that waits for a target system or an agent. The time to write begins
// with the answer.
type Patient struct{ asked }

// NewPatient lets the request of this context wait.
func NewPatient(ctx huma.Context) *Patient { return &Patient{ctx} }

// SetStatus sets the status of the answer, which begins with it.
func (p *Patient) SetStatus(status int) {
	WriteUntil(p.asked, time.Now().Add(writeTime))
	p.asked.SetStatus(status)
}

// WriteUntil sets the deadline of writing; the zero time: there is none.
func WriteUntil(ctx huma.Context, deadline time.Time) {
	if w, ok := ctx.BodyWriter().(http.ResponseWriter); ok {
		_ = http.NewResponseController(w).SetWriteDeadline(deadline)
	}
}
