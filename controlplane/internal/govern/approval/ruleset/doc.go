// Package ruleset keeps the approval rules of a tenant and serves /approval-rules. It owns the tables approval_rule and
// approval_rule_version.
//
// Every change is checked, audited and kept as a version; submitted requests keep the version that they were submitted
// by. A rule that a role, an entitlement or another rule uses cannot be deleted. Warnings list people whom a rule names
// in vain today; coverage lists what has no rule of its own; a simulation resolves a hypothetical request, also by a
// draft that is not saved.
//
// Package pack creates and changes rules in its own transactions; package request replays requests by drafts.
//
// Example: POST /approval-rules with one branch whose stage asks the manager gives a rule with the sentence "always:
// the manager".
package ruleset
