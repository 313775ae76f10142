package policy

import "github.com/grantwright/grantwright/controlplane/internal/govern/condition"

// What the API names by itself has short names inside the house.
type (
	Fields         = PolicyFields
	Resources      = PolicyResources
	Lifecycle      = PolicyLifecycle
	CircuitBreaker = PolicyBreaker
	Stats          = PolicyStats
	Evaluation     = PolicyProgress
	Subject        = PolicySubject
	Impact         = PolicyImpact
	Trial          = ConditionTrial
	Verdict        = ConditionVerdict
)

// ConditionProblem is something that a condition cannot be saved with.
type ConditionProblem condition.Problem

// ConditionWarning tells of a rule that could not be answered and so counted as false.
type ConditionWarning condition.Warning
