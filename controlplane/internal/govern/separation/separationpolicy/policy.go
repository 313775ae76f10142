package separationpolicy

import "github.com/grantwright/grantwright/controlplane/internal/govern/separation/definition"

// Modes of a policy.
const (
	Draft   = definition.Draft
	Shadow  = definition.Shadow
	Enforce = definition.Enforce
)

// Effects of a policy.
const (
	Block     = definition.Block
	Exception = definition.Exception
	Warn      = definition.Warn
	Record    = definition.Record
	Task      = definition.Task
)

// The content of policies under the names that their callers use.
type (
	Fields = definition.SeparationPolicyFields
	Side   = definition.SeparationSide
	Grid   = definition.SeparationMatrix
	Policy = definition.SeparationPolicy
)

// New is a policy to be created. Without Origin it was made by hand.
type New struct {
	Fields
	Origin map[string]any
}
