package httpapi

import (
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/response"
)

// LongRunning marks a route that calls a target system or an agent before it answers. Under an Idempotency-Key, the
// answer is stored after the work, so that no transaction stays open meanwhile. The request counts against the limit of
// long-running requests, not against that of all requests. Its write timeout begins with the answer.
func (r Route) LongRunning() Route { r.waits = true; return r }

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
		// With HTTP/2 a deadline that passes ends the stream, even if nothing is written: there must be none meanwhile.
		response.WriteUntil(ctx, time.Time{})
		next(response.NewPatient(ctx))
	}
}
