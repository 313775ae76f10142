package webhook

import "time"

// When an endpoint that keeps failing is left alone, and when for good.
const (
	breakAfter    = 10              // consecutive failures, after which only one delivery at a time is tried
	firstPause    = time.Minute     // between such probes at first; it doubles
	longestPause  = 5 * time.Minute // at most
	silentFor     = 5 * 24 * time.Hour
	tooMany       = 20             // deliveries given up
	tooLong       = 24 * time.Hour // over which they are spread at least
	tooOften      = 3              // deliveries given up because the address is refused
	failingAfter  = 24 * time.Hour // without success, and with failures
	warnedOnce    = 2              // half of what disables is told to the administrators
	reasonGone    = "the endpoint answered 410 Gone"
	reasonBlocked = "its address is not allowed for webhooks"
	reasonSilent  = "no delivery has succeeded for five days"
)

// record is how a webhook has fared since its last success.
type record struct {
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
	warn         // half way to being disabled
	disable
)

// judge says what follows when one more delivery was given up. reason is for the verdict disable.
func (r record) judge(now time.Time) (v verdict, reason string) {
	if r.Blocked >= tooOften {
		return disable, reasonBlocked
	}
	silent := now.Sub(r.quietSince())
	var spread time.Duration
	if r.FirstGivenUp != nil {
		spread = now.Sub(*r.FirstGivenUp)
	}
	switch {
	case silent >= silentFor && r.Exhausted >= tooMany && spread >= tooLong:
		return disable, reasonSilent
	case r.Warned != nil:
		return goOn, ""
	case silent >= silentFor/warnedOnce && r.Exhausted >= tooMany/warnedOnce && spread >= tooLong/warnedOnce:
		return warn, ""
	}
	return goOn, ""
}

func (r record) quietSince() time.Time {
	if r.LastSuccess != nil && r.LastSuccess.After(r.Since) {
		return *r.LastSuccess
	}
	return r.Since
}

// failing is whether the administrators should look at the endpoint.
func (r record) failing(now time.Time) bool {
	return r.Failures >= breakAfter || r.Failures > 0 && now.Sub(r.quietSince()) >= failingAfter
}

// pause is how long to wait before the next probe, after so many.
func pause(probes int) time.Duration {
	p := firstPause
	for range min(probes, 10) {
		p *= 2
	}
	return min(p, longestPause)
}
