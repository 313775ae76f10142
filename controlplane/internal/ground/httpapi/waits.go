package httpapi

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Waits says that the route waits for the world outside, a target or an agent, before it answers. Three things follow.
// Under an Idempotency-Key it keeps no transaction open meanwhile: its answer is kept after the work, not with it. It
// takes no place among the requests that are worked on, but one among those that wait, of which there are as many. And
// its time to be written begins with the answer, not with the request.
func (r Route) Waits() Route { r.waits = true; return r }

// writeTime is how long an answer that has been waited for may take on its way.
const writeTime = 30 * time.Second

// wait lets a request wait for the world outside.
func (r Route) wait(a *API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		defer a.waiting.Add(-1)
		if a.waiting.Add(1) > a.places() {
			refuse(
				a.Huma,
				ctx,
				a.problem(
					ctx.Context(),
					overloaded("too many requests wait for targets and agents; try again in a moment"),
				),
			)
			return
		}
		outlast(ctx.Context())
		// With HTTP/2 a deadline that passes ends the stream, though nobody was writing: there must be none meanwhile.
		writeUntil(ctx, time.Time{})
		next(&patient{ctx})
	}
}

// patient begins the time to write with the answer.
type patient struct{ asked }

// SetStatus sets the status of the answer, which begins with it.
func (p *patient) SetStatus(status int) {
	writeUntil(p.asked, time.Now().Add(writeTime))
	p.asked.SetStatus(status)
}

// writeUntil sets the deadline of writing; the zero time: there is none.
func writeUntil(ctx huma.Context, deadline time.Time) {
	if w, ok := ctx.BodyWriter().(http.ResponseWriter); ok {
		_ = http.NewResponseController(w).SetWriteDeadline(deadline)
	}
}
