package health

import (
	"time"
)

// When an endpoint that keeps failing is left alone, and when for good.
const (
	BreakAfter    = 10              // consecutive failures, after which only one delivery at a time is tried
	firstPause    = time.Minute     // between such probes at first; it doubles
	longestPause  = 5 * time.Minute // at most
	silentFor     = 5 * 24 * time.Hour
	tooMany       = 20             // deliveries given up
	tooLong       = 24 * time.Hour // over which they are spread at least
	tooOften      = 3              // deliveries given up because the address is refused
	failingAfter  = 24 * time.Hour // without success, and with failures
	warnedOnce    = 2              // half of what disables warns the administrators
	ReasonGone    = "the endpoint answered 410 Gone"
	ReasonBlocked = "its address is not allowed for webhooks"
	ReasonSilent  = "no delivery has succeeded for five days"
)

// Record is what has happened at an endpoint since its last success.
type Record struct {
	LastSuccess  *time.Time `db:"last_success_at"`
	Since        time.Time  `db:"state_changed_at"` // enabled since
	LastFailure  *time.Time `db:"last_failure_at"`
	Failures     int        `db:"consecutive_failures"`
	Exhausted    int        `db:"exhausted"`
	FirstGivenUp *time.Time `db:"exhausted_since"`
	Blocked      int        `db:"blocked"`
	Warned       *time.Time `db:"warned_at"`
}

// verdict is what follows from a record.
type verdict int

const (
	goOn verdict = iota
	Warn         // half way to being disabled
	Disable
)

// Judge says what follows when one more delivery was given up. reason is for Disable.
func (r Record) Judge(now time.Time) (v verdict, reason string) {
	if r.Blocked >= tooOften {
		return Disable, ReasonBlocked
	}
	silent := now.Sub(r.quietSince())
	var spread time.Duration
	if r.FirstGivenUp != nil {
		spread = now.Sub(*r.FirstGivenUp)
	}
	switch {
	case silent >= silentFor && r.Exhausted >= tooMany && spread >= tooLong:
		return Disable, ReasonSilent
	case r.Warned != nil:
		return goOn, ""
	case silent >= silentFor/warnedOnce && r.Exhausted >= tooMany/warnedOnce && spread >= tooLong/warnedOnce:
		return Warn, ""
	}
	return goOn, ""
}

func (r Record) quietSince() time.Time {
	if r.LastSuccess != nil && r.LastSuccess.After(r.Since) {
		return *r.LastSuccess
	}
	return r.Since
}

// Failing reports whether administrators should look at the endpoint.
func (r Record) Failing(now time.Time) bool {
	return r.Failures >= BreakAfter || r.Failures > 0 && now.Sub(r.quietSince()) >= failingAfter
}

// Pause is how long to wait before the next probe, after so many: 1 minute, doubled up to 5.
func Pause(probes int) time.Duration {
	p := firstPause
	for range min(probes, 10) {
		p *= 2
	}
	return min(p, longestPause)
}
