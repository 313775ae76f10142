// Package approval has the terms of approvals: the subject of a request, the plan that says who must approve it, and
// the stages, groups and resolvers that plans and rules are made of. It is pure: it knows no database and no clock.
//
// A plan has the outcome chain, auto_approve or auto_reject. A chain has stages, which are decided in their order; a
// stage has groups, all of which must approve; a group has slots, of whom any, all or a quorum must approve.
//
// Packages beside it: rule (rules and how one is matched), ruleset (keeps rules and serves /approval-rules), resolve
// (makes plans), organization (who is above, owns, is on call or absent), resource (what is requested), calendar and
// clock (working time), worktime (its arithmetic) and check (checks that these have in common). Chain carries plans
// out.
//
// Example: for an entitlement of high risk, the built-in rule gives a plan of two stages: the manager, who has three
// working days, and then an owner of the entitlement.
package approval
