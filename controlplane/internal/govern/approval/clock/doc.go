// Package clock counts working time in the calendars of a tenant, and finds who is on call by them. It reads the tables
// work_calendar and on_call_schedule, which package calendar owns.
//
// Load reads all calendars once; a Clock then counts without a database. A duration is whole working days and a rest of
// hours: see package worktime. An unknown calendar is the usual one, and without any it is Monday to Friday, nine to
// five, in the time zone of the tenant.
//
// Packages resolution and chain count due dates, reminders and escalations by it.
//
// Example: with the usual calendar, a stage that is opened on Friday at three with respond_within P1D is due on Monday
// at three.
package clock
