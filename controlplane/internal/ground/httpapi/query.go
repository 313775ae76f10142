package httpapi

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/head"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/problem"
)

// checkQuery refuses unknown and repeated parameters: a mistyped filter must not answer with everyone. A path in which
// an id is spelt as ids are not names nothing.
func checkQuery(api huma.API) func(ctx huma.Context, next func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		for _, p := range ctx.Operation().Parameters {
			if p.In != "path" {
				continue
			}
			if err := head.CheckID(ctx.Param(p.Name)); err != nil {
				problem.Refuse(api, ctx, problem.Of(ctx.Context(), err))
				return
			}
		}
		u := ctx.URL()
		for name, values := range u.Query() {
			if err := head.CheckParameter(ctx.Operation(), name, values); err != nil {
				problem.Refuse(api, ctx, problem.Of(ctx.Context(), err))
				return
			}
		}
		next(ctx)
	}
}
