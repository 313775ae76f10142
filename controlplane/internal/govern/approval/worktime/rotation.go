package worktime

import "time"

// Turn is whose turn it is in a rotation of n, from 0, when each has it for a shift and the first began at start.
// Shifts of whole days change at the same time by the clock on the wall. Before start it is the first's.
func Turn(n int, start time.Time, shift time.Duration, zone *time.Location, at time.Time) int {
	const day = 24 * time.Hour
	if n <= 0 || shift <= 0 || at.Before(start) {
		return 0
	}
	passed := int64(at.Sub(start) / shift)
	if shift%day == 0 {
		days := int(shift / day)
		begins := func(turn int64) time.Time { return start.In(zone).AddDate(0, 0, int(turn)*days) }
		// A change of the clock makes a day longer or shorter, never by as much as another day.
		for passed > 0 && begins(passed).After(at) {
			passed--
		}
		for !begins(passed + 1).After(at) {
			passed++
		}
	}
	return int(passed % int64(n))
}
