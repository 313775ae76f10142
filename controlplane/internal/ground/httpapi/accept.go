package httpapi

import (
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/head"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
)

// checkAccept refuses a request whose Accept header leaves nothing that the route could answer (RFC 9110 section
// 12.5.1). JSON is always among what it can: that is what problems are written in.
func checkAccept(a *API, media []string) func(huma.Context, func(huma.Context)) {
	offered := head.Offered(media)
	return func(ctx huma.Context, next func(huma.Context)) {
		if accept := ctx.Header("Accept"); accept != "" && accept != "*/*" && !head.Acceptable(accept, offered) {
			err := fault.Coded(
				fault.Malformed,
				"not_acceptable",
				"the answer would be %s, which the Accept header rules out",
				strings.Join(media, " or "),
			)
			problem.Refuse(a.Huma, ctx, a.problem(ctx.Context(), err))
			return
		}
		next(ctx)
	}
}
