package httpapi

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/response"
)

// Waits says that the route waits for the world outside, a target or an agent, before it answers. Three things follow.
// Under an Idempotency-Key it keeps no transaction open meanwhile: its answer is kept after the work, not with it. It
// takes no place among the requests that are worked on, but one among those that wait, of which there are as many. And
// its time to be written begins with the answer, not with the request.
func (r Route) Waits() Route { r.waits = true; return r }

// wait lets a request wait for the world outside.
func (r Route) wait(a *API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		leave, err := a.places.Wait()
		defer leave()
		if err != nil {
			problem.Refuse(a.Huma, ctx, a.problem(ctx.Context(), err))
			return
		}
		outlast(ctx.Context())
		// With HTTP/2 a deadline that passes ends the stream, though nobody was writing: there must be none meanwhile.
		response.WriteUntil(ctx, time.Time{})
		next(response.NewPatient(ctx))
	}
}
