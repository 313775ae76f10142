package httpapi

import (
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/response"
)

// packReads packs the answers to reads. Everything about signing in, and every answer to a write, is sent as it is:
// where a secret stands beside something that the caller chose, the length of what is packed would tell of it (BREACH).
func packReads(next http.Handler) http.Handler {
	packed := response.Gzip(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		if r.Method == http.MethodGet && incoming.Under(path, Prefix) && !incoming.Under(path, Prefix+"/auth") &&
			r.Header.Get("Upgrade") == "" {
			packed.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
