package explanation

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/match"
)

// Short keeps the beginning of a long value: enough to see why.
func Short(s string) string {
	if head := match.FirstRunes(s, 200); head != "" && len(head) < len(s) {
		return head + "…"
	}
	return s
}

// Instant is how times are written in documents.
func Instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
