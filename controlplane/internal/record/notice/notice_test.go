package notice_test

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

func moment(t *testing.T, s string) time.Time {
	t.Helper()
	m, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The clocks of Zurich skip 02:00 to 03:00 on 2026-03-29, and show 02:00 to 03:00 twice on 2026-10-25. Lord Howe's
// change is of half an hour, and Beirut's skips midnight.
func TestADigestIsDueOnceADayAtTheLocalHour(t *testing.T) {
	for _, tt := range []struct {
		name, zone string
		hour       int
		last, now  string
		want       string
	}{
		{"later today", "Europe/Zurich", 9, "", "2026-01-15T07:00:00Z", "2026-01-15T08:00:00Z"},
		{"tomorrow", "Europe/Zurich", 9, "", "2026-01-15T08:00:00Z", "2026-01-16T08:00:00Z"},
		{"not twice a day", "Europe/Zurich", 9, "2026-01-15T07:30:00Z", "2026-01-15T07:45:00Z", "2026-01-16T08:00:00Z"},
		{"over the change in spring", "Europe/Zurich", 9, "2026-03-28T08:00:00Z", "2026-03-28T08:00:00Z", "2026-03-29T07:00:00Z"},
		{"over the change in autumn", "Europe/Zurich", 9, "2026-10-24T07:00:00Z", "2026-10-24T07:00:00Z", "2026-10-25T08:00:00Z"},
		{"an hour that is skipped", "Europe/Zurich", 2, "2026-03-28T01:00:00Z", "2026-03-28T01:00:00Z", "2026-03-29T01:00:00Z"},
		{"the day after it", "Europe/Zurich", 2, "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z"},
		{"an hour that comes twice", "Europe/Zurich", 2, "2026-10-24T00:00:00Z", "2026-10-24T00:00:00Z", "2026-10-25T00:00:00Z"},
		{"not the second time", "Europe/Zurich", 2, "2026-10-25T00:00:00Z", "2026-10-25T00:00:00Z", "2026-10-26T01:00:00Z"},
		{"New York in spring", "America/New_York", 2, "", "2026-03-08T05:00:00Z", "2026-03-08T07:00:00Z"},
		{"New York in autumn", "America/New_York", 1, "", "2026-11-01T04:00:00Z", "2026-11-01T05:00:00Z"},
		{"half an hour is skipped", "Australia/Lord_Howe", 2, "", "2026-10-03T12:00:00Z", "2026-10-03T15:30:00Z"},
		{"midnight is skipped", "Asia/Beirut", 0, "", "2026-03-28T12:00:00Z", "2026-03-28T22:00:00Z"},
		{"an unknown zone is UTC", "Mars/Olympus", 9, "", "2026-01-15T07:00:00Z", "2026-01-15T09:00:00Z"},
		{"ahead of UTC", "Pacific/Kiritimati", 9, "", "2026-01-15T18:59:00Z", "2026-01-15T19:00:00Z"},
	} {
		last := time.Time{}
		if tt.last != "" {
			last = moment(t, tt.last)
		}
		got := notice.NextDigest(tt.hour, notice.Zone(tt.zone), last, moment(t, tt.now))
		if want := moment(t, tt.want); !got.Equal(want) {
			t.Errorf("%s: got %s; want %s", tt.name, got.UTC(), want)
		}
	}
}

func TestEveryDayHasOneDigest(t *testing.T) {
	for _, zone := range []string{"Europe/Zurich", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "UTC"} {
		loc := notice.Zone(zone)
		for hour := range 24 {
			now := moment(t, "2026-01-01T00:00:00Z")
			last, days := time.Time{}, map[string]int{}
			for range 365 {
				next := notice.NextDigest(hour, loc, last, now)
				if !next.After(now) || next.Sub(now) > 25*time.Hour+30*time.Minute {
					t.Fatalf("%s at %d: after %s comes %s", zone, hour, now, next)
				}
				days[next.In(loc).Format(time.DateOnly)]++
				last, now = next, next
			}
			if len(days) != 365 {
				t.Errorf("%s at %d: %d days; want 365", zone, hour, len(days))
			}
		}
	}
}

func TestQuietHoursEndAtTheLocalTime(t *testing.T) {
	night := notice.Quiet{From: "20:00", To: "07:00"}
	for _, tt := range []struct {
		name      string
		quiet     notice.Quiet
		now, want string
	}{
		{"by day", night, "2026-01-15T12:00:00Z", "2026-01-15T12:00:00Z"},
		{"in the evening", night, "2026-01-15T19:00:00Z", "2026-01-16T06:00:00Z"},
		{"in the morning", night, "2026-01-15T05:59:00Z", "2026-01-15T06:00:00Z"},
		{"at the end", night, "2026-01-15T06:00:00Z", "2026-01-15T06:00:00Z"},
		{"the night of the change in spring", night, "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"},
		{"the night of the change in autumn", night, "2026-10-24T22:00:00Z", "2026-10-25T06:00:00Z"},
		{"at noon", notice.Quiet{From: "12:00", To: "13:00"}, "2026-01-15T11:30:00Z", "2026-01-15T12:00:00Z"},
		{"a weekend", notice.Quiet{Weekends: true}, "2026-01-17T10:00:00Z", "2026-01-18T23:00:00Z"},
		{"a weekend with nights", notice.Quiet{From: "20:00", To: "07:00", Weekends: true}, "2026-01-16T20:00:00Z", "2026-01-19T06:00:00Z"},
		{"none", notice.Quiet{}, "2026-01-17T02:00:00Z", "2026-01-17T02:00:00Z"},
	} {
		got := tt.quiet.Until(notice.Zone("Europe/Zurich"), moment(t, tt.now))
		if want := moment(t, tt.want); !got.Equal(want) {
			t.Errorf("%s: got %s; want %s", tt.name, got.UTC(), want)
		}
	}
}

func TestDecisionsAboutANotification(t *testing.T) {
	task, _ := notice.Find(notice.TaskAssigned)
	told, _ := notice.Find(notice.RequestSubmitted)
	invited, _ := notice.Find(notice.UserInvited)
	rules := notice.Rules{
		Modes:  notice.Choices{notice.Requests: notice.Digest},
		Locked: []notice.Group{notice.Requests},
	}
	for _, tt := range []struct {
		name   string
		kind   notice.Kind
		own    notice.Choices
		urgent bool
		want   notice.Mode
	}{
		{"asked by name", task, nil, false, notice.Immediate},
		{"digest chosen", task, notice.Choices{notice.Tasks: notice.Digest}, true, notice.Digest},
		{"off chosen", task, notice.Choices{notice.Tasks: notice.Off}, true, notice.Off},
		{"an unknown choice", task, notice.Choices{notice.Tasks: "loud"}, false, notice.Immediate},
		{"locked", told, notice.Choices{notice.Requests: notice.Off}, false, notice.Digest},
		{"an invitation is always sent", invited, notice.Choices{notice.Account: notice.Off}, false, notice.Immediate},
	} {
		if got := notice.Decide(tt.kind, rules.Mode(tt.kind.Group, tt.own), tt.urgent); got != tt.want {
			t.Errorf("%s: got %s; want %s", tt.name, got, tt.want)
		}
	}
	if got := notice.Decide(told, notice.Smart, false); got != notice.Digest {
		t.Errorf("smart, not urgent: got %s", got)
	}
	if got := notice.Decide(told, notice.Smart, true); got != notice.Immediate {
		t.Errorf("smart, urgent: got %s", got)
	}
}
