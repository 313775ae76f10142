package httpapi

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/response"
	"github.com/grantwright/grantwright/controlplane/internal/ground/replay"
)

// keyParameter describes the header in the API's description.
var keyParameter = &huma.Param{
	Name:   replay.Header,
	In:     "header",
	Schema: &huma.Schema{Type: "string", Format: "uuid"},
	Description: "A UUID of your own making: a request that is sent again with it within 24 hours is carried out " +
		"once, and gets the first answer with Idempotent-Replayed: true.",
}

// keyed says whether an Idempotency-Key means something on the route. Signing in does not keep answers, since they hold
// tokens.
func (r Route) keyed() bool {
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return !r.unkeyed && !r.free && !incoming.Under(r.Path, Prefix+"/auth")
	}
	return false
}

// once carries a request with an Idempotency-Key out one time, and gives every repetition the first answer.
func (r Route) once(a *API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		p := incoming.Of(ctx.Context())
		if len(p.Keys) == 0 || a.cfg.Replay == nil || p.Viewer.Tenant == "" || p.Viewer.ID == "" {
			next(ctx)
			return
		}
		key, err := replay.Key(p.Keys)
		if err != nil {
			problem.Refuse(a.Huma, ctx, a.problem(ctx.Context(), err))
			return
		}
		u := ctx.URL()
		fingerprint := replay.Fingerprint(r.Method, u.EscapedPath(), u.RawQuery, ctx.Header("Content-Type"), p.Body)
		try, before, err := a.cfg.Replay.Begin(ctx.Context(), p.Viewer, key, fingerprint)
		switch {
		case err != nil:
			problem.Refuse(a.Huma, ctx, a.problem(ctx.Context(), err))
		case before != nil:
			ctx.SetHeader("Idempotent-Replayed", "true")
			response.Send(ctx, response.Answer(*before))
		default:
			r.carryOut(a, ctx, next, try)
		}
	}
}

func (r Route) carryOut(a *API, ctx huma.Context, next func(huma.Context), try *replay.Try) {
	defer try.Abandon(ctx.Context()) // after a panic
	rec := response.NewRecorder(ctx)
	if r.waits {
		try.Wait(ctx.Context())
	} else {
		rec.Within(try.Hold(ctx.Context()))
	}
	next(rec)
	answer, kept := rec.Answer()
	if !kept {
		return
	}
	if err := try.Finish(ctx.Context(), replay.Answer(answer)); err != nil {
		problem.Refuse(a.Huma, ctx, a.problem(ctx.Context(), err))
		return
	}
	response.Send(ctx, answer)
}
