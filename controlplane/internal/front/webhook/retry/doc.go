// Package retry says when the attempts of a delivery are due: five, within six hours of the first, with jitter. It is
// pure and owns no table.
//
// Package delivery draws the offsets when it makes a delivery; the worker of package webhook asks for the next attempt.
//
// Example: the offsets are 0, 80 s, 560 s, 3440 s and 20,700 s, give or take 25 per cent. After the second failure, the
// next attempt is due about 560 seconds after the first one began.
package retry
