package schedule

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// PolicySchedule says when a policy applies. Without weekly windows it applies throughout its period.
type PolicySchedule struct {
	// First moment at which the policy applies. Null: it applies at once.
	From *time.Time `json:"from" required:"false"`
	// Moment from which the policy no longer applies. Null: it has no end.
	To *time.Time `json:"to" required:"false"`
	// Windows that recur every week, in the time zone of the tenant. Empty: the policy applies at all times.
	Weekly []PolicyWindow `json:"weekly" required:"false" nullable:"false" maxItems:"20"`
}

// PolicyWindow is a part of the days of a week.
type PolicyWindow struct {
	// Days on which the window starts.
	Days []string `json:"days" nullable:"false" minItems:"1" maxItems:"7" enum:"mon,tue,wed,thu,fri,sat,sun"`
	// Time at which the window starts.
	Starts string `json:"starts" maxLength:"5" example:"08:00"`
	// Time at which the window ends, up to 24:00. If it is not after starts, the window ends on the next day.
	Ends string `json:"ends" maxLength:"5" example:"18:00"`
}

// Schema is that of a schedule, or null.
func (PolicySchedule) Schema(r huma.Registry) *huma.Schema {
	type plain PolicySchedule
	s := *huma.SchemaFromType(r, reflect.TypeFor[plain]())
	s.Nullable = true
	return &s
}

// days are the days of the week as the API names them, from Sunday as package time counts.
var days = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// week is the order in which days are stored and shown.
var week = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// Complete puts the days of windows in their order, and returns what is wrong. The pointers are relative to the
// schedule.
func (s *PolicySchedule) Complete() (wrong []fault.Field) {
	if s == nil {
		return nil
	}
	bad := func(pointer, detail string) {
		wrong = append(wrong, fault.Field{Pointer: pointer, Code: "invalid", Detail: detail})
	}
	for _, at := range []**time.Time{&s.From, &s.To} {
		if *at != nil {
			utc := (*at).UTC()
			*at = &utc
		}
	}
	if s.From != nil && s.To != nil && !s.To.After(*s.From) {
		bad("/to", "the end must come after from")
	}
	if s.From == nil && s.To == nil && len(s.Weekly) == 0 {
		bad("", "set from, to or weekly; without a schedule, send null")
	}
	s.Weekly = append([]PolicyWindow{}, s.Weekly...)
	for i := range s.Weekly {
		w := &s.Weekly[i]
		at := fmt.Sprintf("/weekly/%d", i)
		w.Days = inOrder(w.Days)
		if len(w.Days) == 0 {
			bad(at+"/days", "choose one or more of "+strings.Join(week, ", "))
		}
		if _, ok := minutes(w.Starts); !ok || w.Starts == "24:00" {
			bad(at+"/starts", "a time of day from 00:00 to 23:59")
		}
		if _, ok := minutes(w.Ends); !ok {
			bad(at+"/ends", "a time of day from 00:00 to 24:00")
		}
	}
	return wrong
}

// inOrder are the known days of a list, each once, from Monday.
func inOrder(list []string) []string {
	out := []string{}
	for _, d := range week {
		if slices.Contains(list, d) {
			out = append(out, d)
		}
	}
	return out
}

// minutes are those since midnight of a time such as 08:30.
func minutes(text string) (n int, ok bool) {
	if text == "24:00" {
		return 24 * 60, true
	}
	t, err := time.Parse("15:04", text)
	return t.Hour()*60 + t.Minute(), err == nil && len(text) == len("15:04")
}

// Open reports whether a policy with the schedule applies at a moment. Nil: it always does.
func (s *PolicySchedule) Open(at time.Time, zone *time.Location) bool {
	switch {
	case s == nil:
		return true
	case s.From != nil && at.Before(*s.From), s.To != nil && !at.Before(*s.To):
		return false
	case len(s.Weekly) == 0:
		return true
	}
	for _, w := range s.Weekly {
		// A window that began yesterday may not have ended.
		for back := range 2 {
			starts, ends, there := w.on(at.In(zone), -back, zone)
			if there && !at.Before(starts) && at.Before(ends) {
				return true
			}
		}
	}
	return false
}

// on is the window of a day, counted from that of a moment. there is false if it does not start on that day.
func (w PolicyWindow) on(at time.Time, day int, zone *time.Location) (starts, ends time.Time, there bool) {
	date := time.Date(at.Year(), at.Month(), at.Day()+day, 0, 0, 0, 0, zone)
	if !slices.Contains(w.Days, days[date.Weekday()]) {
		return starts, ends, false
	}
	from, _ := minutes(w.Starts)
	to, _ := minutes(w.Ends)
	if to <= from {
		to += 24 * 60
	}
	clock := func(n int) time.Time {
		return time.Date(date.Year(), date.Month(), date.Day(), 0, n, 0, 0, zone)
	}
	return clock(from), clock(to), true
}

// NextEdge is the first moment after another at which the schedule can open or close. False: there is none.
func (s *PolicySchedule) NextEdge(after time.Time, zone *time.Location) (next time.Time, found bool) {
	if s == nil {
		return next, false
	}
	consider := func(t time.Time) {
		if t.After(after) && (!found || t.Before(next)) {
			next, found = t.UTC(), true
		}
	}
	for _, at := range []*time.Time{s.From, s.To} {
		if at != nil {
			consider(*at)
		}
	}
	for _, w := range s.Weekly {
		for day := -1; day <= 7; day++ {
			if starts, ends, there := w.on(after.In(zone), day, zone); there {
				consider(starts)
				consider(ends)
			}
		}
	}
	return next, found
}

// Sentence is the schedule in words, such as "Mon, Tue 08:00-18:00, until 2026-12-31T00:00:00Z".
func (s *PolicySchedule) Sentence() string {
	if s == nil {
		return ""
	}
	var parts []string
	for _, w := range s.Weekly {
		var names []string
		for _, d := range w.Days {
			names = append(names, strings.ToUpper(d[:1])+d[1:])
		}
		parts = append(parts, strings.Join(names, ", ")+" "+w.Starts+"-"+w.Ends)
	}
	if s.From != nil {
		parts = append(parts, "from "+s.From.UTC().Format(time.RFC3339))
	}
	if s.To != nil {
		parts = append(parts, "until "+s.To.UTC().Format(time.RFC3339))
	}
	return strings.Join(parts, ", ")
}
