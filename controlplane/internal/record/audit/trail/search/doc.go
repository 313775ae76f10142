// Package search finds events in the audit log by filters. It reads the table audit_event, and owns none.
//
// The shortest way to the events depends on which filters are given, and the planner does not find it by itself. Each
// way is a statement of its own (search.go); List runs the one that fits. A text is searched in at most 100,000 events;
// a wider search is the fault invalid_parameter. Package trail lists and exports by it.
//
// Example: action=role.* and outcome=failure, without a period, takes the latest events of each kind that matches, and
// reads no other event.
package search
