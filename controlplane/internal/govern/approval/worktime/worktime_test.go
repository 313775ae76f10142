package worktime_test

import (
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/worktime"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func office(z *time.Location, holidays ...string) worktime.Calendar {
	c := worktime.Calendar{Zone: z, Holidays: map[string]bool{}}
	for day := time.Monday; day <= time.Friday; day++ {
		c.Week[day] = []worktime.Hours{{From: 9 * 60, To: 12 * 60}, {From: 13 * 60, To: 17 * 60}}
	}
	for _, h := range holidays {
		c.Holidays[h] = true
	}
	return c
}

func TestWorkingTimeIsCountedAsPeopleMeanIt(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	c := office(berlin, "2026-12-25")
	night := worktime.Calendar{Zone: berlin}
	for d := range night.Week {
		night.Week[d] = []worktime.Hours{{From: 60, To: 4 * 60}}
	}
	apia := worktime.Calendar{Zone: zone(t, "Pacific/Apia")}
	for d := range apia.Week {
		apia.Week[d] = []worktime.Hours{{From: 9 * 60, To: 10 * 60}}
	}
	for _, tt := range []struct {
		about    string
		calendar worktime.Calendar
		from     string
		within   time.Duration
		want     string
	}{
		{"a day from a Friday", c, "2026-11-20T15:00:00+01:00", 24 * time.Hour, "2026-11-23T15:00:00+01:00"},
		{"a day from a Saturday", c, "2026-11-21T15:00:00+01:00", 24 * time.Hour, "2026-11-24T09:00:00+01:00"},
		{"a day, asked at lunch", c, "2026-11-23T12:30:00+01:00", 24 * time.Hour, "2026-11-24T13:00:00+01:00"},
		{"a day over a holiday and a weekend", c, "2026-12-24T10:00:00+01:00", 24 * time.Hour,
			"2026-12-28T10:00:00+01:00"},
		{"three days", c, "2026-11-24T10:00:00+01:00", 72 * time.Hour, "2026-11-27T10:00:00+01:00"},
		{"four hours over lunch", c, "2026-11-24T10:00:00+01:00", 4 * time.Hour, "2026-11-24T15:00:00+01:00"},
		{"until the day ends", c, "2026-11-24T10:00:00+01:00", 6 * time.Hour, "2026-11-24T17:00:00+01:00"},
		{"into the next day", c, "2026-11-24T16:30:00+01:00", time.Hour, "2026-11-25T09:30:00+01:00"},
		{"a day and two hours", c, "2026-11-24T16:00:00+01:00", 26 * time.Hour, "2026-11-26T10:00:00+01:00"},
		{"a night in which the clock goes forward has an hour less", night, "2026-03-29T00:00:00+01:00", 3 * time.Hour,
			"2026-03-30T02:00:00+02:00"},
		{"a night in which it goes back has an hour more", night, "2026-10-25T00:00:00+02:00", 4 * time.Hour,
			"2026-10-25T04:00:00+01:00"},
		{"a day that an island left out", apia, "2011-12-29T09:30:00-10:00", 24 * time.Hour,
			"2011-12-31T09:30:00+14:00"},
		{"a calendar in which nobody works", worktime.Calendar{Zone: berlin}, "2026-11-24T10:00:00+01:00", time.Hour,
			"2026-11-24T11:00:00+01:00"},
	} {
		from, want := moment(t, tt.from), moment(t, tt.want)
		if got := tt.calendar.Add(from, tt.within); !got.Equal(want) {
			t.Errorf("%s: %s; want %s", tt.about, got.In(tt.calendar.Zone).Format(time.RFC3339), tt.want)
		}
	}
}

func moment(t testing.TB, s string) time.Time {
	t.Helper()
	m, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestHoursAgreeWithAClockThatIsReadEveryMinute counts by looking at the clock on the wall, minute after minute.
func TestHoursAgreeWithAClockThatIsReadEveryMinute(t *testing.T) {
	zones := []*time.Location{
		zone(t, "Europe/Berlin"),
		zone(t, "America/Sao_Paulo"),
		zone(t, "Australia/Lord_Howe"),
		zone(t, "Pacific/Apia"),
		time.UTC,
	}
	beginnings := []string{
		"2026-03-27T00:00:00Z",
		"2026-10-23T00:00:00Z",
		"2017-10-13T00:00:00Z",
		"2018-02-16T00:00:00Z",
		"2026-04-03T00:00:00Z",
		"2011-12-28T00:00:00Z",
		"2026-07-01T00:00:00Z",
	}
	rapid.Check(t, func(t *rapid.T) {
		c := worktime.Calendar{Zone: rapid.SampledFrom(zones).Draw(t, "zone"), Holidays: map[string]bool{}}
		for d := range c.Week {
			at := 0
			for range rapid.IntRange(0, 2).Draw(t, "parts") {
				from := at + rapid.IntRange(0, 700).Draw(t, "from")
				to := min(1440, from+rapid.IntRange(1, 600).Draw(t, "long"))
				if from >= to || from > 1439 {
					break
				}
				c.Week[d] = append(c.Week[d], worktime.Hours{From: from, To: to})
				at = to + 1
			}
		}
		first, _ := time.Parse(time.RFC3339, rapid.SampledFrom(beginnings).Draw(t, "about"))
		from := first.Add(time.Duration(rapid.IntRange(0, 4*1440).Draw(t, "minute")) * time.Minute)
		holiday := from.In(c.Zone).AddDate(0, 0, rapid.IntRange(0, 3).Draw(t, "holiday"))
		c.Holidays[holiday.Format(time.DateOnly)] = true
		within := time.Duration(rapid.IntRange(1, 23*60+59).Draw(t, "within")) * time.Minute
		working := func(at time.Time) bool {
			wall := at.In(c.Zone)
			minute := wall.Hour()*60 + wall.Minute()
			if c.Holidays[wall.Format(time.DateOnly)] {
				return false
			}
			for _, h := range c.Week[wall.Weekday()] {
				if h.From <= minute && minute < h.To {
					return true
				}
			}
			return false
		}
		want, passed := from, time.Duration(0)
		for passed < within && want.Sub(from) < 60*24*time.Hour {
			if working(want) {
				passed += time.Minute
			}
			want = want.Add(time.Minute)
		}
		if passed < within {
			t.Skip("nobody works")
		}
		if got := c.Add(from, within); !got.Equal(want) {
			t.Fatalf("%s and %s of work in %s: %s; want %s (%+v)", from, within, c.Zone, got, want, c.Week)
		}
		if got, want := c.Works(from), working(from); got != want {
			t.Fatalf("Works(%s) = %v; want %v", from, got, want)
		}
	})
}

// TestDaysAgreeWithACalendarOnTheWall goes from date to date.
func TestDaysAgreeWithACalendarOnTheWall(t *testing.T) {
	z := zone(t, "America/New_York")
	rapid.Check(t, func(t *rapid.T) {
		c := office(z)
		first := time.Date(2026, time.Month(rapid.IntRange(1, 12).Draw(t, "month")), 1, 0, 0, 0, 0, z)
		for range rapid.IntRange(0, 5).Draw(t, "holidays") {
			c.Holidays[first.AddDate(0, 0, rapid.IntRange(0, 30).Draw(t, "holiday")).Format(time.DateOnly)] = true
		}
		from := first.Add(time.Duration(rapid.IntRange(0, 20*1440).Draw(t, "minute")) * time.Minute)
		days := rapid.IntRange(1, 12).Draw(t, "days")
		free := func(d time.Time) bool {
			return d.Weekday() == time.Saturday || d.Weekday() == time.Sunday || c.Holidays[d.Format(time.DateOnly)]
		}
		begins, found := c.Next(from)
		if !found {
			t.Fatal("no working day")
		}
		date := begins.In(z)
		for range days {
			date = date.AddDate(0, 0, 1)
			for free(date) {
				date = date.AddDate(0, 0, 1)
			}
		}
		if got := c.Add(from, time.Duration(days)*24*time.Hour); !got.Equal(date) {
			t.Fatalf("%d days from %s: %s; want %s", days, from, got.In(z), date)
		}
	})
}

func TestTurnsChangeByTheClockOnTheWall(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	start := moment(t, "2026-03-27T08:00:00+01:00")
	for at, want := range map[string]int{
		"2026-03-01T08:00:00+01:00": 0, "2026-03-27T08:00:00+01:00": 0, "2026-03-28T07:59:59+01:00": 0,
		"2026-03-28T08:00:00+01:00": 1,
		"2026-03-29T07:59:59+02:00": 1, "2026-03-29T08:00:00+02:00": 2, "2026-03-30T08:00:00+02:00": 0,
	} {
		if got := worktime.Turn(3, start, 24*time.Hour, berlin, moment(t, at)); got != want {
			t.Errorf("at %s it is the turn of %d; want %d", at, got, want)
		}
	}
	if got := worktime.Turn(2, start, 12*time.Hour, berlin, start.Add(36*time.Hour)); got != 1 {
		t.Errorf("the fourth shift of 12 hours is that of %d; want 1", got)
	}
}
