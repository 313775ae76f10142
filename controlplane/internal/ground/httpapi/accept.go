package httpapi

import (
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// checkAccept refuses a request whose Accept header leaves nothing that the route could answer (RFC 9110 section
// 12.5.1). JSON is always among what it can: that is what problems are written in.
func checkAccept(a *API, media []string) func(huma.Context, func(huma.Context)) {
	offered := offeredBy(media)
	return func(ctx huma.Context, next func(huma.Context)) {
		if accept := ctx.Header("Accept"); accept != "" && accept != "*/*" && !acceptable(accept, offered) {
			err := fault.Coded(
				fault.Malformed,
				"not_acceptable",
				"the answer would be %s, which the Accept header rules out",
				strings.Join(media, " or "),
			)
			refuse(a.Huma, ctx, a.problem(ctx.Context(), err))
			return
		}
		next(ctx)
	}
}

// offeredBy are the media types of a route that answers these, without the charset, which no Accept header has to name.
func offeredBy(media []string) []string {
	offered := []string{"application/json", "application/problem+json"}
	for _, m := range media {
		for each := range strings.SplitSeq(m, ",") {
			name, _, _ := strings.Cut(each, ";")
			offered = append(offered, strings.TrimSpace(name))
		}
	}
	return offered
}

func acceptable(accept string, offered []string) bool {
	for each := range strings.SplitSeq(accept, ",") {
		media, params, err := mime.ParseMediaType(each)
		if err != nil {
			return true // what cannot be read rules nothing out
		}
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil && q == 0 {
			continue
		}
		if media == "*/*" || slices.ContainsFunc(offered, func(o string) bool { return covers(media, o) }) {
			return true
		}
	}
	return false
}

func covers(pattern, media string) bool {
	if family, ok := strings.CutSuffix(pattern, "/*"); ok {
		return strings.HasPrefix(media, family+"/")
	}
	return pattern == media
}
