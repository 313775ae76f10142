package pacing

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/protocol/retryafter"
)

// Allowance is what an answer says about how many requests the target still takes.
type Allowance struct {
	Remaining float64
	Reset     time.Duration // until there are more
}

// AllowanceOf reads the common forms: the RateLimit field of draft-ietf-httpapi-ratelimit-headers in its newer form
// ("default";r=5;t=30) and its older one (limit=10, remaining=5, reset=30), and the fields RateLimit-Remaining and
// X-RateLimit-Remaining with their -Reset as seconds, as a moment in seconds or milliseconds, or as an HTTP date. It is
// false where an answer says nothing or nonsense.
func AllowanceOf(h http.Header, now time.Time) (Allowance, bool) {
	at := serverTime(h, now)
	if line := h.Get("RateLimit"); line != "" {
		return allowanceOfField(line)
	}
	for _, prefix := range []string{"RateLimit-", "X-RateLimit-", "X-Rate-Limit-"} {
		remaining, err := strconv.ParseFloat(strings.TrimSpace(h.Get(prefix+"Remaining")), 64)
		if err != nil || remaining < 0 {
			continue
		}
		if reset, ok := resetOf(h.Get(prefix+"Reset"), at); ok {
			return Allowance{remaining, reset}, true
		}
	}
	return Allowance{}, false
}

// allowanceOfField reads the first policy of a RateLimit field.
func allowanceOfField(line string) (Allowance, bool) {
	out := Allowance{Remaining: -1, Reset: -1}
	first := line
	if strings.HasPrefix(strings.TrimSpace(line), `"`) {
		first, _, _ = strings.Cut(line, ",")
	}
	for part := range strings.FieldsFuncSeq(first, func(r rune) bool { return r == ';' || r == ',' }) {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || n < 0 || n > 1e9 {
			continue
		}
		switch strings.ToLower(name) {
		case "r", "remaining":
			out.Remaining = n
		case "t", "reset":
			out.Reset = time.Duration(n * float64(time.Second))
		}
	}
	return out, out.Remaining >= 0 && out.Reset >= 0
}

// Numbers above these are moments, not spans: 2001 in seconds and in milliseconds.
const (
	epochSeconds = 1e9
	epochMillis  = 1e12
)

func resetOf(text string, now time.Time) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case text == "":
		return 0, false
	case err == nil && (n < 0 || n > 1e14 || n != n):
		return 0, false
	case err == nil && n >= epochMillis:
		return max(time.UnixMilli(int64(n)).Sub(now), 0), true
	case err == nil && n >= epochSeconds:
		return max(time.Unix(int64(n), 0).Sub(now), 0), true
	case err == nil:
		return time.Duration(n * float64(time.Second)), true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}

// RetryAfter is the wait in milliseconds that the target asks for; nil where it asks for none.
func RetryAfter(h http.Header, now time.Time) *int64 {
	wait, ok := retryafter.Parse(h.Get("Retry-After"), serverTime(h, now))
	if !ok {
		return nil
	}
	ms := wait.Milliseconds()
	return &ms
}

// serverTime is the target's own clock, if it sends it: times in its headers are relative to that.
func serverTime(h http.Header, now time.Time) time.Time {
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		return at
	}
	return now
}
