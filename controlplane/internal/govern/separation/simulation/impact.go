package simulation

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
)

// Sizes of the lists in an impact.
const (
	sampled   = 20
	foremost  = 100
	batchSize = 500 // people who are loaded at once
)

// SeparationImpact is what a change would change in the violations of all people.
type SeparationImpact struct {
	// Number of people in the tenant, without archived ones.
	PeopleTotal int64 `json:"people_total"`
	// Number of people with a new or closed violation.
	IdentitiesAffected int `json:"identities_affected"`
	// Number of violations that the change would cause.
	ViolationsNew int `json:"violations_new"`
	// Number of violations that the change would end.
	ViolationsClosed int `json:"violations_closed"`
	// Number of violations of the policies after the change.
	ViolationsTotal int `json:"violations_total"`
	// Figures of each policy that the change concerns.
	ByPolicy []SeparationPolicyImpact `json:"by_policy" nullable:"false"`
	// Departments with the most new and closed violations, at most 100.
	ByDepartment []SeparationDepartmentImpact `json:"by_department" nullable:"false"`
	// First 20 people with a new or closed violation.
	Sample []SeparationPersonImpact `json:"sample" nullable:"false"`
	// Remarks on the figures, such as what they do not count.
	Notes []string `json:"notes" nullable:"false"`
}

// SeparationPolicyImpact is the share of one policy.
type SeparationPolicyImpact struct {
	// ID of the policy. Null if it is not saved.
	PolicyID *string `json:"policy_id"`
	// Name of the policy.
	Name string `json:"name"`
	// Number of violations before the change. 0 if the policy is not evaluated.
	Before int `json:"before"`
	// Number of violations after the change.
	After int `json:"after"`
	// Positions of the sides that no person could perform after the change.
	BlindSides []int `json:"blind_sides" nullable:"false"`
}

// SeparationDepartmentImpact is the share of one department.
type SeparationDepartmentImpact struct {
	// Name of the department. Empty for people without one.
	Department string `json:"department"`
	// Number of violations that the change would cause.
	ViolationsNew int `json:"violations_new"`
	// Number of violations that the change would end.
	ViolationsClosed int `json:"violations_closed"`
}

// SeparationPersonImpact is what the change means for one person.
type SeparationPersonImpact struct {
	// ID of the identity.
	IdentityID string `json:"identity_id"`
	// Display name of the person.
	DisplayName string `json:"display_name"`
	// Department of the person. Empty if there is none.
	Department string `json:"department"`
	// Violations that the change would cause.
	New []SeparationViolationImpact `json:"new" nullable:"false"`
	// Violations that the change would end.
	Closed []SeparationViolationImpact `json:"closed" nullable:"false"`
}

// SeparationViolationImpact is one violation in an impact.
type SeparationViolationImpact struct {
	// Name of the policy.
	Policy string `json:"policy"`
	// Labels of the sides that the person performs.
	Sides []string `json:"sides" nullable:"false"`
	// How much of the violation is fact.
	Grade string `json:"grade" enum:"latent,potential,exercised_one,exercised_both,inside_role"`
}

// violation describes a violation found by a book.
func violation(b *rulebook.Book, v conflict.Violation) SeparationViolationImpact {
	out := SeparationViolationImpact{Policy: b.Policies[v.Policy.ID].Name, Sides: []string{}, Grade: string(v.Grade)}
	for _, s := range v.Sides {
		out.Sides = append(out.Sides, v.Policy.Sides[s.Side].Label)
	}
	return out
}
