package retry

import (
	"math/rand/v2"
	"time"
)

// Attempts is how often a delivery is tried at most.
const Attempts = 5

// window is when an attempt may begin. The nominal offsets are 0, 80 s, 560 s, 3440 s and 20,700 s, with jitter of 25
// per cent and of 4 per cent for the last, so that all five begin within six hours of the first.
type window struct{ From, To time.Duration }

// Windows are measured from the start of the first attempt; that of the first from when the delivery was made.
var Windows = [Attempts]window{
	{0, time.Second},
	{60 * time.Second, 100 * time.Second},
	{420 * time.Second, 700 * time.Second},
	{2580 * time.Second, 4300 * time.Second},
	{19872 * time.Second, 21528 * time.Second},
}

const (
	Deadline  = 6 * time.Hour    // no attempt begins later than this after the first
	leastRest = 30 * time.Second // between two attempts, when one of them was late
	// who is late by more than this was missed; within how long a missed attempt is made up for
	CatchUp = time.Minute
)

// Draw chooses the offsets of a delivery's attempts, once.
func Draw() (offsets [Attempts]time.Duration) {
	for i, w := range Windows {
		offsets[i] = w.From + rand.N(w.To-w.From+1).Truncate(time.Millisecond)
	}
	return offsets
}

// Next is when the attempt after the one that has just failed is due, counted from the start of the first. made
// attempts have been made, elapsed is the time since the start of the first, and wait what the receiver has asked for.
// Attempts whose time has gone by are not made up for one by one. There is none when the attempts, or the six hours,
// are used up.
func Next(offsets [Attempts]time.Duration, made int, elapsed, wait time.Duration) (due time.Duration, more bool) {
	for i := max(made, 1); i < Attempts; i++ {
		if offsets[i] < elapsed+leastRest {
			continue
		}
		return min(max(offsets[i], elapsed+wait), Windows[Attempts-1].To), true
	}
	return 0, false
}
