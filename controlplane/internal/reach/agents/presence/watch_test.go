package presence

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestDeparturesAreRecordedApartAndAlwaysFollowedByReturns tries any coming and going against what is promised of the
// events.
func TestDeparturesAreRecordedApartAndAlwaysFollowedByReturns(t *testing.T) {
	t.Parallel()
	const pair = 5 * time.Minute
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		w := watched{Since: now}
		var events []string
		var gone []time.Time
		steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			return step{
				rapid.Bool().Draw(t, "online"),
				time.Duration(rapid.IntRange(1, 900).Draw(t, "seconds")) * time.Second,
				rapid.Bool().Draw(t, "with notice"),
			}
		}), 1, 60).Draw(t, "steps")
		online := false
		for _, s := range steps {
			online = s.online
			if w.BackBy = nil; !online && s.notice {
				by := now.Add(2 * time.Minute)
				w.BackBy = &by
			}
			for end := now.Add(s.lasts); now.Before(end); now = now.Add(5 * time.Second) {
				var event string
				if w, event = w.look(now, online, pair); event != "" {
					events = append(events, event)
				}
				if event == wentOffline {
					gone = append(gone, now)
				}
			}
		}
		for i, e := range events {
			if want := []string{cameOnline, wentOffline}[i%2]; e != want {
				t.Fatalf("event %d is %s; want %s", i, e, want)
			}
		}
		for i := 1; i < len(gone); i++ {
			if apart := gone[i].Sub(gone[i-1]); apart < pair {
				t.Fatalf("two departures %s apart are recorded", apart)
			}
		}
		// Once all is quiet the log says how it is, and nothing flaps.
		for range 200 {
			w, _ = w.look(now, online, pair)
			now = now.Add(5 * time.Second)
		}
		if w.Told != online || w.Flapping != nil {
			t.Fatalf("online is %v in the end; remembered: %+v", online, w)
		}
	})
}

type step struct {
	online bool
	lasts  time.Duration
	notice bool
}

func TestAnAgentThatComesAndGoesIsFlappingUntilItStays(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	w := watched{Since: now}
	var events []string
	see := func(after time.Duration, online bool) {
		t.Helper()
		now = now.Add(after)
		var event string
		if w, event = w.look(now, online, 5*time.Minute); event != "" {
			events = append(events, event)
		}
	}
	see(0, true)
	see(time.Minute, false)
	see(time.Minute, true)
	if want := []string{cameOnline, wentOffline, cameOnline}; !slices.Equal(events, want) || w.Flapping != nil {
		t.Fatalf("events %v, flapping %v; want %v and not flapping", events, w.Flapping, want)
	}
	see(time.Minute, false)
	see(time.Minute, true)
	if len(events) != 3 || w.Flapping == nil {
		t.Fatalf("events %v, flapping %v; want no more, and flapping", events, w.Flapping)
	}
	see(4*time.Minute, true)
	if w.Flapping == nil {
		t.Error("not flapping after four quiet minutes")
	}
	see(time.Minute, true)
	if w.Flapping != nil {
		t.Error("still flapping after five quiet minutes")
	}
}
