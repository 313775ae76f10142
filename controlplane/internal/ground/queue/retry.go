package queue

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// An item is tried eight times in about an hour and a half: after 5 s, 15 s, 45 s, 2, 7, 20 and 60 minutes.
const (
	maxAttempts  = 8
	firstPause   = 5 * time.Second
	longestPause = time.Hour
)

// pause is how long an item waits after so many failed attempts: three times as long after each, with jitter of a
// quarter, so that what failed together does not come back together.
func pause(attempts int) time.Duration {
	d := firstPause
	for i := 1; i < attempts && d < longestPause; i++ {
		d *= 3
	}
	d = min(d, longestPause)
	return d - d/8 + rand.N(d/4)
}

// short is an error for people to see: one line, without a long tail.
func short(err error) string {
	const most = 500
	text := strings.Join(strings.Fields(strings.ToValidUTF8(err.Error(), "?")), " ")
	text = strings.ReplaceAll(text, "\x00", "")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// ErrOvertaken is the error, or is wrapped in the error, of work that read something which other transactions have
// changed in the meantime. The whole pass is repeated at once.
var ErrOvertaken = errors.New("what the work was based on has changed in the meantime")

// repeats is how often a pass is repeated that was overtaken.
const repeats = 5

// blames reports whether an error is about the items. An unreachable or overloaded database, a deadlock and a process
// that stops are not: they count for no item.
func blames(ctx context.Context, err error) bool {
	var pe *pgconn.PgError
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
		return false
	}
	if errors.As(err, &pe) {
		switch {
		case pe.Code == "57014": // took too long: a smaller batch may not
			return true
		case len(pe.Code) == 5:
			switch pe.Code[:2] {
			case "08", "40", "53", "55", "57", "58":
				return false
			}
		}
		return true
	}
	var f *fault.Fault
	return !errors.As(pg.Translate(err), &f) || f.Kind != fault.Unavailable
}
