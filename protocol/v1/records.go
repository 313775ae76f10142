package v1

import "time"

// Ref points to a record by something else than its external_id, for sources that do not tell the immutable key.
type Ref struct {
	Kind  RefKind `json:"kind"`
	Value string  `json:"value"`
}

// RefKind says how a Ref's value is to be matched.
type RefKind string

// Kinds of reference. A native reference matches the other record's NativeRef exactly (for LDAP the normalised DN).
// Any is for sources that do not say what they send: every other kind is tried in the order external_id, native,
// email, username, employee_number.
const (
	RefExternalID     RefKind = "external_id"
	RefNative         RefKind = "native"
	RefEmail          RefKind = "email"
	RefUsername       RefKind = "username"
	RefEmployeeNumber RefKind = "employee_number"
	RefAny            RefKind = "any"
)

// RemoteIdentity is a person as an authoritative source knows them.
// ExternalID is the only required member: the immutable key of the record in its source, never a DN or an e-mail.
// A nil pointer means "not read". Attributes holds the raw source record with dotted paths; multi-values are arrays.
type RemoteIdentity struct {
	ExternalID        string         `json:"external_id"`
	NativeRef         string         `json:"native_ref,omitempty"`
	Email             *string        `json:"email,omitempty"`
	Username          *string        `json:"username,omitempty"`
	DisplayName       *string        `json:"display_name,omitempty"`
	FirstName         *string        `json:"first_name,omitempty"`
	MiddleName        *string        `json:"middle_name,omitempty"`
	LastName          *string        `json:"last_name,omitempty"`
	PreferredName     *string        `json:"preferred_name,omitempty"`
	EmployeeNumber    *string        `json:"employee_number,omitempty"`
	Department        *string        `json:"department,omitempty"`
	Division          *string        `json:"division,omitempty"`
	Organization      *string        `json:"organization,omitempty"`
	CostCenter        *string        `json:"cost_center,omitempty"`
	Title             *string        `json:"title,omitempty"`
	JobCode           *string        `json:"job_code,omitempty"`
	Location          *string        `json:"location,omitempty"`
	Country           *string        `json:"country,omitempty"`
	ManagerExternalID *string        `json:"manager_external_id,omitempty"`
	ManagerRef        *Ref           `json:"manager_ref,omitempty"`
	EmploymentType    *string        `json:"employment_type,omitempty"`
	PhoneNumbers      []PhoneNumber  `json:"phone_numbers,omitzero"`     // an empty list: the source has none
	Addresses         []Address      `json:"addresses,omitzero"`         // an empty list: the source has none
	HireDate          *string        `json:"hire_date,omitempty"`        // RFC 3339 date
	StartDate         *string        `json:"start_date,omitempty"`       // RFC 3339 date
	TerminationDate   *string        `json:"termination_date,omitempty"` // RFC 3339 date
	LastWorkingAt     *time.Time     `json:"last_working_at,omitempty"`  // the instant at which their work ends
	LeaveFrom         *string        `json:"leave_from,omitempty"`       // RFC 3339 date: the first day of an absence
	LeaveTo           *string        `json:"leave_to,omitempty"`         // RFC 3339 date: its last day
	Status            *string        `json:"status,omitempty"`           // the source's own word
	IsDisabled        *bool          `json:"is_disabled,omitempty"`
	Attributes        map[string]any `json:"attributes,omitempty"`
	ModifiedAt        *time.Time     `json:"modified_at,omitempty"`
	ETag              string         `json:"etag,omitempty"`
	Deleted           bool           `json:"deleted,omitempty"`
}

// PhoneNumber is one phone number of a person, as in SCIM (RFC 7643 section 4.1.2).
type PhoneNumber struct {
	Value   string `json:"value"`
	Type    string `json:"type,omitempty"` // work, mobile, home, fax, pager, other
	Primary bool   `json:"primary,omitempty"`
}

// Address is one postal address of a person, as in SCIM (RFC 7643 section 4.1.2). Formatted is the whole address; if it
// is empty, the parts are joined.
type Address struct {
	Formatted     string `json:"formatted,omitempty"`
	StreetAddress string `json:"street_address,omitempty"`
	Locality      string `json:"locality,omitempty"`
	Region        string `json:"region,omitempty"`
	PostalCode    string `json:"postal_code,omitempty"`
	Country       string `json:"country,omitempty"`
	Type          string `json:"type,omitempty"` // work, home, other
	Primary       bool   `json:"primary,omitempty"`
}

// RemoteAccount is a login record in a target system.
type RemoteAccount struct {
	ExternalID string `json:"external_id"`
	// what references point to; normalised, may change
	NativeRef          string         `json:"native_ref,omitempty"`
	NativeIdentity     string         `json:"native_identity,omitempty"` // human readable native key: a DN, a login
	IdentityExternalID *string        `json:"identity_external_id,omitempty"`
	Username           *string        `json:"username,omitempty"`
	Email              *string        `json:"email,omitempty"`
	DisplayName        *string        `json:"display_name,omitempty"`
	FirstName          *string        `json:"first_name,omitempty"`
	LastName           *string        `json:"last_name,omitempty"`
	EmployeeNumber     *string        `json:"employee_number,omitempty"`
	IsDisabled         *bool          `json:"is_disabled,omitempty"`
	IsLocked           *bool          `json:"is_locked,omitempty"`
	PasswordExpired    *bool          `json:"password_expired,omitempty"`
	MFAEnrolled        *bool          `json:"mfa_enrolled,omitempty"`
	AccountType        string         `json:"account_type,omitempty"` // hint: person, service, shared, system, bot
	Privileged         *bool          `json:"privileged,omitempty"`
	OwnerRefs          []Ref          `json:"owner_refs,omitempty"`
	CreatedAt          *time.Time     `json:"created_at,omitempty"`
	ModifiedAt         *time.Time     `json:"modified_at,omitempty"`
	LastLoginAt        *time.Time     `json:"last_login_at,omitempty"`
	PasswordLastSetAt  *time.Time     `json:"password_last_set_at,omitempty"`
	ExpiresAt          *time.Time     `json:"expires_at,omitempty"`
	Attributes         map[string]any `json:"attributes,omitempty"`
	ETag               string         `json:"etag,omitempty"`
	Deleted            bool           `json:"deleted,omitempty"`
}

// Resource is what an entitlement opens.
type Resource struct {
	ExternalID       string `json:"external_id"`
	Type             string `json:"type,omitempty"`
	DisplayName      string `json:"display_name,omitempty"`
	ParentExternalID string `json:"parent_external_id,omitempty"`
}

// RemoteEntitlement is a right that can be granted in a target system: a group, role, permission set, licence.
type RemoteEntitlement struct {
	ExternalID     string `json:"external_id"`
	NativeRef      string `json:"native_ref,omitempty"`
	NativeIdentity string `json:"native_identity,omitempty"`
	// group, role, permission_set, profile, license, app_access, …; empty: group
	Kind              string         `json:"kind,omitempty"`
	Name              *string        `json:"name,omitempty"`
	DisplayName       *string        `json:"display_name,omitempty"`
	Description       *string        `json:"description,omitempty"`
	Resource          *Resource      `json:"resource,omitempty"`
	ParentExternalIDs []string       `json:"parent_external_ids,omitempty"` // this entitlement is a member of these
	OwnerRefs         []Ref          `json:"owner_refs,omitempty"`
	Privileged        *bool          `json:"privileged,omitempty"`
	Requestable       *bool          `json:"requestable,omitempty"`
	Grantable         *bool          `json:"grantable,omitempty"`
	Revocable         *bool          `json:"revocable,omitempty"`
	ExclusionGroup    string         `json:"exclusion_group,omitempty"`
	MaxMembers        *int           `json:"max_members,omitempty"`
	Attributes        map[string]any `json:"attributes,omitempty"`
	ModifiedAt        *time.Time     `json:"modified_at,omitempty"`
	ETag              string         `json:"etag,omitempty"`
	Deleted           bool           `json:"deleted,omitempty"`
}

// RemoteGrant says that a principal holds an entitlement. Exactly one of AccountExternalID,
// PrincipalEntitlementExternalID (nesting) and PrincipalRef names the principal. PrincipalRef is for sources that list
// members by another key, such as a DN, and may resolve to an account or to an entitlement.
type RemoteGrant struct {
	// default: principal and entitlement, joined by the service
	ExternalID                     string     `json:"external_id,omitempty"`
	AccountExternalID              *string    `json:"account_external_id,omitempty"`
	PrincipalEntitlementExternalID *string    `json:"principal_entitlement_external_id,omitempty"`
	PrincipalRef                   *Ref       `json:"principal_ref,omitempty"`
	EntitlementExternalID          string     `json:"entitlement_external_id"`
	Directness                     string     `json:"directness,omitempty"` // direct (default) or inherited
	ViaExternalIDs                 []string   `json:"via_external_ids,omitempty"`
	StartsAt                       *time.Time `json:"starts_at,omitempty"`
	ExpiresAt                      *time.Time `json:"expires_at,omitempty"`
	GrantedAt                      *time.Time `json:"granted_at,omitempty"`
	LastUsedAt                     *time.Time `json:"last_used_at,omitempty"`
	// cannot be revoked here: dynamic rule, primary group
	Immutable  *bool          `json:"immutable,omitempty"`
	AssignedBy string         `json:"assigned_by,omitempty"`
	Attributes map[string]any `json:"attributes,omitempty"`
	ModifiedAt *time.Time     `json:"modified_at,omitempty"`
	Deleted    bool           `json:"deleted,omitempty"`
}
