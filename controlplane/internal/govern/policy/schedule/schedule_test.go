package schedule_test

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/schedule"
)

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func zurich(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestWindowsRecurInTheZoneOfTheTenant(t *testing.T) {
	office := &schedule.PolicySchedule{Weekly: []schedule.PolicyWindow{
		{Days: []string{"fri", "mon"}, Starts: "08:00", Ends: "18:00"},
		{Days: []string{"sun"}, Starts: "22:00", Ends: "06:00"},
		{Days: []string{"wed"}, Starts: "00:00", Ends: "24:00"},
	}}
	if wrong := office.Complete(); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	if got := office.Sentence(); got != "Mon, Fri 08:00-18:00, Sun 22:00-06:00, Wed 00:00-24:00" {
		t.Errorf("in words: %s", got)
	}
	for at, want := range map[string]bool{
		"2026-03-02T06:59:59Z": false, // a Monday, 07:59:59 in Zurich
		"2026-03-02T07:00:00Z": true,
		"2026-03-02T16:59:59Z": true,
		"2026-03-02T17:00:00Z": false,
		"2026-03-30T06:00:00Z": true, // in summer time
		"2026-03-01T21:00:00Z": true, // Sunday 22:00
		"2026-03-02T04:59:00Z": true, // it goes on into Monday
		"2026-03-02T05:00:00Z": false,
		"2026-03-03T12:00:00Z": false,
		"2026-03-03T23:00:00Z": true, // Wednesday has begun in Zurich
		"2026-03-04T22:59:59Z": true,
		"2026-03-04T23:00:00Z": false,
	} {
		if got := office.Open(moment(t, at), zurich(t)); got != want {
			t.Errorf("open at %s: %t; want %t", at, got, want)
		}
	}
}

func TestEveryChangeIsAtAnEdge(t *testing.T) {
	from, to := moment(t, "2026-03-20T10:00:00Z"), moment(t, "2026-04-12T10:00:00Z")
	s := &schedule.PolicySchedule{From: &from, To: &to, Weekly: []schedule.PolicyWindow{
		{Days: []string{"mon", "sat"}, Starts: "01:30", Ends: "03:30"},
		{Days: []string{"sat"}, Starts: "23:00", Ends: "04:00"},
	}}
	zone := zurich(t)
	at := from.AddDate(0, 0, -2)
	next, found := s.NextEdge(at, zone)
	for ; at.Before(to.AddDate(0, 0, 2)); at = at.Add(time.Minute) {
		if found && !next.After(at) {
			next, found = s.NextEdge(at, zone)
		} else if at.After(from.AddDate(0, 0, -2)) && s.Open(at, zone) != s.Open(at.Add(-time.Minute), zone) {
			t.Fatalf("it changes at %s, and the next edge is %s", at, next)
		}
	}
	if _, found := (&schedule.PolicySchedule{From: &from}).NextEdge(to, zone); found {
		t.Error("a schedule has an edge after its last one")
	}
}

func TestASchedulesFaultsAreNamedOneByOne(t *testing.T) {
	from := moment(t, "2026-03-20T10:00:00Z")
	for want, s := range map[string]*schedule.PolicySchedule{
		"":                 {},
		"/to":              {From: &from, To: &from},
		"/weekly/0/days":   {Weekly: []schedule.PolicyWindow{{Starts: "08:00", Ends: "09:00"}}},
		"/weekly/0/starts": {Weekly: []schedule.PolicyWindow{{Days: []string{"mon"}, Starts: "24:00", Ends: "09:00"}}},
		"/weekly/0/ends":   {Weekly: []schedule.PolicyWindow{{Days: []string{"mon"}, Starts: "08:00", Ends: "9:00"}}},
	} {
		wrong := s.Complete()
		if len(wrong) != 1 || wrong[0].Pointer != want {
			t.Errorf("%+v: %v; want one fault at %q", s, wrong, want)
		}
	}
	var none *schedule.PolicySchedule
	if none.Complete() != nil || !none.Open(from, time.UTC) || none.Sentence() != "" {
		t.Error("a policy without a schedule does not always apply")
	}
}
