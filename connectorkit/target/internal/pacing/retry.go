package pacing

import (
	"fmt"
	"math/rand/v2"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// How long a retry waits: what the target asks for, up to maxRetryAfter, else a random part of a growing pause.
const (
	MaxRetryAfter = 5 * time.Minute
	LongestHold   = time.Hour // that a target can ask of other calls
	firstPause    = 500 * time.Millisecond
	longestPause  = 30 * time.Second
)

// MayPass says whether the same request may succeed later: 408, 425, 429, 5xx but for "not implemented", a
// broken connection.
func MayPass(d *v1.ErrorDetail) bool {
	return d.Class == v1.ClassRateLimited || d.Class == v1.ClassTransient || d.Code == "http_500"
}

// HasRetryAfter says whether the target itself named a time to wait.
func HasRetryAfter(d *v1.ErrorDetail) bool { return d.RetryAfterMS != nil && *d.RetryAfterMS > 0 }

// RetryPause is how long to wait after the given try: what the target asks for, as long as that is at most five
// minutes, else a random part of a time that doubles from 0.5 s to 30 s.
func RetryPause(try int, d *v1.ErrorDetail) (time.Duration, bool) {
	if HasRetryAfter(d) {
		wait := time.Duration(*d.RetryAfterMS) * time.Millisecond
		return wait, wait <= MaxRetryAfter
	}
	ceiling := min(firstPause<<(try-1), longestPause)
	return rand.N(ceiling), true
}

// TooLong is the error of a target that wants to be left alone for longer than a call can wait.
func TooLong(d *v1.ErrorDetail) *v1.ErrorDetail {
	copied := *d
	copied.Class, copied.Retryable = v1.ClassRateLimited, true
	wait := time.Duration(*d.RetryAfterMS) * time.Millisecond
	copied.Message += fmt.Sprintf("; it asks to wait %s, longer than one read waits", wait.Round(time.Second))
	return &copied
}
