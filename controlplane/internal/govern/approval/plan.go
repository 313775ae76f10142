package approval

import (
	"time"
)

// Subject is one thing that is asked for.
type Subject struct {
	BeneficiaryID     string     `json:"beneficiary_id"`
	RequesterID       string     `json:"requester_id,omitempty"` // identity of whoever asks; empty: an integration
	ForAnother        bool       `json:"for_another,omitempty"`  // by a service token that another person created
	Kind              string     `json:"kind"`                   // grant, extend, revoke, return
	Urgency           string     `json:"urgency"`                // normal, emergency
	RoleID            *string    `json:"role_id,omitempty"`
	EntitlementID     *string    `json:"entitlement_id,omitempty"`
	StartsAt          *time.Time `json:"starts_at,omitempty"`
	EndsAt            *time.Time `json:"ends_at,omitempty"`
	Duration          string     `json:"duration,omitempty"` // ISO 8601; empty: without a limit
	Justification     string     `json:"justification,omitempty"`
	ExternalReference string     `json:"external_reference,omitempty"`
	// identities that the requester has chosen, for requester_choice
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
	Rule    RuleRef `json:"rule"`
	Outcome string  `json:"outcome" enum:"chain,auto_approve,auto_reject"`
	// Of an automatic outcome.
	Reason                   string      `json:"reason,omitempty"`
	Stages                   []PlanStage `json:"stages" nullable:"false"`
	Distinct                 bool        `json:"distinct_approvers"`
	SelfApproval             bool        `json:"self_approval"`
	RequireJustification     bool        `json:"require_justification"`
	RequireExternalReference bool        `json:"require_external_reference"`
	// How long it may stay unanswered.
	RequestTTL string       `json:"request_ttl"`
	Terms      GrantTerms   `json:"terms"`
	Emergency  EmergencyWay `json:"emergency"`
	// When the last stage is due.
	ExpectedAt *time.Time `json:"expected_at,omitempty"`
	// No approver can be found, not even an administrator.
	Blocked bool   `json:"blocked"`
	Log     []Step `json:"resolution_log" nullable:"false"`
}

// RuleRef is the rule that spoke, and why.
type RuleRef struct {
	ID      string `json:"id,omitempty"` // empty: what comes with the product
	Name    string `json:"name"`
	Version int    `json:"version"`
	// The number of its branch, from 0.
	Branch         int    `json:"branch"`
	MatchedBecause string `json:"matched_because"`
}

// GrantTerms bound the access itself.
type GrantTerms struct {
	MaxDuration      string `json:"max_duration,omitempty"`
	DefaultDuration  string `json:"default_duration,omitempty"`
	AllowPermanent   bool   `json:"allow_permanent"`
	Extension        bool   `json:"extension_allowed"`
	ExtensionMax     string `json:"extension_max,omitempty"`
	ExtensionNeedsOK bool   `json:"extension_needs_approval"`
}

// EmergencyWay says whether it can be had at once, and what follows.
type EmergencyWay struct {
	Allowed          bool   `json:"allowed"`
	MaxDuration      string `json:"max_duration,omitempty"`
	PostReviewWithin string `json:"post_review_within,omitempty"`
}

// PlanStage is one step of a chain, resolved.
type PlanStage struct {
	Definition ApprovalStage `json:"definition"`
	Groups     []PlanGroup   `json:"groups" nullable:"false"`
	// Expected, when every stage before takes all its time.
	DueAt *time.Time `json:"due_at,omitempty"`
	// Why no approval is needed: all approvers of an earlier stage could have agreed.
	Satisfied string `json:"satisfied,omitempty"`
	// A group has no approver who can be asked.
	Blocked bool `json:"blocked,omitempty"`
	// Only for a stage that was resolved again. The value of a whole plan is in the plan.
	Log []Step `json:"resolution_log,omitempty"`
}

// PlanGroup are people of whom so many must agree.
type PlanGroup struct {
	Needed int        `json:"needed"`
	Slots  []PlanSlot `json:"slots" nullable:"false"`

	// People that the rule names here and who cannot decide at present.
	Unavailable []PlanAbsent `json:"unavailable,omitempty"`
}

// PlanSlot is somebody who is asked: a person, or whoever has a role of the tenant.
type PlanSlot struct {
	IdentityID string `json:"identity_id,omitempty"`
	Role       string `json:"role,omitempty"` // admin, …: one of them answers for all
	Display    string `json:"display"`
	Via        string `json:"via" enum:"direct,delegate,fallback,escalation,reassigned"`
	ActingFor  string `json:"acting_for,omitempty"`
	// Which resolver named them.
	Because string `json:"because"`
	// The manager asks for this themselves: their own step counts as agreed.
	Agreed bool `json:"agreed_by_requesting,omitempty"`
}

// Step is one thing that was considered.
type Step struct {
	Step   string `json:"step"`
	Detail string `json:"detail"`
}
