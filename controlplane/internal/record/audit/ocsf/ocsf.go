// Package ocsf converts entries of the audit log to the Open Cybersecurity Schema Framework, which security
// information systems read.
package ocsf

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Version is the release of the schema that events keep to.
const Version = "1.3.0"

// Class is where an action has its place in the schema.
type Class struct {
	// OCSF class of the action.
	ClassUID int `json:"class_uid"`
	// OCSF activity within the class.
	ActivityID int `json:"activity_id"`
	// OCSF severity: 1 informational, 2 low, 3 medium, 4 high.
	SeverityID int `json:"severity_id"`
}

// Classes of the schema.
const (
	accountChange    = 3001
	authentication   = 3002
	entityManagement = 3004
	userAccess       = 3005
	apiActivity      = 6003

	other = 99 // an activity that the schema has no number for
)

// classes are those of the categories.
var classes = map[audit.Category]int{
	audit.Authentication: authentication,
	audit.Account:        accountChange,
	audit.Identity:       accountChange,
	audit.Grant:          userAccess,
	audit.Authorization:  apiActivity,
	audit.Export:         apiActivity,
}

// changesOfAccounts are actions about signing in that change the account itself.
var changesOfAccounts = map[string]int{
	"auth.password_changed":   3,
	"auth.mfa_enabled":        10,
	"auth.mfa_disabled":       11,
	"auth.mfa_reset":          11,
	"auth.passkey_registered": 10,
	"auth.passkey_renamed":    other,
	"auth.passkey_deleted":    11,
	"auth.roles_mapped":       other,
}

// ClassOf is the place of an action. What is about many objects at once, as after a sync, and what has no class of its
// own is the management of an entity.
func ClassOf(action string, outcome audit.Outcome) Class {
	if n, ok := changesOfAccounts[action]; ok {
		return Class{ClassUID: accountChange, ActivityID: n, SeverityID: severity(action, outcome)}
	}
	class, ok := classes[audit.CategoryOf(action)]
	if !ok {
		class = entityManagement
	}
	return Class{ClassUID: class, ActivityID: activity(class, action), SeverityID: severity(action, outcome)}
}

// activities are the numbers of verbs in each class.
var activities = map[int]map[string]int{
	authentication: {
		"login":                  1,
		"logout":                 2,
		"logout_all":             2,
		"session_ended":          2,
		"refresh_reuse_detected": 1,
		"recovery_used":          1,
		"passkey_refused":        1,
	},
	accountChange: {
		"created":          1,
		"registered":       1,
		"activated":        2,
		"enabled":          2,
		"reappeared":       2,
		"password_changed": 3,
		"password_reset":   4,
		"deactivated":      5,
		"disabled":         5,
		"archived":         5,
		"removed":          6,
		"deleted":          6,
	},
	userAccess: {"created": 1, "assigned": 1, "reappeared": 1, "removed": 2, "revoked": 2},
	apiActivity: {
		"created":          1,
		"read":             2,
		"exported":         2,
		"verified":         2,
		"checkpoints_read": 2,
		"changes_exported": 2,
		"cross_access":     99,
	},
	entityManagement: {
		"created":    1,
		"registered": 1,
		"started":    1,
		"read":       2,
		"tested":     2,
		"discovered": 2,
		"deleted":    4,
		"removed":    4,
		"revoked":    4,
		"trimmed":    4,
		"enabled":    8,
		"disabled":   9,
	},
}

// activity is the number of an action's verb in its class.
func activity(class int, action string) int {
	_, verb, _ := strings.Cut(action, ".")
	if n, ok := activities[class][verb]; ok {
		return n
	}
	switch {
	case class == entityManagement:
		return 3 // Update
	case class == apiActivity && strings.HasSuffix(verb, "_exported"):
		return 2
	}
	return other
}

// Severities of the schema.
const (
	informational = 1
	low           = 2
	medium        = 3
	high          = 4
)

// alarming are actions that need attention, whatever their outcome is.
var alarming = map[string]int{
	"auth.refresh_reuse_detected": high,
	"agent.clone_detected":        high,
	"agent.identity_mismatch":     high,
	"tenant.cross_access":         medium,
	"audit.trimmed":               low,
	"audit.retention_updated":     medium,
	"audit_stream.deleted":        medium,
	"audit_stream.updated":        low,
}

// severity is that of the action, or else follows from the outcome.
func severity(action string, outcome audit.Outcome) int {
	if n, ok := alarming[action]; ok {
		return n
	}
	switch outcome {
	case audit.Denied:
		return medium
	case audit.Failure:
		return low
	}
	return informational
}
