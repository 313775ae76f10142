package schedule

import (
	"hash/fnv"
	"strconv"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/schedule/cron"
)

// Kinds of run that a schedule starts.
const (
	incremental = "incremental"
	full        = "full"
)

// late is by how much the run of an occurrence begins later. It depends only on connector and occurrence, so that
// every process reckons the same, and both kinds of an occurrence that they share begin together.
func (p plan) late(occurrence time.Time) time.Duration {
	if p.jitter == 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.connector + " " + strconv.FormatInt(occurrence.Unix(), 10))) // it never fails
	// The last bits of this sum alone would differ little between neighbours.
	sum := h.Sum64()
	sum ^= sum >> 33
	sum *= 0xff51afd7ed558ccd
	sum ^= sum >> 33
	return time.Duration(sum%uint64(p.jitter/time.Second+1)) * time.Second
}

// starts is when the run of an occurrence begins.
func (p plan) starts(occurrence time.Time) time.Time { return occurrence.Add(p.late(occurrence)) }

// next is the first occurrence after one, or after none, whose run begins later than now; nil when there is none.
func (p plan) next(e *cron.Expression, after, now time.Time) *time.Time {
	if e == nil {
		return nil
	}
	// Whatever is longer ago than the jitter has begun.
	if past := now.Add(-p.jitter); past.After(after) {
		after = past
	}
	for at := e.Next(after, p.zone); !at.IsZero(); at = e.Next(at, p.zone) {
		if p.starts(at).After(now) {
			at = at.UTC()
			return &at
		}
	}
	return nil
}

// due is when the earlier of two occurrences begins; nil without any.
func (p plan) due(occurrences ...*time.Time) (earliest *time.Time) {
	for _, at := range occurrences {
		if at == nil {
			continue
		}
		if begins := p.starts(*at); earliest == nil || begins.Before(*earliest) {
			earliest = &begins
		}
	}
	return earliest
}

// ScheduledRun is a run that is to come.
type ScheduledRun struct {
	// Time of the scheduled run.
	At time.Time `json:"at"`
	// The same moment as the zone's clocks show it.
	Local string `json:"local"`
	// Whether the run reads only what has changed (incremental) or all records (full).
	Kind string `json:"kind" enum:"incremental,full"`
}

// ahead lists the next runs, the earliest first. Where both kinds are due, everything is read.
func (p plan) ahead(nextIncremental, nextFull *time.Time, n int) []ScheduledRun {
	runs := []ScheduledRun{}
	advance := func(e *cron.Expression, at *time.Time) *time.Time {
		if next := e.Next(*at, p.zone); !next.IsZero() {
			return &next
		}
		return nil
	}
	for len(runs) < n {
		begins := p.due(nextIncremental, nextFull)
		if begins == nil {
			return runs
		}
		kind := incremental
		isFull := nextFull != nil && p.starts(*nextFull).Equal(*begins)
		if nextIncremental != nil && p.starts(*nextIncremental).Equal(*begins) {
			nextIncremental = advance(p.incremental, nextIncremental)
		}
		if isFull {
			kind, nextFull = full, advance(p.full, nextFull)
		}
		runs = append(runs, ScheduledRun{At: begins.UTC(), Local: begins.In(p.zone).Format(time.RFC3339), Kind: kind})
	}
	return runs
}
