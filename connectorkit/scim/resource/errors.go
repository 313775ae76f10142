package resource

import (
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Phases of a sync or change, as errors and progress name them.
const (
	PhaseUsers  = "users"
	PhaseGroups = "groups"
)

// InvalidRequest is the error of a change that cannot be made as requested.
func InvalidRequest(code, message, hint string) *v1.ErrorDetail {
	return &v1.ErrorDetail{Class: v1.ClassConfig, Code: code, Message: message, Hint: hint, Phase: PhaseUsers}
}
