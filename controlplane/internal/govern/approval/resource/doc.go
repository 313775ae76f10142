// Package resource reads the roles and entitlements that are requested, as approval rules look at them: owners, risk,
// tags, connectors and the limits of access. It owns no table and writes nothing.
//
// A role has the tags, connectors and privilege of everything that it contains, and the highest risk of it where it has
// none of its own. All resources of a call are read in two statements.
//
// Packages resolution and ruleset call it.
//
// Example: a role without a risk level that contains an entitlement of critical risk is matched by a rule for
// risk_levels ["critical"].
package resource
