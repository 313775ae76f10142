// Package safety has the limits up to which sync runs apply each kind of change without review. Its rules are pure; a
// connector's own limits are columns of connector (safety, deletion).
//
// A kind trips if a run, with what was applied in the window before it, changes more than min(cap, max(floor, pct x
// population)), if half of a population of five or more (or all of two or more) would be lost, or if records are
// absent under settings other than those of the last good run.
//
//	// 3 % of 400 are 12: it trips, by rule limit
//	Guard{}.Weigh(Measure{Kind: "account_missing", Observed: 13, Population: 400})
//
// Package evaluation weighs runs by it. Administrators read and set the limits by Service; whatever lets more pass
// than before needs a reason.
package safety
