package span_test

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

func TestLengthsAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"P1D": 24 * time.Hour, "P2W": 14 * 24 * time.Hour, "PT36H": 36 * time.Hour, "P1DT2H3M4S": 26*time.Hour + 3*time.Minute + 4*time.Second, "PT0S": 0, "P0D": 0,
	} {
		got, err := span.Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v; want %v", text, got, err, want)
		}
		if again, err := span.Parse(span.Format(got)); err != nil || again != want {
			t.Errorf("%v is written as %s and read as %v, %v", want, span.Format(got), again, err)
		}
	}
	for _, text := range []string{"", "P", "PT", "1D", "P1Y", "P1M", "P-1D", "P1.5D", "p1d", "P1D ", "P1W2D", "P10000D", "PT1H1H", "P1DT"} {
		if got, err := span.Parse(text); err == nil {
			t.Errorf("Parse(%q) = %v; want an error", text, got)
		}
	}
}
