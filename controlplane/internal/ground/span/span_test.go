package span_test

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

func TestLengthsAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"P1D": 24 * time.Hour, "P2W": 14 * 24 * time.Hour, "PT36H": 36 * time.Hour, "P1DT2H3M4S": 26*time.Hour +
			3*time.Minute + 4*time.Second, "PT0S": 0, "P0D": 0,
	} {
		got, err := span.Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v; want %v", text, got, err, want)
		}
		if again, err := span.Parse(span.Format(got)); err != nil || again != want {
			t.Errorf("%v is written as %s and read as %v, %v", want, span.Format(got), again, err)
		}
	}
	for _, text := range []string{"", "P", "PT", "1D", "P1Y", "P1M", "P-1D", "P1.5D", "p1d", "P1D ", "P1W2D", "P10000D",
		"PT1H1H", "P1DT"} {
		if got, err := span.Parse(text); err == nil {
			t.Errorf("Parse(%q) = %v; want an error", text, got)
		}
	}
}

func TestWholeDaysAreDaysOfTheCalendar(t *testing.T) {
	zurich, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		from string
		d    time.Duration
		want string
	}{
		{"2026-10-27T00:00:00+01:00", -3 * span.Day, "2026-10-24T00:00:00+02:00"}, // the clocks go back on the 25th
		{"2026-10-24T15:30:00+02:00", 3 * span.Day, "2026-10-27T15:30:00+01:00"},
		{"2027-03-30T00:00:00+02:00", -3 * span.Day, "2027-03-27T00:00:00+01:00"}, // they go forward on the 28th
		{"2026-10-24T15:30:00+02:00", 71 * time.Hour, "2026-10-27T13:30:00+01:00"},
		{"2026-10-24T15:30:00+02:00", 0, "2026-10-24T15:30:00+02:00"},
	} {
		from, _ := time.Parse(time.RFC3339, tt.from)
		if got := span.Add(from, tt.d, zurich).In(zurich).Format(time.RFC3339); got != tt.want {
			t.Errorf("%s and %v = %s; want %s", tt.from, tt.d, got, tt.want)
		}
	}
}
