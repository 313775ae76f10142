package session

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/protocol/wire"
)

// Why an agent that is online is degraded.
const (
	ClockSkew       = "clock_skew"            // its clock is off by more than two minutes
	SpoolNearlyFull = "spool_nearly_full"     // its spool is filled to more than 80 %
	SpoolFailed     = wire.TroubleSpool       // its disk takes nothing more
	OldVersion      = "version_below_minimum" // its program is older than the minimum version
)

// DegradedReasons says why an agent is degraded, by its hello, its clock and its last heartbeat, if there was one. The
// oldest version that is not degraded is least, such as 1.4; empty: any.
func DegradedReasons(hello wire.Hello, skew time.Duration, beat *wire.Heartbeat, least string) []string {
	out := []string{}
	if skew.Abs() > wire.ClockSkew {
		out = append(out, ClockSkew)
	}
	if older(hello.Version, least) {
		out = append(out, OldVersion)
	}
	if beat == nil {
		return out
	}
	if most := hello.Limits.SpoolBytes; most > 0 && beat.SpoolBytes > most/5*4 {
		out = append(out, SpoolNearlyFull)
	}
	if slices.Contains(beat.Trouble, SpoolFailed) {
		out = append(out, SpoolFailed)
	}
	return out
}

// older compares versions by their numbers, such as 1.10.2 and 1.9. A version that is none, as builds from source have,
// is not older than any.
func older(version, least string) bool {
	have, ok := numbers(version)
	want, asked := numbers(least)
	return ok && asked && slices.Compare(have, want) < 0
}

func numbers(version string) ([]int, bool) {
	version, dev, _ := strings.Cut(strings.TrimPrefix(version, "v"), "-")
	if version == "0.0.0" && dev != "" {
		return nil, false
	}
	var out []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil, false
		}
		out = append(out, n)
	}
	for len(out) > 0 && out[len(out)-1] == 0 {
		out = out[:len(out)-1] // 1.4.0 is 1.4
	}
	return out, true
}

// Skew is how far an agent's clock is ahead of ours; an agent that does not report its clock has none.
func Skew(clock time.Time) time.Duration {
	if clock.IsZero() {
		return 0
	}
	return time.Until(clock)
}
