package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
)

type deprecation struct {
	since, sunset time.Time
	successor     string
}

// Deprecated says that the route is going: since when it should not be used any more (RFC 9745), from when on it
// answers 410 (RFC 8594), and the path of what takes its place, which may be empty.
func (r Route) Deprecated(since, sunset time.Time, successor string) Route {
	r.going = &deprecation{since, sunset, successor}
	return r
}

// tell announces the end, and answers 410 after it.
func (d *deprecation) tell(a *API) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		ctx.SetHeader("Deprecation", "@"+strconv.FormatInt(d.since.Unix(), 10))
		ctx.SetHeader("Sunset", d.sunset.UTC().Format(http.TimeFormat))
		if d.successor != "" {
			ctx.AppendHeader("Link", "<"+d.successor+`>; rel="successor-version"`)
		}
		if a.cfg.now().Before(d.sunset) {
			next(ctx)
			return
		}
		err := fault.Coded(fault.NotFound, "gone", "this ended on %s", d.sunset.UTC().Format(time.DateOnly))
		if d.successor != "" {
			err.Message += "; use " + d.successor
		}
		problem.Refuse(a.Huma, ctx, a.problem(ctx.Context(), err))
	}
}
