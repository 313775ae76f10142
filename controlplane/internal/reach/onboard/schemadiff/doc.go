// Package schemadiff compares two discoveries of a source's fields, and says what decisions about the differences do to
// the field mappings.
//
// It owns the table schema_diff. A diff is open, then accepted (all fields decided), partially_accepted or dismissed. A
// connector has at most one diff that is not closed: a later discovery closes it and sets replaced_by_id.
//
// The rules are pure; Find, List, Insert and the others join the caller's transaction. Package onboard makes diffs and
// carries out decisions. Package govern/decisionkind turns the diffs of Undecided into decision tasks.
//
//	d := schemadiff.Compare(before, after, rules, proposals)   // a removed field, badge, which a mapping uses
//	decisions, err := schemadiff.SchemaDecisions{AcceptAll: true}.About(d)
//	rules = schemadiff.Apply(rules, d, decisions)              // the mapping of badge is gone
package schemadiff
