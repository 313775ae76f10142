package entitlement

import (
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// disconnected is the lifecycle of an entitlement whose connector was deleted.
const disconnected = "disconnected"

// EntitlementCondition is a condition as it is sent and stored.
type EntitlementCondition map[string]any

// EntitlementFields are what may be written of an entitlement: by administrators all of it, by its owners what
// describes it.
type EntitlementFields struct {
	BusinessDescription *string              `json:"business_description" db:"business_description" required:"false" maxLength:"4000" doc:"What it is for, in words for those who ask for it."`
	PermissionSummary   []string             `json:"permission_summary" db:"permission_summary" required:"false" nullable:"false" maxItems:"50" doc:"What it allows, point by point."`
	OwnerIDs            []string             `json:"owner_ids" db:"owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid" doc:"Identities who own it; as resource owners they see who holds it."`
	BackupOwnerIDs      []string             `json:"backup_owner_ids" db:"backup_owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid" doc:"People who replace the owners if an approval needs an owner. This does not extend what they can see."`
	Privileged          bool                 `json:"privileged" db:"privileged" required:"false"`
	RiskLevel           string               `json:"risk_level" db:"risk_level" required:"false" enum:"low,medium,high,critical"`
	ComplianceTags      []string             `json:"compliance_tags" db:"compliance_tags" required:"false" nullable:"false" maxItems:"50" doc:"Such as SOX or HIPAA."`
	DutyTags            []string             `json:"duty_tags" db:"duty_tags" required:"false" nullable:"false" maxItems:"50" doc:"Functions of the business, for the separation of duties."`
	DataClasses         []string             `json:"data_classes" db:"data_classes" required:"false" nullable:"false" maxItems:"50" doc:"The kinds of data that it opens."`
	Requestable         bool                 `json:"requestable" db:"requestable" required:"false" doc:"Needs a business_description or description."`
	VisibleTo           EntitlementCondition `json:"visible_to" db:"visible_to" required:"false" nullable:"true" doc:"The people who can request it, as a condition. Null: everyone."`
	MaxDuration         *string              `json:"max_duration" db:"max_duration" required:"false" maxLength:"40" doc:"The longest that it can be asked for, in ISO 8601." example:"P90D"`
	DefaultDuration     *string              `json:"default_duration" db:"default_duration" required:"false" maxLength:"40" doc:"The duration of a request that names none, at most max_duration." example:"P30D"`
	ExtensionMax        *string              `json:"extension_max" db:"extension_max" required:"false" maxLength:"40" doc:"The longest that one extension adds." example:"P30D"`
	ApprovalRuleID      *string              `json:"approval_rule_id" db:"approval_rule_id" required:"false" format:"uuid" doc:"Its approval rule; null: the tenant's rules apply."`
	Lifecycle           string               `json:"lifecycle" db:"lifecycle" required:"false" enum:"active,deprecated,retired,disconnected" doc:"deprecated: no new grants. disconnected: its connector was deleted; it is not written."`
	ReplacementID       *string              `json:"replacement_id" db:"replacement_id" required:"false" format:"uuid" doc:"What to ask for instead of it."`
}

// Entitlement is a right that can be granted in one target system: a group, role, permission set or licence.
type Entitlement struct {
	ID             string         `json:"id" db:"id"`
	ConnectorID    *string        `json:"connector_id" db:"connector_id"`
	ConnectorName  string         `json:"connector_name" db:"connector_name" doc:"The system, for people; empty where it belongs to none."`
	ExternalID     string         `json:"external_id" db:"external_id" doc:"The immutable native id in the target system."`
	NativeIdentity *string        `json:"native_identity" db:"native_identity"`
	Kind           string         `json:"kind" db:"kind"`
	Name           string         `json:"name" db:"name"`
	DisplayName    string         `json:"display_name" db:"display_name"`
	Description    *string        `json:"description" db:"description" doc:"The target system's own words."`
	Resource       map[string]any `json:"resource" db:"resource" doc:"What it opens."`
	EntitlementFields
	SourceOwnerIDs       []string          `json:"source_owner_ids" db:"source_owner_ids" nullable:"false" doc:"The owners in owner_ids that the target system names. A person set the others."`
	PrivilegedSource     *string           `json:"privileged_source" db:"privileged_source" doc:"The origin of privileged: rule or human. Null: not set."`
	Grantable            bool              `json:"grantable" db:"grantable"`
	Revocable            bool              `json:"revocable" db:"revocable"`
	ExclusionGroup       *string           `json:"exclusion_group" db:"exclusion_group"`
	MaxMembers           *int              `json:"max_members" db:"max_members"`
	DirectMemberCount    int64             `json:"direct_member_count" db:"direct_member_count" doc:"Accounts that hold it directly, of those the reader may see."`
	EffectiveMemberCount int64             `json:"effective_member_count" db:"effective_member_count" doc:"Accounts that hold it directly or through nesting, of those the reader may see."`
	FirstSeenAt          time.Time         `json:"first_seen_at" db:"first_seen_at"`
	MissingSince         *time.Time        `json:"missing_since" db:"missing_since"`
	Attributes           map[string]any    `json:"attributes" db:"attributes"`
	Labels               map[string]string `json:"labels" db:"labels"`
	CreatedAt            time.Time         `json:"created_at" db:"created_at"`
	UpdatedAt            time.Time         `json:"updated_at" db:"updated_at"`
	Version              int               `json:"version" db:"version"`
}

// EntitlementDetail is one entitlement with its nesting, as far as the reader may see it.
type EntitlementDetail struct {
	Entitlement
	Parents  []identity.Reference `json:"parents" nullable:"false" doc:"Every holder of this entitlement holds these too."`
	Children []identity.Reference `json:"children" nullable:"false" doc:"Every holder of one of these entitlements holds this one too."`

	LastUsedAt       *time.Time `json:"last_used_at" doc:"The last use by any member whom you can see, as its system reports. Null: not reported, or never used."`
	UnusedGrantCount int64      `json:"unused_grant_count" doc:"Of these, members who have held it for 90 days without using it, as their system reports."`
}

func blank(s *string) bool { return s == nil || strings.TrimSpace(*s) == "" }

func (e Entitlement) subject() audit.Subject {
	return audit.Subject{Type: "entitlement", ID: e.ID, Display: e.Name}
}

// Label is an entitlement's name for people.
func (e Entitlement) Label() string {
	if e.DisplayName != "" {
		return e.DisplayName
	}
	return e.Name
}

// CheckGrantable is a fault of kind Conflict when nobody can be given an entitlement, and says why.
func (e Entitlement) CheckGrantable() error {
	var why string
	switch {
	case e.ConnectorID == nil:
		why = "it belongs to no system"
	case e.MissingSince != nil:
		why = "its system no longer shows it"
	case e.Lifecycle != "active":
		why = "it is " + e.Lifecycle
	case !e.Grantable:
		why = "its system does not let it be granted from outside"
	default:
		return nil
	}
	return fault.Coded(fault.Conflict, "not_grantable", "%s cannot be assigned: %s", e.Label(), why)
}

// NamedParty is somebody or something by name.
type NamedParty struct {
	ID      string `json:"id"`
	Display string `json:"display"`
}
