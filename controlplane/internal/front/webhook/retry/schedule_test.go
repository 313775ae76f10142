package retry

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestOffsetsAreDrawnFromTheirWholeWindows(t *testing.T) {
	const samples = 20_000
	var lowest, highest [Attempts]time.Duration
	for n := range samples {
		for i, o := range Draw() {
			if o < Windows[i].From || o > Windows[i].To {
				t.Fatalf("attempt %d is due after %s; want within %v", i+1, o, Windows[i])
			}
			if n == 0 || o < lowest[i] {
				lowest[i] = o
			}
			highest[i] = max(highest[i], o)
		}
	}
	for i, w := range Windows {
		if slack := (w.To - w.From) / 100; lowest[i] > w.From+slack || highest[i] < w.To-slack {
			t.Errorf("attempt %d fell within %s and %s of %v: the window is not used", i+1, lowest[i], highest[i], w)
		}
	}
}

// life plays a delivery that always fails, with attempts that take their time, and gives the starts of its attempts.
func life(
	late func(attempt int) time.Duration,
	takes func() time.Duration,
	wait func() time.Duration,
) (starts []time.Duration) {
	offsets := Draw()
	var at time.Duration
	for made := 1; ; made++ {
		starts = append(starts, at)
		due, more := Next(offsets, made, at+takes(), wait())
		if !more {
			return starts
		}
		at = due + late(made+1)
		if at >= Deadline {
			return starts
		}
	}
}

func never(int) time.Duration { return 0 }

func TestAFailingDeliveryIsTriedFiveTimesWithinItsWindows(t *testing.T) {
	for range 20_000 {
		starts := life(never, func() time.Duration { return 15 * time.Second }, func() time.Duration { return 0 })
		if len(starts) != Attempts {
			t.Fatalf("%d attempts; want %d", len(starts), Attempts)
		}
		for i, s := range starts[1:] {
			if w := Windows[i+1]; s < w.From || s > w.To {
				t.Fatalf("attempt %d began after %s; want within %v", i+2, s, w)
			}
		}
		if last := starts[Attempts-1]; last >= Deadline {
			t.Fatalf("the last attempt began after %s", last)
		}
	}
}

func TestNoAttemptIsTheSixthOrLaterThanSixHoursWhateverHappens(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		seconds := func(most int, name string) time.Duration {
			return time.Duration(rapid.IntRange(0, most).Draw(r, name)) * time.Second
		}
		starts := life(
			func(int) time.Duration { return seconds(8000, "late") },
			func() time.Duration { return seconds(16, "takes") },
			func() time.Duration { return seconds(100_000, "retry after") },
		)
		if len(starts) > Attempts {
			r.Fatalf("%d attempts", len(starts))
		}
		for i, s := range starts {
			if s >= Deadline {
				r.Fatalf("attempt %d began after %s", i+1, s)
			}
			if i > 0 && s-starts[i-1] < leastRest {
				r.Fatalf("attempts %d and %d began %s apart", i, i+1, s-starts[i-1])
			}
		}
	})
}

func TestARetryAfterPutsTheNextAttemptOffButNotBeyondTheLastWindow(t *testing.T) {
	offsets := [Attempts]time.Duration{0, 80 * time.Second, 560 * time.Second, 3440 * time.Second, 20_700 * time.Second}
	tests := []struct {
		made          int
		elapsed, wait time.Duration
		want          time.Duration
		more          bool
	}{
		{1, time.Second, 0, 80 * time.Second, true},
		{1, time.Second, 30 * time.Second, 80 * time.Second, true},
		{1, time.Second, 2 * time.Minute, 121 * time.Second, true},
		{1, time.Second, 24 * time.Hour, 21528 * time.Second, true},
		{2, 81 * time.Second, 0, 560 * time.Second, true},
		{
			2,
			3435 * time.Second,
			0,
			20_700 * time.Second,
			true,
		}, // two were missed: the one that is nearly due is left out
		{4, 3441 * time.Second, 0, 20_700 * time.Second, true},
		{4, 20_690 * time.Second, 0, 0, false},
		{5, 20_701 * time.Second, 0, 0, false},
		{1, 21_528 * time.Second, 0, 0, false},
	}
	for _, tt := range tests {
		got, more := Next(offsets, tt.made, tt.elapsed, tt.wait)
		if got != tt.want || more != tt.more {
			t.Errorf(
				"next(%d attempts, %s, retry after %s) = %s, %v; want %s, %v",
				tt.made,
				tt.elapsed,
				tt.wait,
				got,
				more,
				tt.want,
				tt.more,
			)
		}
	}
}
