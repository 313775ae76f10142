// Package schedule says when a policy applies: within a period, and in windows that recur every week in the time zone
// of the tenant.
//
// It owns no tables and reads no clock. Package accesspolicy stores a Schedule with each policy, package evaluation
// asks Open for the moment of an evaluation and NextEdge for the next moment at which the answer can change.
//
//	night := schedule.PolicyWindow{Days: []string{"mon"}, Starts: "22:00", Ends: "06:00"}
//	s := &schedule.PolicySchedule{Weekly: []schedule.PolicyWindow{night}}
//	s.Open(now, zone)      // on Monday at 23:00 and on Tuesday at 05:00
//	s.Sentence()           // "Mon 22:00-06:00"
package schedule
