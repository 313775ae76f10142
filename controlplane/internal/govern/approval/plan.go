package approval

import (
	"time"
)

// Subject is one thing that is asked for.
type Subject struct {
	// Person whose access is requested.
	BeneficiaryID string `json:"beneficiary_id"`
	RequesterID   string `json:"requester_id,omitempty"` // identity of whoever asks; empty: an integration
	ForAnother    bool   `json:"for_another,omitempty"`  // by a service token that another person created
	Kind          string `json:"kind"`                   // grant, extend, revoke, return
	Urgency       string `json:"urgency"`                // normal, emergency
	// Requested role. Nil: an entitlement is requested.
	RoleID *string `json:"role_id,omitempty"`
	// Requested entitlement. Nil: a role is requested.
	EntitlementID *string `json:"entitlement_id,omitempty"`
	// Requested beginning. Nil: as soon as it is approved.
	StartsAt *time.Time `json:"starts_at,omitempty"`
	// Requested end. Nil: by the duration, or no end.
	EndsAt   *time.Time `json:"ends_at,omitempty"`
	Duration string     `json:"duration,omitempty"` // ISO 8601; empty: without a limit
	// Justification that the requester gave.
	Justification string `json:"justification,omitempty"`
	// Number of a ticket in another system.
	ExternalReference string `json:"external_reference,omitempty"`
	// IDs of the identities that the requester has chosen, for requester_choice.
	Approvers []string `json:"approvers,omitempty"`
}

// Outcomes of a rule.
const (
	Chain       = "chain"
	AutoApprove = "auto_approve"
	AutoReject  = "auto_reject"
)

// Plan is who must agree to one thing.
type Plan struct {
	// Approval rule that applies, and why it was chosen.
	Rule RuleRef `json:"rule"`
	// Outcome of the rule. chain: the stages decide. auto_approve and auto_reject: the rule decides, and no approver is
	// asked.
	Outcome string `json:"outcome" enum:"chain,auto_approve,auto_reject"`
	// Of an automatic outcome.
	Reason string `json:"reason,omitempty"`
	// Stages of the chain, in order. Empty if the outcome is automatic.
	Stages []PlanStage `json:"stages" nullable:"false"`
	// Whether each person counts as an approver only once in the whole chain.
	Distinct bool `json:"distinct_approvers"`
	// Whether the requester and the person who gets the access can be approvers.
	SelfApproval bool `json:"self_approval"`
	// Whether a request needs a justification.
	RequireJustification bool `json:"require_justification"`
	// Whether a request needs an external reference, such as a ticket number.
	RequireExternalReference bool `json:"require_external_reference"`
	// How long it may stay unanswered.
	RequestTTL string `json:"request_ttl"`
	// Limits on the duration and the extension of the access.
	Terms GrantTerms `json:"terms"`
	// Terms of emergency access.
	Emergency EmergencyWay `json:"emergency"`
	// When the last stage is due.
	ExpectedAt *time.Time `json:"expected_at,omitempty"`
	// No approver can be found, not even an administrator.
	Blocked bool `json:"blocked"`
	// Steps by which the rule and the approvers were found, in order.
	Log []Step `json:"resolution_log" nullable:"false"`
}

// RuleRef is the rule that spoke, and why.
type RuleRef struct {
	// ID of the approval rule. Absent for the built-in rule and for a draft that replaces no rule.
	ID string `json:"id,omitempty"`
	// Display name of the approval rule.
	Name string `json:"name"`
	// Version number of the approval rule that was applied.
	Version int `json:"version"`
	// The number of its branch, from 0.
	Branch int `json:"branch"`
	// Why this rule was chosen, and its branch where one was chosen, in words.
	MatchedBecause string `json:"matched_because"`
}

// GrantTerms bound the access itself.
type GrantTerms struct {
	// Longest duration of the access, as an ISO 8601 duration. Absent: no limit.
	MaxDuration string `json:"max_duration,omitempty"`
	// Duration of access for which the request names neither a duration nor an end, as an ISO 8601 duration. Absent:
	// none.
	DefaultDuration string `json:"default_duration,omitempty"`
	// Whether access without an end can be granted.
	AllowPermanent bool `json:"allow_permanent"`
	// Whether the access can be extended.
	Extension bool `json:"extension_allowed"`
	// Longest time by which one request can extend the access, as an ISO 8601 duration. Absent: the longest duration of
	// the access applies.
	ExtensionMax string `json:"extension_max,omitempty"`
	// Whether an extension needs approval.
	ExtensionNeedsOK bool `json:"extension_needs_approval"`
}

// EmergencyWay says whether it can be had at once, and what follows.
type EmergencyWay struct {
	// Whether emergency access can be requested.
	Allowed bool `json:"allowed"`
	// Longest duration of emergency access, as an ISO 8601 duration. Absent: 24 hours.
	MaxDuration string `json:"max_duration,omitempty"`
	// Time within which emergency access is reviewed afterwards, as an ISO 8601 duration. Absent: one day.
	PostReviewWithin string `json:"post_review_within,omitempty"`
}

// PlanStage is one step of a chain, resolved.
type PlanStage struct {
	// Definition of the stage in the approval rule.
	Definition ApprovalStage `json:"definition"`
	// Groups of approvers. All groups must approve.
	Groups []PlanGroup `json:"groups" nullable:"false"`
	// Expected, when every stage before takes all its time.
	DueAt *time.Time `json:"due_at,omitempty"`
	// Why no approval is needed: all approvers of an earlier stage could have agreed.
	Satisfied string `json:"satisfied,omitempty"`
	// A group has no approver who can be asked.
	Blocked bool `json:"blocked,omitempty"`
	// Violations of separation-of-duties policies that the approvers of the stage allow. Absent for all other stages.
	Exceptions []StageException `json:"exceptions,omitempty"`
	// Only for a stage that was resolved again. The value of a whole plan is in the plan.
	Log []Step `json:"resolution_log,omitempty"`
}

// PlanGroup are people of whom so many must agree.
type PlanGroup struct {
	// Number of approvals that the group needs.
	Needed int `json:"needed"`
	// Approvers of the group.
	Slots []PlanSlot `json:"slots" nullable:"false"`

	// People that the rule names here and who cannot decide at present.
	Unavailable []PlanAbsent `json:"unavailable,omitempty"`
}

// PlanSlot is somebody who is asked: a person, or whoever has a role of the tenant.
type PlanSlot struct {
	// ID of the identity of the approver. Absent if all users with a role are asked.
	IdentityID string `json:"identity_id,omitempty"`
	// Role of the tenant, such as admin, one of whose users decides for all. Absent if a person is asked.
	Role string `json:"role,omitempty"`
	// Name of the person, or of the users with the role.
	Display string `json:"display"`
	// How the approver was found. direct: by the rule. delegate: by a delegation. fallback: in place of missing
	// approvers. escalation: after the others did not decide. reassigned: by another person.
	Via string `json:"via" enum:"direct,delegate,fallback,escalation,reassigned"`
	// ID of the identity for whom a delegate decides. Absent for all others.
	ActingFor string `json:"acting_for,omitempty"`
	// Which resolver named them.
	Because string `json:"because"`
	// The manager asks for this themselves: their own step counts as agreed.
	Agreed bool `json:"agreed_by_requesting,omitempty"`
}

// Step is one thing that was considered.
type Step struct {
	// Kind of the step, such as rule, branch, slot, delegate, fallback or due.
	Step string `json:"step"`
	// Result of the step, in words.
	Detail string `json:"detail"`
}
