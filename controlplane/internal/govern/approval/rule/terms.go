package rule

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

// ApprovalScope says what a rule is for.
type ApprovalScope struct {
	// IDs of the roles that the rule applies to.
	RoleIDs []string `json:"role_ids" required:"false" nullable:"false" maxItems:"500" format:"uuid"`
	// IDs of the entitlements that the rule applies to.
	EntitlementIDs []string `json:"entitlement_ids" required:"false" nullable:"false" maxItems:"500" format:"uuid"`
	// Entitlements of these systems, and roles that hold any.
	ConnectorIDs []string `json:"connector_ids" required:"false" nullable:"false" maxItems:"200" format:"uuid"`
	// Risk levels of the roles and entitlements that the rule applies to.
	RiskLevels []string `json:"risk_levels" required:"false" nullable:"false" maxItems:"4" enum:"low,medium,high,critical"`
	// Compliance and duty tags, of the thing or of what a role holds.
	Tags []string `json:"tags" required:"false" nullable:"false" maxItems:"100"`
	// Together with other selectors: only for these kinds. On its own: all requests of these kinds.
	RequestKinds []string `json:"request_kinds" required:"false" nullable:"false" maxItems:"4" enum:"grant,extend,revoke,return"`
	// For whatever has no rule of its own.
	Default bool `json:"default" required:"false"`
}

// ApprovalBranch is one way that a rule takes.
type ApprovalBranch struct {
	// Whom, and what, it is for; the last branch has none and is for the rest.
	When *ApprovalCondition `json:"when,omitempty"`
	// Outcome for requests that meet the condition of the branch.
	Outcome ApprovalOutcome `json:"outcome"`
}

// ApprovalOutcome is what a branch leads to.
type ApprovalOutcome struct {
	// Kind of the outcome. chain: approvers decide in stages. auto_approve and auto_reject: the rule decides, and no
	// approver is asked. use_rule: another rule decides.
	Kind string `json:"kind" enum:"chain,auto_approve,auto_reject,use_rule"`
	// The reason of an automatic outcome. A rejected requester can read it.
	Reason string `json:"reason,omitempty" maxLength:"2000"`
	// Of a chain, in their order.
	Stages []approval.ApprovalStage `json:"stages,omitempty" maxItems:"10"`
	// Of use_rule: that rule's branches are gone through.
	RuleID string `json:"rule_id,omitempty" format:"uuid"`
}

// UseRule is the outcome that hands over to another rule.
const UseRule = "use_rule"

// ApprovalTerms are what a rule demands of a request, and how it bounds the access.
type ApprovalTerms struct {
	// The default is true.
	RequireJustification *bool `db:"-" json:"require_justification" required:"false" nullable:"false"`
	// Whether a request needs an external reference, such as a ticket number. The default is false.
	RequireExternalReference bool `db:"-" json:"require_external_reference" required:"false"`
	// How long a request can stay unanswered, as an ISO 8601 duration. The default is P14D.
	RequestTTL string `db:"-" json:"request_ttl" required:"false" maxLength:"64" example:"P14D"`
	// Limits on the duration and the extension of the access.
	Grant ApprovalGrant `db:"-" json:"grant" required:"false"`
	// The requester, or the person who gets the access, can be an approver too.
	AllowSelfApproval bool `db:"-" json:"allow_self_approval" required:"false"`
	// Each person counts once. The default is true.
	DistinctApprovers *bool `db:"-" json:"distinct_approvers" required:"false" nullable:"false"`
	// Terms of emergency access.
	Emergency ApprovalEmergency `db:"-" json:"emergency" required:"false"`
}

// ApprovalGrant bounds the access that a rule lets have.
type ApprovalGrant struct {
	// ISO 8601; where the thing has a limit too, the shorter counts.
	MaxDuration string `json:"max_duration,omitempty" maxLength:"64" example:"P90D"`
	// Duration if neither the request nor the requested resource names one, as an ISO 8601 duration. Absent: none.
	DefaultDuration string `json:"default_duration,omitempty" maxLength:"64" example:"P30D"`
	// Whether access can have no end. The default is true, unless the duration is limited.
	AllowPermanent *bool `json:"allow_permanent" required:"false" nullable:"false"`
	// Terms of extensions of the access.
	Extension ApprovalExtension `json:"extension" required:"false"`
}

// ApprovalExtension says whether access can be had for longer.
type ApprovalExtension struct {
	// The default is true.
	Allowed *bool `json:"allowed" required:"false" nullable:"false"`
	// Longest time by which one request can extend the access, as an ISO 8601 duration. Absent: the longest duration of
	// the access applies.
	Max string `json:"max,omitempty" maxLength:"64" example:"P30D"`
	// The default is true.
	NeedsApproval *bool `json:"needs_approval" required:"false" nullable:"false"`
}

// ApprovalEmergency says whether access can be had at once, and what follows.
type ApprovalEmergency struct {
	// Whether emergency access can be requested. The default is false.
	Allowed bool `json:"allowed" required:"false"`
	// The rule whose branches are gone through instead.
	RuleID string `json:"rule_id,omitempty" format:"uuid"`
	// Longest duration of emergency access, as an ISO 8601 duration. Absent: 24 hours.
	MaxDuration string `json:"max_duration,omitempty" maxLength:"64" example:"PT8H"`
	// How soon the access must be reviewed afterwards, in working time.
	PostReviewWithin string `json:"post_review_within,omitempty" maxLength:"64" example:"P1D"`
}
