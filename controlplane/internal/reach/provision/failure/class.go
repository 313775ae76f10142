package failure

import (
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Classes of errors of attempts.
const (
	ClassTransient   = "transient"
	ClassThrottled   = "throttled"
	classAuth        = "auth"
	ClassConfig      = "config"
	ClassConflict    = "conflict"
	classInvalid     = "invalid"
	classNotFound    = "not_found"
	classUnsupported = "unsupported"
)

// unsupportedCodes are the codes of errors that say that a connector or its target cannot make a change at all.
var unsupportedCodes = map[string]bool{
	"read_only_connector":      true,
	"operation_not_supported":  true,
	"unsupported_operation":    true,
	"agent_type_unsupported":   true,
	"container_unsupported":    true,
	"force_change_unsupported": true,
	"password_unsupported":     true,
	"principal_unsupported":    true,
}

// ClassOf is the class of a target's error.
func ClassOf(d *v1.ErrorDetail) string {
	switch d.Class {
	case v1.ClassRateLimited:
		return ClassThrottled
	case v1.ClassAuth:
		return classAuth
	case v1.ClassConfig:
		if unsupportedCodes[d.Code] {
			return classUnsupported
		}
		return ClassConfig
	case v1.ClassPermission, v1.ClassPolicy, v1.ClassData:
		return classInvalid
	case v1.ClassConflict:
		return ClassConflict
	case v1.ClassNotFound:
		return classNotFound
	case v1.ClassTargetFault:
		if IsPermanent(d) {
			return classInvalid
		}
	}
	return ClassTransient
}

// IsPermanent says that the target has understood the change and does not make it: sent again, it is refused again.
func IsPermanent(d *v1.ErrorDetail) bool {
	return ldapResult(d) == ldapUnwillingToPerform
}

// StopsLane says that the trouble is not with the change: nothing can be changed through the connector until it is
// mended.
func StopsLane(class string) bool {
	return class == classAuth || class == ClassConfig || class == ClassThrottled
}
