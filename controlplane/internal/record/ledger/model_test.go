package ledger_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// lived is a reason as somebody would keep it on paper: from when to when, and whether it denies.
type lived struct {
	reason     ledger.Reason
	start, end time.Time // end is zero for one without
	over       bool
}

func (l lived) runs(now time.Time) bool {
	return !l.over && !l.start.After(now) && (l.end.IsZero() || l.end.After(now))
}

// paper is the ledger as a list: the slow and plain way to say who should hold what.
type paper struct {
	now  time.Time
	live map[string]*lived // by the key of a live reason
}

func key(r ledger.Reason) string {
	return fmt.Sprint(r.IdentityID, *r.EntitlementID, r.Effect, r.Kind, r.SourceID)
}

func (p *paper) add(r ledger.Reason) {
	end := time.Time{}
	if r.EndsAt != nil {
		end = *r.EndsAt
	}
	start := r.StartsAt
	if start.IsZero() {
		start = past
	}
	l, there := p.live[key(r)]
	switch {
	case there && !l.over && l.start.After(p.now):
		l.start, l.end = start, end
	case there && !l.over:
		l.end = end
	default:
		p.live[key(r)] = &lived{reason: r, start: start, end: end}
	}
}

func (p *paper) end(source string, at time.Time) {
	for _, l := range p.live {
		switch {
		case l.over || l.reason.SourceID != source:
		case at.IsZero() || !l.start.Before(at):
			l.over = true
		case l.end.IsZero() || l.end.After(at):
			l.end = at
		}
	}
}

func (p *paper) settle(now time.Time) {
	p.now = now
	for _, l := range p.live {
		if !l.end.IsZero() && !l.end.After(now) && !l.start.After(now) {
			l.over = true
		}
	}
}

// holds is what everybody should hold.
func (p *paper) holds() []string {
	allowed, denied := map[string]bool{}, map[string]bool{}
	for _, l := range p.live {
		if l.runs(p.now) {
			what := l.reason.IdentityID + " " + *l.reason.EntitlementID
			allowed[what] = allowed[what] || l.reason.Effect == ledger.Allow
			denied[what] = denied[what] || l.reason.Effect == ledger.Deny
		}
	}
	maps.DeleteFunc(allowed, func(what string, is bool) bool { return !is || denied[what] })
	return slices.Sorted(maps.Keys(allowed))
}

// TestAccessLastsAsLongAsAReasonDoes plays at random with adds, ends, limits of time and denials, and after every step
// holds what is desired against the paper's.
func TestAccessLastsAsLongAsAReasonDoes(t *testing.T) {
	b := open(t)
	names := func(n int) (ids []string) {
		for range n {
			ids = append(ids, uuid.NewString())
		}
		return ids
	}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 7))
		people, things, sources := names(3), names(3), names(4)
		p := &paper{now: soon.AddDate(0, 0, -1), live: map[string]*lived{}}
		day := func() time.Time { return soon.AddDate(0, 0, r.IntN(30)) }
		clock := soon.AddDate(0, 0, -1)
		for step := range 80 {
			told := ""
			switch r.IntN(5) {
			case 0, 1, 2:
				reason := by(sources[r.IntN(4)], people[r.IntN(3)], things[r.IntN(3)])
				reason.Effect = ledger.Allow
				if r.IntN(4) == 0 {
					reason.Effect = ledger.Deny
				}
				if r.IntN(2) == 0 {
					at := clock.AddDate(0, 0, 1+r.IntN(10))
					reason.EndsAt = &at
				}
				if r.IntN(4) == 0 {
					reason.StartsAt = day()
				}
				// What would begin in the days that have passed on this paper begins with the next look.
				if !reason.StartsAt.After(clock) {
					reason.StartsAt = time.Time{}
				}
				b.add(reason)
				p.add(reason)
				told = "add " + key(reason)
			case 3:
				source, at := sources[r.IntN(4)], time.Time{}
				if r.IntN(2) == 0 {
					at = clock.AddDate(0, 0, 1+r.IntN(10))
				}
				b.end(ledger.Which{SourceID: source, IdentityIDs: people}, at)
				p.end(source, at)
				told = "end " + source
			case 4:
				clock = clock.AddDate(0, 0, r.IntN(4))
				b.settle(clock)
				p.settle(clock)
				told = "settle " + clock.String()
			}
			var got []string
			for _, who := range people {
				for _, w := range b.desired(who) {
					got = append(got, w.IdentityID+" "+*w.EntitlementID)
				}
			}
			slices.Sort(got)
			if want := p.holds(); !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d (%s): held\n%v; want\n%v", seed, step, told, got, want)
			}
		}
	}
}
