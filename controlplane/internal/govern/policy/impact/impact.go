package impact

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/constraint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// PolicyImpact is what would come of a change: who gains and loses what.
type PolicyImpact struct {
	// People who have not left.
	PeopleTotal int `json:"people_total"`
	// The number of people whom the policy applies to.
	Matched int `json:"matched"`
	// People who gain or lose something.
	IdentitiesAffected int `json:"identities_affected"`
	// The entitlements and accounts that a person gains without holding them for another reason.
	GrantsAdded int `json:"grants_added"`
	// Of grants_added: those that the person holds in the system already, so that they only get a reason. The rest is
	// new in the system.
	GrantsHeld int `json:"grants_held"`
	// Of identities_affected: people who only get reasons for what they hold in the systems already, and lose nothing.
	ReasonsOnly int `json:"identities_reason_only"`
	// The entitlements and accounts that a person loses, immediately or after a grace period.
	GrantsEnded int `json:"grants_ended"`
	// Accounts that people need for it and do not have.
	AccountsCreated int `json:"accounts_created"`
	// The reasons that are added, also for access that the person already has.
	ReasonsAdded int `json:"reasons_added"`
	// The number of reasons that end.
	ReasonsEnded int `json:"reasons_ended"`
	// With the effect eligible: people who can request something of the policy that they could not request before.
	EligibilityGained int `json:"eligibility_gained"`
	// With the effect eligible: people who can no longer request something that the policy names.
	EligibilityLost int `json:"eligibility_lost"`
	// With the effect require: people who lack something that they must have. They are counted in identities_affected
	// too, and neither gain nor lose access.
	PeopleLacking int `json:"people_lacking"`
	// With on_no_match review: people who keep access until a decision. They are counted in identities_affected only if
	// they also gain or lose something.
	PeopleToReview int `json:"people_to_review"`
	// The entitlements and accounts that they keep until then.
	GrantsToReview int `json:"grants_to_review"`
	// The 100 with the most people affected.
	ByDepartment []DepartmentImpact `json:"by_department" nullable:"false"`
	// The first 20 people affected. All of them come with download.
	Sample []PersonImpact `json:"sample" nullable:"false"`
	// Why it needs confirm.
	LimitsHit []LimitHit `json:"limits_hit" nullable:"false"`
	// Remarks on the figures, such as what they do not count.
	Notes []string `json:"notes" nullable:"false"`
	// The token of these exact changes. Send it as confirm.
	PlanHash string `json:"plan_hash"`
}

// DepartmentImpact is a department's share.
type DepartmentImpact struct {
	// Empty: people without one.
	Department string `json:"department"`
	// People of the department who gain or lose something.
	IdentitiesAffected int `json:"identities_affected"`
	// The entitlements and accounts that people of the department gain without holding them for another reason.
	GrantsAdded int `json:"grants_added"`
	// The entitlements and accounts that people of the department lose, immediately or after a grace period.
	GrantsEnded int `json:"grants_ended"`
}

// PersonImpact is what a person gains and loses.
type PersonImpact struct {
	// ID of the identity.
	IdentityID string `json:"identity_id"`
	// Display name of the person.
	Display string `json:"display"`
	// Department of the person. Empty if there is none.
	Department string `json:"department"`
	// Entitlements and accounts that the person gains.
	Gains []GrantShift `json:"gains" nullable:"false"`
	// Entitlements and accounts that the person loses.
	Losses []GrantShift `json:"losses" nullable:"false"`
	// With the effect eligible: IDs of the roles, entitlements and systems of which the person can request something
	// that they could not request before.
	EligibilityGained []string `json:"eligibility_gained,omitempty"`
	// With the effect eligible: IDs of those of which the person can no longer request something.
	EligibilityLost []string `json:"eligibility_lost,omitempty"`
	// With on_no_match review: what the person keeps until a decision.
	ToReview []GrantShift `json:"to_review,omitempty"`
	// With the effect require: what the person lacks.
	Missing []constraint.MissingItem `json:"missing,omitempty"`
}

// GrantShift is an entitlement, or an account where there is none, that is gained or lost.
type GrantShift struct {
	// ID of the connector of the target system.
	ConnectorID string `json:"connector_id"`
	// ID of the entitlement. Null: an account in the target system.
	EntitlementID *string `json:"entitlement_id"`
	// When, if not at once.
	At *time.Time `json:"at"`
	// Of a gain: the person holds it in the system already, and only gets a reason for it.
	Held bool `json:"held"`
}

// LimitHit is a limit that a plan is beyond.
type LimitHit struct {
	// Limit that is exceeded: the changes that the circuit breaker of the policy allows, the share of people
	// affected, or remove_all: the removal of everything that a sector pack installed.
	Code string `json:"code" enum:"circuit_breaker,share_of_people,remove_all"`
	// Highest count that needs no confirmation.
	Limit int `json:"limit"`
	// Count that the change reaches: reasons added and ended for circuit_breaker, people affected for share_of_people.
	Count int `json:"count"`
	// Explanation of the exceeded limit, in plain words.
	Detail string `json:"detail"`
}

// Impact is a PolicyImpact.
type Impact = PolicyImpact

// Confirmed is a fault of kind Conflict with the impact unless it is within its limits, or confirm is the hash of
// exactly this plan.
func (i PolicyImpact) Confirmed(confirm string) error {
	switch {
	case len(i.LimitsHit) == 0:
		return nil
	case confirm == "":
		return fault.Coded(fault.Conflict, "confirmation_required", "%s; review the impact and confirm it with its "+
			"plan_hash", i.LimitsHit[0].Detail).
			Also("impact", i)
	case confirm != i.PlanHash:
		return fault.Coded(fault.Conflict, "plan_changed", "The impact has changed since you confirmed it. Review it "+
			"again.").
			Also("impact", i)
	}
	return nil
}
