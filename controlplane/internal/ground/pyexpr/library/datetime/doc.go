// Package datetime declares the module datetime of Python: the types date, time, datetime, timedelta and timezone
// with their methods, and the helpers parse_date, parse_datetime and format_date.
//
// There is no clock in it: a transform gives the same for the same record on every day, so now and today are refused.
// Time zones have a fixed offset. Values count microseconds from the year 1; their days and texts are those of
// package calendar, which also turns a format of strptime into a pattern for package regex.
//
// It is imported for its declarations, by package pyexpr. For example:
//
//	parse_date('03.02.2026', '%d.%m.%Y') + timedelta(days=30)   // date(2026, 3, 5)
package datetime

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

type (
	thread = object.Thread
	value  = object.Value
	values = []object.Value
)
