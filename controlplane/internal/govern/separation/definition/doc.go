// Package definition has the content of separation-of-duties policies: their fields, what is complete and consistent in
// them, which of them contradict each other, and the rule that is evaluated. It is pure: it knows no database.
//
// Callers: package separationpolicy stores policies, package exchange reads and writes them in files, package rulebook
// prepares what is evaluated.
//
// Example: the fields of a policy of the kind pair with two sides are completed to a draft of medium severity that
// blocks requests, and compares access in the same environment.
package definition
