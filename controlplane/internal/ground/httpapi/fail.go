package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
)

// Fail answers a request that never reached a typed handler.
func (a *API) Fail(w http.ResponseWriter, r *http.Request, err error) {
	problem.Write(w, r, a.problem(r.Context(), err))
}

// problem turns an error into a problem document, and logs what is our own fault, once.
func (a *API) problem(ctx context.Context, err error) *problem.Problem {
	p := problem.Of(ctx, err)
	if p.Status >= 500 && !errors.Is(err, context.Canceled) {
		a.cfg.Log.ErrorContext(ctx, "request failed", "request_id", p.RequestID, "code", p.Code, "err", err)
	}
	return p
}
