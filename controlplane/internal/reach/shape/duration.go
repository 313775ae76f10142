package shape

import "time"

// Bounds of a breaker's window.
const (
	shortestWindow = time.Minute
	longestWindow  = 7 * 24 * time.Hour
)
