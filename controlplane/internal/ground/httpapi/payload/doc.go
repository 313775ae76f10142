// Package payload checks and converts the bodies of requests. CheckJSON refuses what a lenient decoder would let
// through: duplicate members, data after the value, NUL, extreme nesting, members that only the service sets. Archives
// and lines (CSV, newline-delimited JSON) are converted to JSON objects. Its caller is package httpapi; it returns
// faults of kind Malformed or Invalid.
//
// Example: {"name":"a","Name":"b"} is refused with duplicate_member, because Go's decoder would take the second for the
// first.
package payload
