// Package requirement keeps requirement gaps: what one person lacks that an access policy with the effect require says
// they must have. It owns the table requirement_gap, and serves /policies/requirement-gaps.
//
// A Book compiles the policies: who must have something because of what they hold, and the roles, entitlements,
// training and manager that they must have. Holdings reads what people hold, in one statement. Missing is pure. Record
// compares what an evaluation of people found with the stored gaps, and writes the difference at once.
//
// States and events are the table in state.go:
//
//	state     lacking   beyond the exemption  satisfied  exempted  exemption ends or is withdrawn
//	open      open      open                  closed     exempted  -
//	exempted  exempted  open                  closed     exempted  open
//	closed    open      open                  closed     -         -
//
// A gap never takes access away. It closes when an evaluation finds that the person has everything, or that the policy
// requires nothing of them any more. A denial is stronger than a requirement: what a person is denied
// is not missing.
//
// Package evaluation calls Record, package worker Lapse, and package decisionkind asks about open gaps in the inbox.
//
// Example: a policy requires the group MFA-USERS of everyone who holds VPN. A sync run finds Ann in VPN alone. Record
// opens a gap, and her manager has a decision task. When Ann is in MFA-USERS, the gap and the task close.
package requirement
