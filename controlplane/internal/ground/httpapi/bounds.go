package httpapi

import (
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/head"
)

// bounds refuses requests whose head is too large, or whose method has no place here, before anything is made of them.
func (a *API) bounds(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodTrace || r.Method == http.MethodConnect {
			// Answered from here: a TRACE that came further might show what a proxy has added.
			w.Header().Set("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE")
			a.Fail(w, r, fault.Coded(fault.Malformed, "method_not_allowed", "%s is not possible here", r.Method))
			return
		}
		if err := head.CheckSize(r); err != nil {
			a.Fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}
