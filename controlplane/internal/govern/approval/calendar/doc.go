// Package calendar keeps work calendars and on-call schedules. It owns the tables work_calendar and on_call_schedule,
// and serves /approval-rules/calendars and /approval-rules/on-call.
//
// One calendar of a tenant is the usual one, which counts wherever none is named. A calendar or schedule that a rule or
// schedule uses cannot be deleted. Due dates that were counted stay when a calendar changes.
//
// Package ruleset adds its routes; package clock counts by what it keeps.
//
// Example: POST /approval-rules/calendars with only a name gives a calendar of Monday to Friday, nine to five, in the
// time zone of the tenant.
package calendar
