package accessrequest

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/progress"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
)

// Kinds of request.
const (
	Grant  = "grant"
	Extend = "extend"
	Revoke = "revoke" // a manager, an owner or an administrator has somebody's access ended
	Return = "return" // somebody gives their own back
)

// Urgencies.
const (
	Normal    = "normal"
	Emergency = "emergency"
)

// AccessRequest is what somebody asks for, and what became of it.
type AccessRequest struct {
	// ID of the access request.
	ID string `json:"id" db:"id"`
	// For people.
	Number string `json:"number" db:"-" example:"REQ-000123"`
	// Serial is the number within the tenant, from which Number is made.
	Serial int64 `json:"-" db:"number"`
	// ID of the identity that gets the access.
	RequestedForIdentityID string `json:"requested_for_identity_id" db:"requested_for"`
	// Person who gets the access, by ID and name.
	RequestedFor AccessRequestParty `json:"requested_for" db:"beneficiary"`
	// The requester. A service token is shown as an integration.
	RequestedBy decision.Actor `json:"requested_by" db:"requested_by"`
	// What was asked for; see items for each result.
	RequestedResources []RequestedResource `json:"requested_resources" db:"-" nullable:"false"`
	// Justification of the request, in the words of the requester. It can be empty.
	Justification string `json:"justification" db:"justification"`
	// Of the ticket that it came from.
	ExternalReference *string `json:"external_reference" db:"external_reference"`
	// Kind of request. grant: new access. extend: a later end. revoke: the end of another person's access. return: the
	// end of one's own access.
	Kind string `json:"kind" db:"kind" enum:"grant,extend,revoke,return"`
	// Urgency of the request. emergency: the access begins at once, for a short time, and is reviewed afterwards.
	Urgency string `json:"urgency" db:"urgency" enum:"normal,emergency"`
	// Answers to questions of your own, as they were submitted.
	FormAnswers map[string]any `json:"form_answers" db:"form_answers" nullable:"false"`
	// People whom the requester chose, where a rule lets them.
	Approvers []string `json:"approvers" db:"approvers" nullable:"false"`
	// Of the request as a whole; it follows from those of its items.
	Status string `json:"status" db:"status" enum:"submitted,pending_approval,blocked,approved,rejected,cancelled,expired,scheduled,provisioning,fulfilled,partially_fulfilled,failed,closed"`
	// Why a request ended without access: rejected, rejected_by_rule, expired, cancelled.
	ReasonCode *string `json:"reason_code" db:"reason_code" example:"expired"`
	// Items of the request, one for each requested resource. Each is decided separately.
	Items []AccessRequestItem `json:"items" db:"-" nullable:"false"`
	// The chains as they were known when the request was submitted.
	Preview *AccessRequestForesight `json:"preview" db:"preview"`
	// When it ends unanswered.
	ExpiresAt *time.Time `json:"expires_at" db:"expires_at"`
	// Time the request was submitted.
	SubmittedAt time.Time `json:"submitted_at" db:"submitted_at"`
	// When everything was decided, and something approved.
	ApprovedAt *time.Time `json:"approved_at" db:"approved_at"`
	// Time the request ended as rejected or expired. Null: it did not.
	RejectedAt *time.Time `json:"rejected_at" db:"rejected_at"`
	// When the targets were seen to have what was approved.
	FulfilledAt *time.Time `json:"fulfilled_at" db:"fulfilled_at"`
	// Time the request was closed, rejected or canceled, or expired. Null: it has not ended.
	ClosedAt *time.Time `json:"closed_at" db:"closed_at"`
	// Those that the caller may read. In lists it is empty.
	Comments []AccessRequestComment `json:"comments" db:"-" nullable:"false"`
	// Risk of the request as a whole.
	Risk AccessRequestRisk `json:"risk" db:"-"`
	// Due time of the next decision, and whether a decision is overdue.
	SLA AccessRequestPunctuality `json:"sla" db:"-"`
	// The id that request.* events carry.
	WebhookCorrelationID string `json:"webhook_correlation_id" db:"-"`
	// The actions that its state allows to a user with the right: cancel, decide, withdraw-approval, extend, return.
	Allowed []string `json:"allowed" db:"-" nullable:"false"`
	// Time of the last change to the request.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number, for If-Match.
	Version int `json:"version" db:"version"`

	RequesterID *string `json:"-" db:"requester_id"`
	ActorID     *string `json:"-" db:"requester_actor"`
	Told        string  `json:"-" db:"told"`
}

// AccessRequestParty is a person by name.
type AccessRequestParty struct {
	// ID of the identity.
	ID string `json:"id"`
	// Display name of the person.
	Display string `json:"display"`
}

// RequestedResource is one thing that is asked for.
type RequestedResource struct {
	_ struct{} `json:"-" additionalProperties:"true"`
	// Either this or entitlement_id.
	RoleID string `json:"role_id,omitempty" format:"uuid"`
	// ID of the requested entitlement. Give either role_id or entitlement_id.
	EntitlementID string `json:"entitlement_id,omitempty" format:"uuid"`
	// The account that gets the entitlement. The default is the main account of the person.
	AccountID string `json:"account_id,omitempty" format:"uuid"`
	// Of a role that takes some.
	Parameters map[string]any `json:"parameters,omitempty"`
	// How long, as an ISO 8601 duration. The time runs from when the target was seen to have the access.
	Duration string `json:"duration,omitempty" maxLength:"40" example:"PT3H"`
	// The start of the access. The default is immediately.
	StartsAt *time.Time `json:"starts_at,omitempty"`
	// Until when. Not together with duration.
	EndsAt *time.Time `json:"ends_at,omitempty"`
}

// NewAccessRequest is the body of a request. Members that it does not have are ignored.
type NewAccessRequest struct {
	_ struct{} `json:"-" additionalProperties:"true"`
	// The person who gets the access. The default is yourself.
	RequestedForIdentityID string `json:"requested_for_identity_id,omitempty" format:"uuid"`
	// 1 to 50; each is decided apart.
	RequestedResources []RequestedResource `json:"requested_resources" required:"false" nullable:"false"`
	// What it is needed for. The rule may demand it.
	Justification string `json:"justification,omitempty" maxLength:"4000"`
	// The ticket that it comes from; events of the request carry it.
	ExternalReference *string `json:"external_reference,omitempty" maxLength:"256" example:"CHG0031337"`
	// Kind of request. grant: new access. extend: a later end. revoke: the end of another person's access. return: the
	// end of one's own access.
	Kind string `json:"kind,omitempty" enum:"grant,extend,revoke,return" default:"grant"`
	// Urgency of the request. emergency: the access begins at once, for a short time, and is reviewed afterwards. The
	// approval rule must allow it.
	Urgency string `json:"urgency,omitempty" enum:"normal,emergency" default:"normal"`
	// Answers to questions of your own, kept and shown as they are.
	FormAnswers map[string]any `json:"form_answers,omitempty"`
	// People of your choice, where a rule lets the requester choose.
	Approvers []string `json:"approvers,omitempty" nullable:"false" maxItems:"20" format:"uuid"`
	// Mitigations of violations of separation-of-duties policies that the access would cause. Another person approves
	// each; the access can be approved afterwards.
	Mitigations []RequestedMitigation `json:"mitigations,omitempty" nullable:"false" maxItems:"20"`
}

// RequestedMitigation proposes a mitigation of a violation that the requested access would cause.
type RequestedMitigation struct {
	// ID of the separation-of-duties policy.
	PolicyID string `json:"policy_id" format:"uuid"`
	// ID of the mitigating control, one of mitigation_policies of the violation in the preview.
	ControlID string `json:"mitigation_policy_id" format:"uuid"`
	// ID of the identity that carries the control out. The default is the first owner of the control.
	OwnerID string `json:"owner_id,omitempty" format:"uuid"`
	// ISO 8601 duration from the approval of the mitigation to its end. The default is the longest that the control and
	// the policy allow.
	Duration string `json:"duration,omitempty" maxLength:"64" example:"P30D"`
	// Why the violation is acceptable for the time. The default is the justification of the request.
	Justification string `json:"justification,omitempty" maxLength:"4000"`
}

// AccessRequestItem is one thing that was asked for, with what became of it.
type AccessRequestItem struct {
	// ID of the request item.
	ID string `json:"id" db:"id"`
	// RequestID is the item's request.
	RequestID     string `json:"-" db:"request_id"`
	BeneficiaryID string `json:"-" db:"beneficiary_id"`
	// Kind is the request's kind.
	Kind string `json:"-" db:"kind"`
	// ID of the requested role. Null for an entitlement.
	RoleID *string `json:"role_id" db:"role_id"`
	// ID of the requested entitlement. Null for a role.
	EntitlementID *string `json:"entitlement_id" db:"entitlement_id"`
	// ID of the account that the request names. Null: the request names none.
	AccountID *string `json:"account_id" db:"account_id"`
	// What it was called when it was asked for.
	Display string `json:"display" db:"display"`
	// Risk level of the requested resource at the time of the request. Null: unknown.
	RiskLevel *string `json:"risk_level" db:"risk_level" enum:"low,medium,high,critical"`
	// Whether the requested resource was privileged at the time of the request.
	Privileged bool `json:"privileged" db:"privileged"`
	// Parameters of the requested role, by name. Empty for an entitlement.
	Parameters map[string]any `json:"parameters" db:"parameters" nullable:"false"`
	// Status of the request item.
	Status string `json:"status" db:"status" enum:"submitted,pending_approval,blocked,approved,rejected,cancelled,expired,scheduled,provisioning,fulfilled,failed,closed"`
	// Counted from when the target was seen to have it.
	Duration *string `json:"duration" db:"duration"`
	// Start of the access. Null: as soon as it is approved.
	StartsAt *time.Time `json:"starts_at" db:"starts_at"`
	// Of a duration it is known once the target has the access.
	EndsAt *time.Time `json:"ends_at" db:"ends_at"`
	// The longest that it may last; null: without a limit.
	Longest *string `json:"max_duration" db:"longest"`
	// What bounds it, in words.
	Limits []string `json:"limits_applied" db:"limits" nullable:"false"`
	// When it expires unanswered. Null: no approver was asked.
	ExpiresAt *time.Time `json:"expires_at" db:"-"`
	// Approval rule that applies to the item.
	Rule AccessRequestRule `json:"rule" db:"-"`
	// Who is asked, who has answered, and until when.
	Stages []progress.StageInstance `json:"stages" db:"-" nullable:"false"`
	// Decision on the item. Null: undecided.
	Decision *string `json:"decision" db:"decision" enum:"approved,rejected,expired,cancelled"`
	// Code of the decision: approved, approved_by_rule, emergency, rejected, rejected_by_rule, expired, withdrawn,
	// cancelled. More may come.
	DecisionCode *string `json:"decision_code" db:"decision_code"`
	// The reason, in the approver's words.
	DecisionReason *string `json:"decision_reason" db:"decision_reason"`
	// Time of the decision. Null: undecided.
	DecidedAt *time.Time `json:"decided_at" db:"decided_at"`
	// Users and service tokens that decided the item. Empty if it is undecided or no person decided.
	DecidedBy []decision.Actor `json:"decided_by" db:"decided_by" nullable:"false"`
	// How far the access is in the target; null before it was approved.
	Provisioning *AccessRequestProvisioning `json:"provisioning" db:"-"`
	// IDs of the grants that the item led to. Empty if there are none.
	GrantIDs []string `json:"grant_ids" db:"-" nullable:"false"`
	// Of a request to extend, return or revoke: the item that gave the access.
	TargetItemID *string `json:"target_item_id" db:"target_item_id"`
	// Of an approved request to extend: when the access was to end before; ends_at is its new end.
	ExtendedFrom *time.Time `json:"extended_from" db:"extended_from"`
	// Of emergency access: the review afterwards.
	Review *EmergencyReview `json:"review" db:"review"`
	// What can be done with it as it stands: withdraw, decide, reassign, withdraw-approval, extend, return.
	Allowed []string `json:"allowed" db:"-" nullable:"false"`

	Plan       approval.Plan   `json:"-" db:"plan"`
	Fulfilment fulfil.Progress `json:"-" db:"fulfilment"`
	Given      bool            `json:"-" db:"given"`
	UpdatedAt  time.Time       `json:"-" db:"updated_at"`
}

// AccessRequestRule is the rule that decided who must agree.
type AccessRequestRule struct {
	// Absent: the rule that comes with the product.
	ID string `json:"id,omitempty"`
	// Display name of the approval rule.
	Name string `json:"name"`
	// Version number of the approval rule that was applied.
	Version int `json:"version"`
	// Which of its branches, from 0.
	RuleIndex int `json:"rule_index"`
	// Why this rule and its branch were chosen, in words.
	MatchedBecause string `json:"matched_because"`
	// Outcome of the rule: chain, auto_approve or auto_reject.
	Outcome string `json:"outcome" example:"chain"`
}

// AccessRequestProvisioning is how far approved access is.
type AccessRequestProvisioning struct {
	// State of the access: scheduled, provisioning, fulfilled, failed, ending or closed.
	State string `json:"state" example:"provisioning"`
	// Entitlements that it gives.
	Total int `json:"total"`
	// Of these, those that the targets were seen to have.
	Active int `json:"active"`
	// Number of entitlements whose change failed or that a denial blocks.
	Failed int `json:"failed"`
	// Provisioning tasks.
	Tasks []string `json:"tasks" nullable:"false"`
	// When the target was first seen to have it: the clock of a duration starts here.
	VerifiedAt *time.Time `json:"verified_at"`
	// The message of the target.
	Error map[string]any `json:"error,omitempty"`
	// Why it ended.
	Reason string `json:"reason,omitempty"`
}

// EmergencyReview is what was asked afterwards about access that was given at once.
type EmergencyReview struct {
	// ID of the decision task of the review.
	TaskID string `json:"task_id"`
	// State of the review. confirmed: the reviewer accepted the access. revoked: the review ended the access.
	State string `json:"state" enum:"open,confirmed,revoked"`
	// Time by which the review is due. Administrators are asked too after that.
	DueAt time.Time `json:"due_at"`
	// Names of those who would have been asked before, and are asked now.
	Told []string `json:"told" nullable:"false"`
	// User or service token that reviewed the access. Null: not reviewed.
	By *decision.Actor `json:"by"`
	// Time of the review. Null: not reviewed.
	At *time.Time `json:"at"`
	// Comment of the reviewer. Absent if there is none.
	Comment string `json:"comment,omitempty"`
	// Administrators are asked too, because no approver answered in time.
	Escalate bool `json:"escalated"`
}

// AccessRequestComment is what somebody has said.
type AccessRequestComment struct {
	// ID of the comment.
	ID string `json:"id" db:"id"`
	// User or service token that wrote the comment.
	By decision.Actor `json:"by" db:"by"`
	// Time of the comment.
	At time.Time `json:"at" db:"at"`
	// Text of the comment.
	Text string `json:"text" db:"text"`
	// Readers of the comment. approvers: the requester and the person who gets the access cannot read it.
	Visibility string `json:"visibility" db:"visibility" enum:"everybody,approvers"`
}

// AccessRequestRisk is how risky what is asked for is.
type AccessRequestRisk struct {
	// Highest risk level of the items.
	Level string `json:"level" enum:"low,medium,high,critical"`
	// Items of high or critical risk and privileged items, in words.
	Reasons []string `json:"reasons" nullable:"false"`
}

// AccessRequestPunctuality says until when somebody should have answered.
type AccessRequestPunctuality struct {
	// When the first open stage is due. Null: no approver is waited for.
	RespondBy *time.Time `json:"respond_by"`
	// Whether an open stage is past its due time.
	Breached bool `json:"breached"`
}

// Number returns the number of a request as people read it.
func Number(serial int64) string { return fmt.Sprintf("REQ-%06d", serial) }
