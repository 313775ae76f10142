// Package duration reads and writes the ISO 8601 durations of schedules (PT15M, P1DT2H), and says them in words.
package duration
