package httpapi

import (
	"net/http"
	"strings"
)

// TakesGzip says whether the client can unpack what is packed with gzip.
func TakesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.TrimSpace(name) == "gzip" && strings.TrimSpace(weight) != "q=0" {
			return true
		}
	}
	return false
}
