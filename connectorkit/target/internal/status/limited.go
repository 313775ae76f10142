package status

import (
	"net/http"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target/internal/pacing"
)

// IsRateLimited reports whether an answer complains of too many requests: 429, 503 with a time to wait, and 403 as some
// targets use it (GitHub: no requests remaining, or Retry-After).
func IsRateLimited(status int, h http.Header, now time.Time) bool {
	switch status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusServiceUnavailable:
		return pacing.RetryAfter(h, now) != nil
	case http.StatusForbidden:
		a, ok := pacing.AllowanceOf(h, now)
		return pacing.RetryAfter(h, now) != nil || ok && a.Remaining == 0
	}
	return false
}
