package duty

import "time"

// Kinds of members.
const (
	Entitlement = "entitlement" // one entitlement
	Role        = "role"        // all entitlements of a role, nested roles included
	Tag         = "duty_tag"    // all entitlements with a duty tag, and those of roles with it
	Connector   = "connector"   // all entitlements of a connector
	External    = "external"    // an entitlement of a connector, by its external ID
)

// Limits of a duty.
const (
	mostGroups  = 20
	mostMembers = 2000 // of all groups together
)

// DutyFields are the writable fields of a duty.
type DutyFields struct {
	// Display name of the duty, unique in the tenant.
	Name string `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	// Description of the duty. Empty if it has none.
	Description string `json:"description" db:"description" required:"false" maxLength:"4000"`
	// Business process of the duty, such as Purchase to pay. Empty if it has none.
	Process string `json:"process" db:"process" required:"false" maxLength:"200"`
	// IDs of the identities that own the duty.
	OwnerIDs []string `json:"owner_ids" db:"owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// Groups of members. A person performs the duty with at least one member of each group.
	AllOf []Group `json:"all_of" db:"all_of" required:"false" nullable:"false" maxItems:"20"`
}

// DutyGroup is a group of members.
type DutyGroup struct {
	// Members of the group, at least one. All groups of a duty together have at most 2,000.
	Members []Member `json:"members" nullable:"false" maxItems:"2000"`
}

// DutyMember is one member of a group. Its kind says which of the other fields it has.
type DutyMember struct {
	// Kind of the member. entitlement: one entitlement. role: all entitlements of a role. duty_tag: all entitlements
	// with a duty tag, and those of roles with it. connector: all entitlements of a connector. external: an entitlement
	// of a connector by its external ID, which may not have been read yet.
	Kind string `json:"kind" enum:"entitlement,role,duty_tag,connector,external"`
	// ID of the entitlement.
	EntitlementID string `json:"entitlement_id,omitempty" format:"uuid"`
	// ID of the role.
	RoleID string `json:"role_id,omitempty" format:"uuid"`
	// Duty tag of entitlements and roles.
	DutyTag string `json:"duty_tag,omitempty" maxLength:"100"`
	// ID of the connector.
	ConnectorID string `json:"connector_id,omitempty" format:"uuid"`
	// External ID of the entitlement in its connector.
	ExternalID string `json:"external_id,omitempty" maxLength:"1000"`
	// Display name of the entitlement, role or connector. Ignored when the duty is written.
	Name string `json:"name,omitempty" maxLength:"1000"`
	// Display name of the connector, for entitlements, external IDs and connectors. Ignored when the duty is written.
	ConnectorName string `json:"connector_name,omitempty" maxLength:"1000"`
	// Number of entitlements of the member at present. 0 if it is missing, or has not been read yet. Ignored when the
	// duty is written.
	Entitlements *int `json:"entitlement_count,omitempty"`
}

// The API names its types without their package, so they have short names here.
type (
	Fields = DutyFields
	Group  = DutyGroup
	Member = DutyMember
)

// DutyFacts are the fields of a duty that cannot be written.
type DutyFacts struct {
	// Number of members of all groups.
	MemberCount int64 `json:"member_count" db:"member_count"`
	// Number of separation-of-duties policies that name the duty.
	PolicyCount int64 `json:"policy_count" db:"policy_count"`
	// Number of open violations of the policies that name the duty.
	OpenViolations int64 `json:"open_violation_count" db:"-"`
	// Number of different entitlements of all members at present.
	EntitlementCount int64 `json:"entitlement_count" db:"-"`
	// Whether a group has no entitlement in a connected system at present. No person can then perform the duty.
	Blind bool `json:"blind" db:"-"`
	// Origin of the duty: manual, an import, or a sector pack.
	Origin map[string]any `json:"origin" db:"origin" nullable:"false"`
	// Time the duty was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the duty was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the duty, for If-Match.
	Version int `json:"version" db:"version"`
}

// Duty is a duty as the API shows it.
type Duty struct {
	// ID of the duty.
	ID string `json:"id" db:"id"`
	Fields
	DutyFacts
}

// DutyItem is a duty in a list, without its members.
type DutyItem struct {
	// ID of the duty.
	ID string `json:"id" db:"id"`
	// Display name of the duty.
	Name string `json:"name" db:"name"`
	// Description of the duty. Empty if it has none.
	Description string `json:"description" db:"description"`
	// Business process of the duty. Empty if it has none.
	Process string `json:"process" db:"process"`
	// IDs of the identities that own the duty.
	OwnerIDs []string `json:"owner_ids" db:"owner_ids" nullable:"false"`
	DutyFacts
}

// New is a duty to be created. Without Origin it was made by hand.
type New struct {
	Fields
	Origin map[string]any
}
