package accesspolicy

import (
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Modes and effects of a policy.
const (
	Shadow   = "shadow"   // it is evaluated and changes nothing
	Enforce  = "enforce"  // what it says is done
	Assign   = "assign"   // the people of the policy are granted the resources
	Deny     = "deny"     // they may not hold them, whatever else gives them
	Eligible = "eligible" // only the people of the policy can request them
	Require  = "require"  // people who hold them must have the companion
)

// What becomes of access that no longer follows from a person's attributes.
const (
	EndNow = "end_now"
	Grace  = "grace"
	Review = "review" // it stays until a decision task about it is decided
)

// PolicyFields are what may be written of a policy.
type PolicyFields struct {
	// Display name of the policy.
	Name string `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	// Description of the policy. Empty if it has none.
	Description string `json:"description" db:"description" required:"false" maxLength:"4000"`
	// One that is not is as if it were not there: what it gave ends. true when a policy is made without it.
	Enabled bool `json:"enabled" db:"enabled" required:"false"`
	// The default is shadow: the policy is evaluated and changes nothing.
	Mode string `json:"mode" db:"mode" required:"false" enum:"shadow,enforce"`
	// Effect of the policy. With assign it grants the resources, with deny it forbids them, whatever else grants them.
	// With eligible, the people whom it applies to can request the resources; other people cannot, unless another
	// policy lets them. With require, the people who meet the condition, and hold any of the resources if there are
	// some, must have the companion. A person who lacks it has a requirement gap, and keeps their access.
	Effect string `json:"effect" db:"effect" required:"false" enum:"assign,deny,eligible,require"`
	// What it assigns is a birthright: it comes with being who one is.
	Birthright bool `json:"birthright" db:"birthright" required:"false"`
	// Order of policies, lowest first. All policies that match count. Of several that let a person request something,
	// the first sets the terms.
	Priority int `json:"priority" db:"priority" required:"false" minimum:"1" maximum:"1000"`
	// IDs of the identities that own the policy.
	OwnerIDs []string `json:"owner_ids" db:"owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// Who the policy applies to, as a condition. See POST /policies/conditions/validate.
	Subject Subject `json:"subject" db:"subject" required:"false"`
	// Access that the policy assigns, denies or lets people request. With the effect require: access that brings the
	// requirement to those who hold any of it; empty: everyone who meets the condition. With a table, these are the
	// roles and entitlements of its rows, whatever is sent.
	Resources Resources `json:"resources" db:"resources" required:"false"`
	// With the effect require: what people must have, besides the training and the manager in constraints. Null:
	// nothing.
	Companion *Companion `json:"companion" db:"companion" required:"false"`
	// Decision table: its rows say who gets which access. Null: all people whom subject is about get all resources.
	// With a table, the effect is assign, and subject limits the people whom the table is about. The default is
	// everyone. A policy cannot get a table later, or lose it.
	Table *DecisionTable `json:"table" db:"decision_table" required:"false"`
	// When in the employment of a person the policy applies, and how access ends.
	Lifecycle Lifecycle `json:"lifecycle" db:"lifecycle" required:"false"`
	// What the policy requires in addition to its condition.
	Constraints Constraints `json:"constraints" db:"constraints" required:"false"`
	// When the policy applies. Null: at all times. Outside its schedule a policy assigns and denies nothing: its
	// access ends without grace. The resources of an eligible policy cannot be requested outside its schedule.
	Schedule *Schedule `json:"schedule" db:"schedule" required:"false"`
	// Limit on the changes of the policy. Null: no limit.
	CircuitBreaker *CircuitBreaker `json:"circuit_breaker" db:"breaker" required:"false"`
}

// PolicySubject is a condition as it is sent and stored.
type PolicySubject map[string]any

// PolicyResources are what a policy gives or denies.
type PolicyResources struct {
	// All that these roles hold, now and whenever they change.
	RoleIDs []string `json:"role_ids" required:"false" nullable:"false" maxItems:"200" format:"uuid"`
	// IDs of the entitlements that the policy is about.
	EntitlementIDs []string `json:"entitlement_ids" required:"false" nullable:"false" maxItems:"1000" format:"uuid"`
	// An account of the system and nothing more; with deny: nothing of it; with eligible: all its entitlements.
	ConnectorIDs []string `json:"connector_ids" required:"false" nullable:"false" maxItems:"200" format:"uuid"`
	// Entitlements with any of these compliance or duty tags, in all systems, now and whenever tags change. Capitals
	// matter.
	Tags []string `json:"tags" required:"false" nullable:"false" maxItems:"20" example:"[\"SOX\"]"`
}

// PolicyCompanion is what people must have by a policy with the effect require: all of it.
type PolicyCompanion struct {
	// IDs of the roles that they must have, by an assignment, a rule, a policy or a request.
	RoleIDs []string `json:"role_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// IDs of the entitlements that they must hold, directly or inherited.
	EntitlementIDs []string `json:"entitlement_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
}

// Schema is that of a companion, or null.
func (PolicyCompanion) Schema(r huma.Registry) *huma.Schema {
	type plain PolicyCompanion
	s := *huma.SchemaFromType(r, reflect.TypeFor[plain]())
	s.Nullable = true
	return &s
}

// IDs are those of the roles and entitlements; none of nil.
func (c *PolicyCompanion) IDs() []string {
	if c == nil {
		return nil
	}
	return slices.Concat(c.RoleIDs, c.EntitlementIDs)
}

// PolicyLifecycle says in which states of a person a policy applies, and what becomes of access when it no longer does.
type PolicyLifecycle struct {
	// The default, also for an empty list, is all four.
	When []string `json:"when" required:"false" nullable:"false" maxItems:"4" enum:"pre_hire,active,on_leave,notice"`
	// How long before their start date a pre-hire's access begins, in ISO 8601; null: as in the tenant's lifecycle
	// policy.
	LeadTime *string `json:"lead_time" required:"false" maxLength:"64" example:"P2D"`
	// What happens to access when a person no longer matches. With review, it stays, and the manager of the person
	// decides in the inbox whether it ends or is kept until a date.
	OnNoMatch string `json:"on_no_match" required:"false" enum:"end_now,grace,review"`
	// With grace, how long it stays, in ISO 8601; null: as in the tenant's lifecycle policy for movers.
	Grace *string `json:"grace" required:"false" maxLength:"64" example:"P14D"`
}

// PolicyBreaker stops a policy that changes too much.
type PolicyBreaker struct {
	// How many reasons it may give and take within the window.
	MaxChanges int `json:"max_changes" minimum:"1" maximum:"1000000"`
	// An ISO 8601 duration, PT1M to P30D.
	Window string `json:"window" maxLength:"64" example:"PT1H"`
}

// Schema is that of a breaker, or null.
func (PolicyBreaker) Schema(r huma.Registry) *huma.Schema {
	type plain PolicyBreaker
	s := *huma.SchemaFromType(r, reflect.TypeFor[plain]())
	s.Nullable = true
	return &s
}

// PolicyStats are what the last look at everybody has found.
type PolicyStats struct {
	// The number of people whom the policy applies to.
	Matched int `json:"matched"`
	// Reasons that it would give, were it enforced.
	WouldGrant int `json:"would_grant"`
	// Reasons of it that would end.
	WouldEnd int `json:"would_end"`
	// Reasons that the policy does not add again, because they were revoked at this version.
	Withheld int `json:"withheld"`
	// With the effect require: people of those matched who lack something that they must have.
	Lacking int `json:"lacking"`
	// With on_no_match review: people who no longer match, and whose access waits for a decision or ends by one.
	ToReview int `json:"to_review"`
	// People for whom a rule could not be answered, and counted as false.
	Warnings int `json:"warnings"`
}

// PolicyProgress is how far the look at everybody has come.
type PolicyProgress struct {
	// Whether an evaluation of all people is running or waiting. Otherwise idle.
	State string `json:"state" enum:"idle,waiting,running"`
	// People who have been looked at.
	Done int `json:"done"`
	// Number of people in the current or last evaluation. 0 if there was none.
	Total int `json:"total"`
	// When everybody was last looked at.
	FinishedAt *time.Time `json:"finished_at"`
}

// AccessPolicy is a policy as the API shows it.
type AccessPolicy struct {
	// ID of the policy.
	ID string `json:"id" db:"id"`
	Fields
	// Whether the policy has a decision table, or a single condition.
	Kind string `json:"kind" db:"kind" enum:"condition,table"`
	// Number of rows of the decision table. 0 without one.
	RowCount int `json:"row_count" db:"row_count"`
	// Who the policy applies to, in words.
	Sentence string `json:"sentence" db:"-" example:"department is Nursing or Surgery, and employment type is employee"`
	// When its breaker stopped it; nothing of it is applied until that is accepted.
	TrippedAt *time.Time `json:"tripped_at" db:"tripped_at"`
	// Why the circuit breaker stopped the policy. Null if it did not.
	TrippedReason *string `json:"tripped_reason" db:"breaker_reason"`
	// Results of the last evaluation of all people.
	Stats Stats `json:"stats" db:"stats"`
	// When stats were found.
	EvaluatedAt *time.Time `json:"last_evaluated_at" db:"evaluated_at"`
	// People with a current reason from it.
	HolderCount int64 `json:"holder_count" db:"-"`
	// Progress of the evaluation of all people, which is the same for all policies.
	Evaluation Evaluation `json:"evaluation" db:"-"`
	// Who made it: by hand, or a pack.
	Origin map[string]any `json:"origin" db:"origin" nullable:"false"`
	// Time the policy was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the policy was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the policy, for If-Match.
	Version int `json:"version" db:"version"`
	// Needs are the facts that the condition reads, for a quick answer whom a change of a person
	// concerns.
	Needs []string `json:"-" db:"needs"`
}

// New is a policy to be made. Without Origin it is made by hand.
type New struct {
	Fields
	Origin map[string]any
}

// Applies reports whether the policy changes anything: it is enabled and enforced.
func (f Fields) Applies() bool { return f.Enabled && f.Mode == Enforce }
