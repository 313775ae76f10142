package head

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

// CheckSize refuses a query or headers that are too large.
func CheckSize(r *http.Request) error {
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
