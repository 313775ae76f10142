package cron

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"pgregory.net/rapid"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func parsed(t testing.TB, text string) Expression {
	t.Helper()
	e, err := Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return e
}

func TestOccurrences(t *testing.T) {
	for _, c := range []struct{ expression, zone, after, want string }{
		{"*/15 * * * *", "UTC", "2026-01-01T00:00:00Z", "00:15 00:30 00:45"},
		{"0 2 * * *", "Europe/Berlin", "2026-01-01T12:00:00Z", "2026-01-02T01:00 2026-01-03T01:00"},
		{"30 6-8 * * mon-fri", "Asia/Kolkata", "2026-01-02T12:00:00Z", "2026-01-05T01:00 2026-01-05T02:00 " +
			"2026-01-05T03:00"},
		{"0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2104-02-29T00:00"},
		{"0 0 13 * fri", "UTC", "2026-01-10T00:00:00Z", "2026-01-13T00:00 2026-01-16T00:00"}, // either is enough
		{"0 0 */2 * fri", "UTC", "2026-01-10T00:00:00Z", "2026-01-23T00:00"},                 // a * asks for both
		{"0 12 * * 7", "UTC", "2026-01-01T00:00:00Z", "2026-01-04T12:00"},
		{"@weekly", "UTC", "2026-01-01T00:00:00Z", "2026-01-04T00:00"},
		{"0 0 1 JAN,Jul *", "UTC", "2026-01-01T00:00:00Z", "2026-07-01T00:00"},
		// Put forward from 02:00 to 03:00 (01:00 UTC): what does not exist is due once, right after.
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00 2026-03-30T00:30"},
		{"*/20 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00 2026-03-29T01:20 " +
			"2026-03-29T01:40 2026-03-30T00:00"},
		// Put back from 03:00 to 02:00 (01:00 UTC): what comes twice is due when it comes first.
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", "2026-10-25T00:30 2026-10-26T01:30"},
		{"*/30 1-3 * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", "2026-10-25T00:30 2026-10-25T02:00 " +
			"2026-10-25T02:30"},
		// Half an hour only, at two in the morning.
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", "2026-10-03T15:30"},
		// Put forward at midnight, and a day that never was.
		{"0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-04T03:00 2018-11-05T02:00"},
		{"0 12 30 12 *", "Pacific/Apia", "2011-12-29T00:00:00Z", "2011-12-30T10:00 2012-12-29T22:00"},
		// Put back at midnight to the evening before.
		{"30 23 * * *", "America/Sao_Paulo", "2018-02-17T12:00:00Z", "2018-02-18T01:30 2018-02-19T02:30"},
	} {
		after, err := time.Parse(time.RFC3339, c.after)
		if err != nil {
			t.Fatal(err)
		}
		e := parsed(t, c.expression)
		for _, want := range strings.Fields(c.want) {
			after = e.Next(after, zone(t, c.zone))
			if got := after.UTC().Format("2006-01-02T15:04"); !strings.HasSuffix(got, want) {
				t.Errorf("%s in %s: %s, want %s", c.expression, c.zone, got, want)
			}
		}
	}
}

func TestWhatIsWrongIsNamedWithItsPlace(t *testing.T) {
	for text, want := range map[string]string{
		"":              "five fields are needed",
		"* * * *":       "here are 4",
		"0 */5 * * * *": "here are 6 (seconds and years are not among them)",
		"@reboot":       "there are the words @hourly",
		"60 * * * *":    "minute (character 1): 60 is not between 0 and 59",
		"0 1,24 * * *":  "hour (character 5): 24 is not between 0 and 23",
		"0  0  0 * *":   "day of month (character 7): 0 is not between 1 and 31",
		"0 0 1 13 *":    "month (character 7): 13 is not between 1 and 12",
		"0 0 * * mon-funday": "day of week (character 13): a number or a name such as mon is needed here, " +
			"not \"funday\"",
		"0 22-2 * * *":                  "hour (character 3): 22-2 runs backwards; write it as two, 22-23,0-2",
		"*/0 * * * *":                   "minute (character 3): a step of 0 is not between 1 and 60",
		"5/10 * * * *":                  "minute (character 2): a step goes with * or a range: write 5-59/10",
		"1,,2 * * * *":                  "minute (character 3): a value is missing",
		"-5 * * * *":                    "minute (character 1): a number is needed here, not nothing",
		"0 0 L * *":                     "day of month (character 5): a number is needed here, not \"L\"",
		"0 0 ? * mon#2":                 "day of month (character 5)",
		"0 0 30 2 *":                    "no day matches",
		"0 0 31 4,6,9,11 */2":           "no day matches",
		"99999999999999999999 * * * *":  "minute (character 1)",
		"0 0 * * \u0661":                "day of week (character 9)",
		strings.Repeat("1,", 300) + "1": "longer than 500 characters",
	} {
		_, err := Parse(text)
		var p *Problem
		if !errors.As(err, &p) || !strings.Contains(err.Error(), want) || p.Code == "" {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}

func TestShortest(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"* * * * *": time.Minute, "*/5 * * * *": 5 * time.Minute, "0,58 * * * *": 2 * time.Minute,
		"0 2 * * *":       24 * time.Hour,
		"2,58 0,23 * * *": 4 * time.Minute,                                 // over midnight
		"2,58 0,23 1 * *": 56 * time.Minute,                                // never two days running
		"0,7 * * * *":     7 * time.Minute, "*/7 * * * *": 4 * time.Minute, // 56 to 0
	} {
		if got := parsed(t, text).Shortest(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// expressions are generated field by field, valid ones alone.
func expressions() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var out []string
		for _, f := range fields {
			value := rapid.IntRange(f.min, f.max)
			item := rapid.Custom(func(t *rapid.T) string {
				a, b := value.Draw(t, "a"), value.Draw(t, "b")
				a, b = min(a, b), max(a, b)
				switch rapid.IntRange(0, 4).Draw(t, "form") {
				case 0:
					return fmt.Sprint(a)
				case 1:
					return fmt.Sprintf("%d-%d", a, b)
				case 2:
					return fmt.Sprintf("%d-%d/%d", a, b, rapid.IntRange(1, f.max-f.min+1).Draw(t, "step"))
				case 3:
					return fmt.Sprintf("*/%d", rapid.IntRange(1, f.max-f.min+1).Draw(t, "step"))
				}
				return "*"
			})
			out = append(out, strings.Join(rapid.SliceOfN(item, 1, 3).Draw(t, f.name), ","))
		}
		return strings.Join(out, " ")
	}).Filter(func(text string) bool { _, err := Parse(text); return err == nil })
}

// matches says for each field by itself whether a wall clock's time belongs to an expression, from its text alone.
func matches(text string, at time.Time) bool {
	parts := strings.Fields(text)
	in := func(i, v int) bool {
		for _, item := range strings.Split(parts[i], ",") {
			span, step := item, 1
			if a, b, found := strings.Cut(item, "/"); found {
				span = a
				_, _ = fmt.Sscan(b, &step)
			}
			from, to := fields[i].min, fields[i].max
			if span != "*" {
				if n, _ := fmt.Sscanf(span, "%d-%d", &from, &to); n == 1 {
					to = from
				}
			}
			if i == 4 && span == "*" {
				to = 6
			}
			if v >= from && v <= to && (v-from)%step == 0 {
				return true
			}
		}
		return false
	}
	day, weekday := in(2, at.Day()), in(4, int(at.Weekday())) || at.Weekday() == 0 && in(4, 7)
	both := day && weekday
	if !strings.HasPrefix(parts[2], "*") && !strings.HasPrefix(parts[4], "*") {
		both = day || weekday
	}
	return in(0, at.Minute()) && in(1, at.Hour()) && in(3, int(at.Month())) && both
}

// walk goes through every minute of a period and watches the clock on the wall, as one would by hand.
func walk(text string, z *time.Location, from, to time.Time) (due []time.Time) {
	shown := func(at time.Time) time.Time {
		l := at.In(z)
		return time.Date(l.Year(), l.Month(), l.Day(), l.Hour(), l.Minute(), 0, 0, time.UTC)
	}
	latest := shown(from)
	for at := from.Add(time.Minute); !at.After(to); at = at.Add(time.Minute) {
		now := shown(at)
		hit := false
		for c := latest.Add(time.Minute); !c.After(now); c = c.Add(time.Minute) {
			hit = hit || matches(text, c)
		}
		if hit {
			due = append(due, at)
		}
		if now.After(latest) {
			latest = now
		}
	}
	return due
}

var zones = []struct {
	name    string
	changes []string // near which clocks are changed
}{
	{"UTC", []string{"2026-02-27T00:00:00Z"}},
	{"Europe/Berlin", []string{"2026-03-28T00:00:00Z", "2026-10-24T00:00:00Z"}},
	{"America/New_York", []string{"2026-03-07T00:00:00Z", "2026-10-31T00:00:00Z"}},
	{"Australia/Lord_Howe", []string{"2026-04-03T00:00:00Z", "2026-10-02T00:00:00Z"}},
	{"America/Sao_Paulo", []string{"2018-11-03T00:00:00Z", "2018-02-17T00:00:00Z"}},
	{"Asia/Beirut", []string{"2025-03-29T00:00:00Z", "2025-10-25T00:00:00Z"}},
	{"Africa/Casablanca", []string{"2026-02-14T00:00:00Z", "2026-03-21T00:00:00Z"}},
	{"Pacific/Apia", []string{"2011-12-28T00:00:00Z"}},
	{"Asia/Kathmandu", []string{"2026-06-01T00:00:00Z"}},
}

func TestTheNextOccurrencesAreThoseOfAWalkThroughEveryMinute(t *testing.T) {
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		text := expressions().Draw(t, "expression")
		where := rapid.SampledFrom(zones).Draw(t, "zone")
		z, err := time.LoadLocation(where.name)
		if err != nil {
			t.Fatal(err)
		}
		change, err := time.Parse(time.RFC3339, rapid.SampledFrom(where.changes).Draw(t, "near"))
		if err != nil {
			t.Fatal(err)
		}
		// The walk knows what the clock has shown since it began; the day before the change is enough.
		from := change
		to := from.Add(72 * time.Hour)
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		at := from
		for _, want := range walk(text, z, from, to) {
			found++
			if at = e.Next(at, z); !at.Equal(want) {
				t.Fatalf("%s in %s: %s, want %s", text, where.name, at, want.In(z))
			}
		}
		if at = e.Next(at, z); !at.IsZero() && !at.After(to) {
			t.Fatalf("%s in %s: %s besides", text, where.name, at)
		}
	})
	if found == 0 {
		t.Error("no occurrence was looked at")
	}
}

func TestNoTwoOccurrencesAreCloserThanTheShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, err := Parse(expressions().Draw(t, "expression"))
		if err != nil {
			t.Fatal(err)
		}
		shortest, at := e.Shortest(), e.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC)
		for range 50 {
			next := e.Next(at, time.UTC)
			if at.IsZero() || next.IsZero() {
				return
			}
			if next.Sub(at) < shortest {
				t.Fatalf("%s and %s are closer than %s", at, next, shortest)
			}
			at = next
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"* * * * *", "*/5 0-3,7 1 jan *", "@daily", "5/0 -1 , * 8", "0 0 29 2 */6"} {
		f.Add(seed)
	}
	berlin := zone(f, "Europe/Berlin")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := Parse(text)
		if err != nil {
			var p *Problem
			if !errors.As(err, &p) || p.Text == "" || p.At > len(text)+1 {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		now := time.Date(2026, 3, 28, 22, 0, 0, 0, time.UTC)
		if next := e.Next(now, berlin); !next.IsZero() && !next.After(now) {
			t.Errorf("%q: %s is not after %s", text, next, now)
		}
	})
}
