package chain_test

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
)

func at(t testing.TB, s string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAWindowSaysWhenItIsOpen(t *testing.T) {
	weekdays := &approval.DecisionWindow{Days: []string{"mon", "Tuesday", "wed", "thu", "fri"}, From: "09:00", To: "17:00", Timezone: "Europe/Berlin"}
	nights := &approval.DecisionWindow{Days: []string{"fri"}, From: "22:00", To: "02:00", Timezone: "UTC"}
	for _, tt := range []struct {
		name      string
		window    *approval.DecisionWindow
		now, want string // want is empty: now
	}{
		{"none", nil, "2026-03-02T03:00:00Z", ""},
		{"inside", weekdays, "2026-03-02T08:00:00Z", ""},
		{"before", weekdays, "2026-03-02T07:59:59Z", "2026-03-02T08:00:00Z"},
		{"at its end", weekdays, "2026-03-02T16:00:00Z", "2026-03-03T08:00:00Z"},
		{"over the weekend", weekdays, "2026-03-06T16:30:00Z", "2026-03-09T08:00:00Z"},
		{"over the change of clocks", weekdays, "2026-03-27T17:00:00Z", "2026-03-30T07:00:00Z"},
		{"before midnight", nights, "2026-03-06T23:00:00Z", ""},
		{"after midnight", nights, "2026-03-07T01:59:00Z", ""},
		{"when the night is over", nights, "2026-03-07T02:00:00Z", "2026-03-13T22:00:00Z"},
		{"every day", &approval.DecisionWindow{From: "10:00", To: "11:00", Timezone: "UTC"}, "2026-03-07T11:00:00Z", "2026-03-08T10:00:00Z"},
		{"until midnight", &approval.DecisionWindow{From: "10:00", To: "24:00", Timezone: "UTC"}, "2026-03-07T23:59:59Z", ""},
		{"one that cannot be read", &approval.DecisionWindow{From: "10", To: "11:00", Timezone: "UTC"}, "2026-03-07T11:00:00Z", ""},
		{"an unknown zone", &approval.DecisionWindow{From: "10:00", To: "11:00", Timezone: "Mars/Base"}, "2026-03-07T11:00:00Z", ""},
	} {
		want := tt.want
		if want == "" {
			want = tt.now
		}
		if got := chain.OpensAt(tt.window, at(t, tt.now)).UTC().Format(time.RFC3339); got != want {
			t.Errorf("%s: %s opens at %s; want %s", tt.name, tt.now, got, want)
		}
	}
}

func TestATimeOfDayIsFoundOnTheClocksOfItsZone(t *testing.T) {
	for _, tt := range []struct{ clock, zone, now, want string }{
		{"06:00", "UTC", "2026-03-02T05:00:00Z", "2026-03-02T06:00:00Z"},
		{"06:00", "UTC", "2026-03-02T06:00:00Z", "2026-03-02T06:00:00Z"},
		{"06:00", "UTC", "2026-03-02T06:00:01Z", "2026-03-03T06:00:00Z"},
		{"06:00", "America/New_York", "2026-03-02T05:00:00Z", "2026-03-02T11:00:00Z"},
		{"06:00", "America/New_York", "2026-03-08T03:00:00Z", "2026-03-08T10:00:00Z"},
	} {
		got, err := chain.NextTime(tt.clock, tt.zone, at(t, tt.now))
		if err != nil || got.Format(time.RFC3339) != tt.want {
			t.Errorf("%s in %s after %s: %s, %v; want %s", tt.clock, tt.zone, tt.now, got, err, tt.want)
		}
	}
	for _, bad := range [][2]string{{"25:00", "UTC"}, {"six", "UTC"}, {"06:00", "Nowhere"}} {
		if got, err := chain.NextTime(bad[0], bad[1], time.Now()); err == nil {
			t.Errorf("%v gives %s; want an error", bad, got)
		}
	}
}
