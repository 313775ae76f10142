// Package check has what the resources under /approval-rules check alike. It owns no table.
//
// A Checker collects faults and references while a body is read, so that one answer names all of them, each by its JSON
// pointer. FindReferences then refuses references to what does not exist. CheckUnused refuses to delete what a rule, a
// role, an entitlement or an on-call schedule uses.
//
// Packages rule, calendar and ruleset call it.
//
// Example: a rule whose second stage names an identity that does not exist is refused with unknown_identity at
// #/branches/0/outcome/stages/1/groups/0/approvers/0/identity_id.
package check
