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
	ID                     string                   `json:"id" db:"id"`
	Number                 string                   `json:"number" db:"-" example:"REQ-000123" doc:"For people."`
	Serial                 int64                    `json:"-" db:"number"`
	RequestedForIdentityID string                   `json:"requested_for_identity_id" db:"requested_for"`
	RequestedFor           AccessRequestParty       `json:"requested_for" db:"beneficiary"`
	RequestedBy            decision.Actor           `json:"requested_by" db:"requested_by" doc:"The requester. A service token is shown as an integration."`
	RequestedResources     []RequestedResource      `json:"requested_resources" db:"-" nullable:"false" doc:"What was asked for; see items for each result."`
	Justification          string                   `json:"justification" db:"justification"`
	ExternalReference      *string                  `json:"external_reference" db:"external_reference" doc:"Of the ticket that it came from."`
	Kind                   string                   `json:"kind" db:"kind" enum:"grant,extend,revoke,return"`
	Urgency                string                   `json:"urgency" db:"urgency" enum:"normal,emergency"`
	FormAnswers            map[string]any           `json:"form_answers" db:"form_answers" nullable:"false"`
	Approvers              []string                 `json:"approvers" db:"approvers" nullable:"false" doc:"People whom the requester chose, where a rule lets them."`
	Status                 string                   `json:"status" db:"status" enum:"submitted,pending_approval,blocked,approved,rejected,cancelled,expired,scheduled,provisioning,fulfilled,partially_fulfilled,failed,closed" doc:"Of the request as a whole; it follows from those of its items."`
	ReasonCode             *string                  `json:"reason_code" db:"reason_code" example:"expired" doc:"Why a request ended without access: rejected, rejected_by_rule, expired, cancelled."`
	Items                  []AccessRequestItem      `json:"items" db:"-" nullable:"false"`
	Preview                *AccessRequestForesight  `json:"preview" db:"preview" doc:"The chains as they were known when the request was submitted."`
	ExpiresAt              *time.Time               `json:"expires_at" db:"expires_at" doc:"When it ends unanswered."`
	SubmittedAt            time.Time                `json:"submitted_at" db:"submitted_at"`
	ApprovedAt             *time.Time               `json:"approved_at" db:"approved_at" doc:"When everything was decided, and something approved."`
	RejectedAt             *time.Time               `json:"rejected_at" db:"rejected_at"`
	FulfilledAt            *time.Time               `json:"fulfilled_at" db:"fulfilled_at" doc:"When the targets were seen to have what was approved."`
	ClosedAt               *time.Time               `json:"closed_at" db:"closed_at"`
	Comments               []AccessRequestComment   `json:"comments" db:"-" nullable:"false" doc:"Those that the caller may read. In lists it is empty."`
	Risk                   AccessRequestRisk        `json:"risk" db:"-"`
	SLA                    AccessRequestPunctuality `json:"sla" db:"-"`
	WebhookCorrelationID   string                   `json:"webhook_correlation_id" db:"-" doc:"The id that request.* events carry."`
	Allowed                []string                 `json:"allowed" db:"-" nullable:"false" doc:"The actions that its state allows to a user with the right: cancel, decide, withdraw-approval, extend, return."`
	UpdatedAt              time.Time                `json:"updated_at" db:"updated_at"`
	Version                int                      `json:"version" db:"version"`

	RequesterID *string `json:"-" db:"requester_id"`
	ActorID     *string `json:"-" db:"requester_actor"`
	Told        string  `json:"-" db:"told"`
}

// AccessRequestParty is a person by name.
type AccessRequestParty struct {
	ID      string `json:"id"`
	Display string `json:"display"`
}

// RequestedResource is one thing that is asked for.
type RequestedResource struct {
	_             struct{}       `json:"-" additionalProperties:"true"`
	RoleID        string         `json:"role_id,omitempty" format:"uuid" doc:"Either this or entitlement_id."`
	EntitlementID string         `json:"entitlement_id,omitempty" format:"uuid"`
	AccountID     string         `json:"account_id,omitempty" format:"uuid" doc:"The account that gets the entitlement. The default is the main account of the person."`
	Parameters    map[string]any `json:"parameters,omitempty" doc:"Of a role that takes some."`
	Duration      string         `json:"duration,omitempty" maxLength:"40" example:"PT3H" doc:"How long, as an ISO 8601 duration. The time runs from when the target was seen to have the access."`
	StartsAt      *time.Time     `json:"starts_at,omitempty" doc:"The start of the access. The default is immediately."`
	EndsAt        *time.Time     `json:"ends_at,omitempty" doc:"Until when. Not together with duration."`
}

// NewAccessRequest is the body of a request. Members that it does not have are ignored.
type NewAccessRequest struct {
	_                      struct{}            `json:"-" additionalProperties:"true"`
	RequestedForIdentityID string              `json:"requested_for_identity_id,omitempty" format:"uuid" doc:"The person who gets the access. The default is yourself."`
	RequestedResources     []RequestedResource `json:"requested_resources" required:"false" nullable:"false" doc:"1 to 50; each is decided apart."`
	Justification          string              `json:"justification,omitempty" maxLength:"4000" doc:"What it is needed for. The rule may demand it."`
	ExternalReference      *string             `json:"external_reference,omitempty" maxLength:"256" example:"CHG0031337" doc:"The ticket that it comes from; events of the request carry it."`
	Kind                   string              `json:"kind,omitempty" enum:"grant,extend,revoke,return" default:"grant"`
	Urgency                string              `json:"urgency,omitempty" enum:"normal,emergency" default:"normal" doc:"emergency: at once, for a short time, and reviewed afterwards. The rule must allow it."`
	FormAnswers            map[string]any      `json:"form_answers,omitempty" doc:"Answers to questions of your own, kept and shown as they are."`
	Approvers              []string            `json:"approvers,omitempty" nullable:"false" maxItems:"20" format:"uuid" doc:"People of your choice, where a rule lets the requester choose."`
}

// AccessRequestItem is one thing that was asked for, with what became of it.
type AccessRequestItem struct {
	ID             string                     `json:"id" db:"id"`
	RequestID      string                     `json:"-" db:"request_id"`
	BeneficiaryID  string                     `json:"-" db:"beneficiary_id"`
	Kind           string                     `json:"-" db:"kind"`
	RoleID         *string                    `json:"role_id" db:"role_id"`
	EntitlementID  *string                    `json:"entitlement_id" db:"entitlement_id"`
	AccountID      *string                    `json:"account_id" db:"account_id"`
	Display        string                     `json:"display" db:"display" doc:"What it was called when it was asked for."`
	RiskLevel      *string                    `json:"risk_level" db:"risk_level" enum:"low,medium,high,critical"`
	Privileged     bool                       `json:"privileged" db:"privileged"`
	Parameters     map[string]any             `json:"parameters" db:"parameters" nullable:"false"`
	Status         string                     `json:"status" db:"status" enum:"submitted,pending_approval,blocked,approved,rejected,cancelled,expired,scheduled,provisioning,fulfilled,failed,closed"`
	Duration       *string                    `json:"duration" db:"duration" doc:"Counted from when the target was seen to have it."`
	StartsAt       *time.Time                 `json:"starts_at" db:"starts_at"`
	EndsAt         *time.Time                 `json:"ends_at" db:"ends_at" doc:"Of a duration it is known once the target has the access."`
	Longest        *string                    `json:"max_duration" db:"longest" doc:"The longest that it may last; null: without a limit."`
	Limits         []string                   `json:"limits_applied" db:"limits" nullable:"false" doc:"What bounds it, in words."`
	ExpiresAt      *time.Time                 `json:"expires_at" db:"-" doc:"When it expires unanswered. Null: no approver was asked."`
	Rule           AccessRequestRule          `json:"rule" db:"-"`
	Stages         []progress.StageInstance   `json:"stages" db:"-" nullable:"false" doc:"Who is asked, who has answered, and until when."`
	Decision       *string                    `json:"decision" db:"decision" enum:"approved,rejected,expired,cancelled"`
	DecisionCode   *string                    `json:"decision_code" db:"decision_code" doc:"approved, approved_by_rule, emergency, rejected, rejected_by_rule, expired, withdrawn, cancelled, …"`
	DecisionReason *string                    `json:"decision_reason" db:"decision_reason" doc:"The reason, in the approver's words."`
	DecidedAt      *time.Time                 `json:"decided_at" db:"decided_at"`
	DecidedBy      []decision.Actor           `json:"decided_by" db:"decided_by" nullable:"false"`
	Provisioning   *AccessRequestProvisioning `json:"provisioning" db:"-" doc:"How far the access is in the target; null before it was approved."`
	GrantIDs       []string                   `json:"grant_ids" db:"-" nullable:"false"`
	TargetItemID   *string                    `json:"target_item_id" db:"target_item_id" doc:"Of a request to extend, return or revoke: the item that gave the access."`
	ExtendedFrom   *time.Time                 `json:"extended_from" db:"extended_from" doc:"Of an approved request to extend: when the access was to end before; ends_at is its new end."`
	Review         *EmergencyReview           `json:"review" db:"review" doc:"Of emergency access: the review afterwards."`
	Allowed        []string                   `json:"allowed" db:"-" nullable:"false" doc:"What can be done with it as it stands: withdraw, decide, reassign, withdraw-approval, extend, return."`

	Plan       approval.Plan   `json:"-" db:"plan"`
	Fulfilment fulfil.Progress `json:"-" db:"fulfilment"`
	Given      bool            `json:"-" db:"given"`
	UpdatedAt  time.Time       `json:"-" db:"updated_at"`
}

// AccessRequestRule is the rule that decided who must agree.
type AccessRequestRule struct {
	ID             string `json:"id,omitempty" doc:"Absent: the rule that comes with the product."`
	Name           string `json:"name"`
	Version        int    `json:"version"`
	RuleIndex      int    `json:"rule_index" doc:"Which of its branches, from 0."`
	MatchedBecause string `json:"matched_because"`
	Outcome        string `json:"outcome" example:"chain" doc:"chain, auto_approve, auto_reject."`
}

// AccessRequestProvisioning is how far approved access is.
type AccessRequestProvisioning struct {
	State      string         `json:"state" example:"provisioning" doc:"scheduled, provisioning, fulfilled, failed, ending, closed."`
	Total      int            `json:"total" doc:"Entitlements that it gives."`
	Active     int            `json:"active" doc:"Of these, those that the targets were seen to have."`
	Failed     int            `json:"failed"`
	Tasks      []string       `json:"tasks" nullable:"false" doc:"Provisioning tasks."`
	VerifiedAt *time.Time     `json:"verified_at" doc:"When the target was first seen to have it: the clock of a duration starts here."`
	Error      map[string]any `json:"error,omitempty" doc:"The message of the target."`
	Reason     string         `json:"reason,omitempty" doc:"Why it ended."`
}

// EmergencyReview is what was asked afterwards about access that was given at once.
type EmergencyReview struct {
	TaskID   string          `json:"task_id"`
	State    string          `json:"state" enum:"open,confirmed,revoked" doc:"revoked: the access was ended by the review."`
	DueAt    time.Time       `json:"due_at"`
	Told     []string        `json:"told" nullable:"false" doc:"Names of those who would have been asked before, and are asked now."`
	By       *decision.Actor `json:"by"`
	At       *time.Time      `json:"at"`
	Comment  string          `json:"comment,omitempty"`
	Escalate bool            `json:"escalated" doc:"Administrators are asked too, because no approver answered in time."`
}

// AccessRequestComment is what somebody has said.
type AccessRequestComment struct {
	ID         string         `json:"id" db:"id"`
	By         decision.Actor `json:"by" db:"by"`
	At         time.Time      `json:"at" db:"at"`
	Text       string         `json:"text" db:"text"`
	Visibility string         `json:"visibility" db:"visibility" enum:"everybody,approvers"`
}

// AccessRequestRisk is how risky what is asked for is.
type AccessRequestRisk struct {
	Level   string   `json:"level" enum:"low,medium,high,critical"`
	Reasons []string `json:"reasons" nullable:"false"`
}

// AccessRequestPunctuality says until when somebody should have answered.
type AccessRequestPunctuality struct {
	RespondBy *time.Time `json:"respond_by" doc:"When the first open stage is due. Null: no approver is waited for."`
	Breached  bool       `json:"breached"`
}

// Number returns the number of a request as people read it.
func Number(serial int64) string { return fmt.Sprintf("REQ-%06d", serial) }
