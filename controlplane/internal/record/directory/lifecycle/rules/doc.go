// Package rules holds a tenant's rules for the lifecycle of people, and computes the state that follows from them and
// from a person's dates. It reads the table lifecycle_policy and writes nothing.
//
// Find reads the rules, or the defaults. Clock.State is the state of one person at an instant; StateSQL is the same in
// SQL, for statements about many people.
//
// Callers: package lifecycle, which applies states, and every feature that counts in the tenant's days.
//
//	l, err := rules.Find(ctx, tx)
//	state := l.Clock(now).State(rules.Active, rules.Dates{End: &lastDay}) // notice, or deactivated after that day
package rules
