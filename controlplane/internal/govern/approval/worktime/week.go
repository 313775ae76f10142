package worktime

import "github.com/grantwright/grantwright/controlplane/internal/ground/span"

// ApprovalHours are a part of a day in which people work.
type ApprovalHours struct {
	// Start of the working hours, as HH:MM.
	From string `json:"from" maxLength:"5" example:"09:00"`
	// 24:00 is the end of the day.
	To string `json:"to" maxLength:"5" example:"17:00"`
}

// ApprovalWeek are the hours of each day of the week.
type ApprovalWeek struct {
	// Working hours on Mondays. Empty: no working time.
	Monday []ApprovalHours `json:"monday" required:"false" nullable:"false" maxItems:"8"`
	// Working hours on Tuesdays. Empty: no working time.
	Tuesday []ApprovalHours `json:"tuesday" required:"false" nullable:"false" maxItems:"8"`
	// Working hours on Wednesdays. Empty: no working time.
	Wednesday []ApprovalHours `json:"wednesday" required:"false" nullable:"false" maxItems:"8"`
	// Working hours on Thursdays. Empty: no working time.
	Thursday []ApprovalHours `json:"thursday" required:"false" nullable:"false" maxItems:"8"`
	// Working hours on Fridays. Empty: no working time.
	Friday []ApprovalHours `json:"friday" required:"false" nullable:"false" maxItems:"8"`
	// Working hours on Saturdays. Empty: no working time.
	Saturday []ApprovalHours `json:"saturday" required:"false" nullable:"false" maxItems:"8"`
	// Working hours on Sundays. Empty: no working time.
	Sunday []ApprovalHours `json:"sunday" required:"false" nullable:"false" maxItems:"8"`
}

// ApprovalHoliday is a day on which nobody works.
type ApprovalHoliday struct {
	// Date of the holiday, as YYYY-MM-DD.
	Date string `json:"date" format:"date" example:"2026-12-25"`
	// Display name of the holiday.
	Name string `json:"name" maxLength:"200" example:"Christmas Day"`
}

// Weekdays are the days as the API names them, in the order of time.Weekday.
var Weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// Day is where the hours of a day are; nil if name is no day.
func (w *ApprovalWeek) Day(name string) *[]ApprovalHours {
	switch name {
	case "monday":
		return &w.Monday
	case "tuesday":
		return &w.Tuesday
	case "wednesday":
		return &w.Wednesday
	case "thursday":
		return &w.Thursday
	case "friday":
		return &w.Friday
	case "saturday":
		return &w.Saturday
	case "sunday":
		return &w.Sunday
	}
	return nil
}

// CalendarOf makes a calendar of what is stored, which was checked.
func CalendarOf(zone string, week ApprovalWeek, holidays []ApprovalHoliday) (c Calendar, err error) {
	if c.Zone, err = span.FindZone(zone); err != nil {
		return c, err
	}
	for i, name := range Weekdays {
		for _, h := range *week.Day(name) {
			from, err := ParseTimeOfDay(h.From)
			if err != nil {
				return c, err
			}
			to, err := ParseTimeOfDay(h.To)
			if err != nil {
				return c, err
			}
			c.Week[i] = append(c.Week[i], Hours{From: from, To: to})
		}
	}
	c.Holidays = make(map[string]bool, len(holidays))
	for _, h := range holidays {
		c.Holidays[h.Date] = true
	}
	return c, nil
}
