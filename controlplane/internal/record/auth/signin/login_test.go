package signin

import (
	"testing"
	"time"
)

func TestARefusalTakesWholeSteps(t *testing.T) {
	for elapsed, want := range map[time.Duration]time.Duration{
		0: 0, time.Millisecond: step - time.Millisecond, 38 * time.Millisecond: step - 38*time.Millisecond, step: 0,
		step + time.Nanosecond: step - time.Nanosecond,
	} {
		if got := rest(elapsed); got != want {
			t.Errorf("rest(%s) = %s; want %s", elapsed, got, want)
		}
	}
}
