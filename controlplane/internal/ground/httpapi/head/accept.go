package head

import (
	"mime"
	"slices"
	"strconv"
	"strings"
)

// Offered are the media types of a route that answers these, without the charset, which no Accept header has to name.
func Offered(media []string) []string {
	offered := []string{"application/json", "application/problem+json"}
	for _, m := range media {
		for each := range strings.SplitSeq(m, ",") {
			name, _, _ := strings.Cut(each, ";")
			offered = append(offered, strings.TrimSpace(name))
		}
	}
	return offered
}

// Acceptable says whether an Accept header leaves one of the media types.
func Acceptable(accept string, offered []string) bool {
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
