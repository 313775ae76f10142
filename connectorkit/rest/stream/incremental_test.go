package stream

import (
	"testing"
	"time"
)

func TestMomentsAreWrittenAsTheTargetWantsThem(t *testing.T) {
	at := time.Date(2026, 5, 1, 23, 59, 59, 987_654_321, time.FixedZone("", 7200))
	for format, want := range map[string]string{
		formatRFC3339: "2026-05-01T21:59:59.987Z", formatSeconds: "1777672799", formatMillis: "1777672799987",
		formatDate: "2026-05-01",
	} {
		if got := (&Incremental{IncrementalDefinition: IncrementalDefinition{Format: format}}).FormatTime(
			at,
		); got != want {
			t.Errorf("%s = %s, want %s", format, got, want)
		}
	}
}
