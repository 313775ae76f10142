package retryafter

import (
	"testing"
	"time"
)

func TestBothFormsAreRead(t *testing.T) {
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"0":                             0,
		" 120 ":                         2 * time.Minute,
		"1.5":                           1500 * time.Millisecond,
		"Mon, 04 May 2026 12:00:30 GMT": 30 * time.Second,
		"Mon, 04 May 2026 11:00:00 GMT": 0,
	} {
		if got, ok := Parse(value, now); !ok || got != want {
			t.Errorf("Parse(%q) = %v, %v; want %v", value, got, ok, want)
		}
	}
	for _, value := range []string{"", "soon", "-1", "NaN", "1e300", "Inf", "99999999999", "12 s", "2026-05-04T12:00:30Z"} {
		if got, ok := Parse(value, now); ok {
			t.Errorf("Parse(%q) = %v; want nothing", value, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("120")
	f.Add("Mon, 04 May 2026 12:00:30 GMT")
	f.Fuzz(func(t *testing.T, value string) {
		if wait, _ := Parse(value, time.Unix(0, 0)); wait < 0 {
			t.Errorf("Parse(%q) = %v", value, wait)
		}
	})
}
