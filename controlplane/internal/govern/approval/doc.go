// Package approval knows who must agree to access, and in which order: rules with ordered branches, stages of groups of
// approvers, and the calendars that working time is counted in. It owns the path /approval-rules.
//
// Resolve turns a rule, a request for one thing and the organisation of this moment into a Plan: names, order and
// times. It writes nothing, so that preview, submission, simulation and replay say the same. What becomes of a plan is
// the business of chain.
package approval
