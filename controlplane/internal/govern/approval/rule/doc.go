// Package rule has approval rules: their terms, their checks, and which of them is for a request. It reads the table
// approval_rule, which package ruleset owns.
//
// A rule has a scope, branches and terms. The most specific rule applies: the one that the resource names, then those
// for the resource, its connector, its tags or risk, the kind of request, and the default; then the lowest priority. Of
// its branches the first whose condition is met applies, and the last has none. A branch leads to a chain of stages, to
// an automatic outcome, or to the branches of another rule.
//
// A Book has all rules of a tenant and the built-in one. Package resolution chooses and walks by it; package ruleset
// checks what is written.
//
// Example: with the rules "Finance" for a connector and "All" as the default, Choose gives "Finance" for an entitlement
// of that connector, since a rule for a connector is more specific than the default.
package rule
