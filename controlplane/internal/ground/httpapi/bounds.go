package httpapi

import (
	"net/http"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// Limits of what stands before a request's body.
const (
	maxQuery      = 8 << 10 // bytes
	maxParameters = 100
	maxHeader     = 32 << 10 // bytes of names and values together
	maxFields     = 100
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
		if err := checkHead(r); err != nil {
			a.Fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func checkHead(r *http.Request) error {
	if len(r.URL.RawQuery) > maxQuery {
		return fault.Coded(fault.Malformed, "uri_too_long", "the query may have at most %d bytes", maxQuery)
	}
	if strings.Count(r.URL.RawQuery, "&") >= maxParameters {
		return fault.Coded(
			fault.Malformed,
			"invalid_parameter",
			"there may be at most %d query parameters",
			maxParameters,
		)
	}
	size, fields := 0, 0
	for name, values := range r.Header {
		for _, v := range values {
			size += len(name) + len(v)
			fields++
		}
	}
	if size > maxHeader || fields > maxFields {
		return fault.Coded(
			fault.Malformed,
			"headers_too_large",
			"the headers may be at most %d, of %d bytes together",
			maxFields,
			maxHeader,
		)
	}
	return nil
}
