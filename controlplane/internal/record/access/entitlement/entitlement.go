package entitlement

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement/fields"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// Entitlement is a right that can be granted in one target system: a group, role, permission set or licence.
type Entitlement struct {
	// ID of the entitlement.
	ID string `json:"id" db:"id"`
	// ID of the connector. Null: the entitlement belongs to no system.
	ConnectorID *string `json:"connector_id" db:"connector_id"`
	// The system, for people; empty where it belongs to none.
	ConnectorName string `json:"connector_name" db:"connector_name"`
	// The immutable native id in the target system.
	ExternalID string `json:"external_id" db:"external_id"`
	// Native key that people can read, such as a DN. Null: not reported.
	NativeIdentity *string `json:"native_identity" db:"native_identity"`
	// Kind of the entitlement in the target system, such as group, role, permission_set or license.
	Kind string `json:"kind" db:"kind"`
	// Name of the entitlement in the target system.
	Name string `json:"name" db:"name"`
	// Display name of the entitlement. Empty: name is shown instead.
	DisplayName string `json:"display_name" db:"display_name"`
	// The target system's own words.
	Description *string `json:"description" db:"description"`
	// What it opens.
	Resource map[string]any `json:"resource" db:"resource"`
	fields.EntitlementFields
	// The owners in owner_ids that the target system names. A person set the others.
	SourceOwnerIDs []string `json:"source_owner_ids" db:"source_owner_ids" nullable:"false"`
	// The origin of privileged: rule or human. Null: not set.
	PrivilegedSource *string `json:"privileged_source" db:"privileged_source"`
	// False if the target system does not allow the entitlement to be assigned from outside.
	Grantable bool `json:"grantable" db:"grantable"`
	// False if the entitlement can be revoked only in the target system.
	Revocable bool `json:"revocable" db:"revocable"`
	// Name of a group of entitlements that exclude each other in the target system. Null: none.
	ExclusionGroup *string `json:"exclusion_group" db:"exclusion_group"`
	// Maximum number of members in the target system, such as the number of licenses. Null: not reported.
	MaxMembers *int `json:"max_members" db:"max_members"`
	// Accounts that hold it directly, of those the reader may see.
	DirectMemberCount int64 `json:"direct_member_count" db:"direct_member_count"`
	// Accounts that hold it directly or through nesting, of those the reader may see.
	EffectiveMemberCount int64 `json:"effective_member_count" db:"effective_member_count"`
	// Time the entitlement was first recorded in Grantwright.
	FirstSeenAt time.Time `json:"first_seen_at" db:"first_seen_at"`
	// Time since which sync runs have not found the entitlement in the target system. Null: it is not missing.
	MissingSince *time.Time `json:"missing_since" db:"missing_since"`
	// Further attributes of the entitlement from the connector and its mappings, by name.
	Attributes map[string]any `json:"attributes" db:"attributes"`
	// Labels of the entitlement, as pairs of key and value.
	Labels map[string]string `json:"labels" db:"labels"`
	// Time the record of the entitlement was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the record of the entitlement last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the entitlement, for If-Match.
	Version int `json:"version" db:"version"`
}

// EntitlementDetail is one entitlement with its nesting, as far as the reader may see it.
type EntitlementDetail struct {
	Entitlement
	// Every holder of this entitlement holds these too.
	Parents []identity.Reference `json:"parents" nullable:"false"`
	// Every holder of one of these entitlements holds this one too.
	Children []identity.Reference `json:"children" nullable:"false"`

	// The last use by any member whom you can see, as its system reports. Null: not reported, or never used.
	LastUsedAt *time.Time `json:"last_used_at"`
	// Of these, members who have held it for 90 days without using it, as their system reports.
	UnusedGrantCount int64 `json:"unused_grant_count"`
}

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

// CheckGrantable is a fault of kind Conflict with the cause if an entitlement cannot be granted.
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

// NamedParty is a person or a thing by name.
type NamedParty struct {
	// ID of the person or object.
	ID string `json:"id"`
	// Name of the person or object.
	Display string `json:"display"`
}
