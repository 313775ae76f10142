// Package retryafter reads the HTTP header Retry-After. Everything that sends requests uses it: connectors, the agent's
// enrollment, webhooks and audit streams.
package retryafter

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// nonsense is a number of seconds, 31 years, from which on the value cannot be meant.
const nonsense = 1e9

// Parse reads both forms of the header (RFC 9110 section 10.2.3): seconds from now, of which a fraction is accepted
// because many servers send one, and a date, which counts from the clock of the sender. A date that has passed is
// a wait of zero. It returns false for an absent header and for anything else. Callers limit the wait to what they are
// ready to wait.
func Parse(value string, clock time.Time) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		if !(seconds >= 0 && seconds <= nonsense) { // as written NaN is refused too
			return 0, false
		}
		return time.Duration(seconds * float64(time.Second)), true
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, false
	}
	return max(at.Sub(clock), 0), true
}
