package accesspolicy

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/constraint"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/schedule"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/table"
)

// The API names its types without their package, so they have short names here.
type (
	Fields         = PolicyFields
	Resources      = PolicyResources
	Lifecycle      = PolicyLifecycle
	CircuitBreaker = PolicyBreaker
	Companion      = PolicyCompanion
	Stats          = PolicyStats
	Evaluation     = PolicyProgress
	Subject        = PolicySubject
	Constraints    = constraint.PolicyConstraints
	Schedule       = schedule.PolicySchedule
	DecisionTable  = table.DecisionTable
)
