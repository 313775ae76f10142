package health

import (
	"testing"
	"time"
)

func TestAWebhookIsDisabledForGoodReasonsAlone(t *testing.T) {
	now := time.Date(2026, 5, 20, 12, 0, 0, 0, time.UTC)
	ago := func(hours int) *time.Time {
		at := now.Add(-time.Duration(hours) * time.Hour)
		return &at
	}
	enabled := *ago(1000)
	tests := []struct {
		name   string
		record Record
		want   verdict
		reason string
	}{
		{"nothing wrong", Record{Since: enabled, LastSuccess: ago(1)}, goOn, ""},
		{
			"silent for five days, but few were given up",
			Record{Since: enabled, LastSuccess: ago(121), Exhausted: 9, FirstGivenUp: ago(100)},
			goOn,
			"",
		},
		{"half of it", Record{Since: enabled, LastSuccess: ago(61), Exhausted: 10, FirstGivenUp: ago(13)}, Warn, ""},
		{
			"half of it, told already",
			Record{Since: enabled, LastSuccess: ago(61), Exhausted: 10, FirstGivenUp: ago(13), Warned: ago(1)},
			goOn,
			"",
		},
		{
			"all of it",
			Record{Since: enabled, LastSuccess: ago(121), Exhausted: 20, FirstGivenUp: ago(24), Warned: ago(60)},
			Disable,
			ReasonSilent,
		},
		{"all at once", Record{Since: enabled, LastSuccess: ago(121), Exhausted: 200, FirstGivenUp: ago(1)}, goOn, ""},
		{
			"many, but a success four days ago",
			Record{Since: enabled, LastSuccess: ago(96), Exhausted: 200, FirstGivenUp: ago(90), Warned: ago(60)},
			goOn,
			"",
		},
		{
			"enabled again yesterday",
			Record{Since: *ago(24), LastSuccess: ago(500), Exhausted: 200, FirstGivenUp: ago(400)},
			goOn,
			"",
		},
		{"never a success", Record{Since: enabled, Exhausted: 20, FirstGivenUp: ago(30)}, Disable, ReasonSilent},
		{
			"refused twice",
			Record{Since: enabled, LastSuccess: ago(1), Exhausted: 2, Blocked: 2, FirstGivenUp: ago(1)},
			goOn,
			"",
		},
		{
			"refused three times",
			Record{Since: enabled, LastSuccess: ago(1), Exhausted: 3, Blocked: 3, FirstGivenUp: ago(1)},
			Disable,
			ReasonBlocked,
		},
	}
	for _, tt := range tests {
		if got, reason := tt.record.Judge(now); got != tt.want || reason != tt.reason {
			t.Errorf("%s: %v, %q; want %v, %q", tt.name, got, reason, tt.want, tt.reason)
		}
	}
}

func TestProbesComeEveryMinuteAndThenEveryFive(t *testing.T) {
	for probes, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute,
		5 * time.Minute} {
		if got := Pause(probes); got != want {
			t.Errorf("pause(%d) = %s; want %s", probes, got, want)
		}
	}
	if Pause(1_000_000) != longestPause {
		t.Error("many probes make the pause something else")
	}
}
