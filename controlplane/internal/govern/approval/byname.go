package approval

import "github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"

// calendarsByName lists calendars.
func calendarsByName() *listing.Query {
	return &listing.Query{
		Columns: calendarColumns,
		From:    "work_calendar c",
		ID:      "c.id",
		Order:   listing.Order{Column: "c.name", Type: "text"},
	}
}

// schedulesByName lists on-call schedules.
func schedulesByName() *listing.Query {
	return &listing.Query{
		Columns: onCallColumns,
		From:    "on_call_schedule s",
		ID:      "s.id",
		Order:   listing.Order{Column: "s.name", Type: "text"},
	}
}
