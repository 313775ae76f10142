package mapping

import (
	"regexp"
	"slices"
	"strings"
)

// Field is a field of ours that a source can fill: one of an identity, an account, an entitlement or a grant, or a
// custom attribute (see CustomField).
type Field string

// Fields of an identity. Those of an account are a part of them; see FieldsOf.
const (
	Email           Field = "email"
	DisplayName     Field = "display_name"
	Username        Field = "username"
	FirstName       Field = "first_name"
	MiddleName      Field = "middle_name"
	LastName        Field = "last_name"
	PreferredName   Field = "preferred_name"
	EmployeeNumber  Field = "employee_number"
	Department      Field = "department"
	Division        Field = "division"
	Organization    Field = "organization"
	CostCenter      Field = "cost_center"
	Title           Field = "title"
	JobCode         Field = "job_code"
	Location        Field = "location"
	Country         Field = "country"
	EmploymentType  Field = "employment_type"
	Manager         Field = "manager"
	HireDate        Field = "hire_date"
	StartDate       Field = "start_date"
	TerminationDate Field = "termination_date"
	LastWorkingAt   Field = "last_working_at"
	LeaveFrom       Field = "leave_from"
	LeaveTo         Field = "leave_to"
	IsDisabled      Field = "is_disabled"
	Status          Field = "status"
)

// fields are those of an identity.
var fields = []Field{
	Email,
	DisplayName,
	Username,
	FirstName,
	MiddleName,
	LastName,
	PreferredName,
	EmployeeNumber,
	Department,
	Division,
	Organization,
	CostCenter,
	Title,
	JobCode,
	Location,
	Country,
	EmploymentType,
	Manager,
	HireDate,
	StartDate,
	TerminationDate,
	LastWorkingAt,
	LeaveFrom,
	LeaveTo,
	IsDisabled,
	Status,
}

// Fields of an entitlement; DisplayName is one as well. The fields of its resource have the names that the REST
// connector gives them.
const (
	Name           Field = "name"
	Description    Field = "description"
	Kind           Field = "kind"
	Privileged     Field = "privileged"
	Requestable    Field = "requestable"
	Grantable      Field = "grantable"
	Revocable      Field = "revocable"
	ExclusionGroup Field = "exclusion_group"
	MaxMembers     Field = "max_members"
	ResourceID     Field = "resource_external_id"
	ResourceName   Field = "resource_name"
	ResourceType   Field = "resource_type"
)

// Fields of a grant. Who holds what is not among them: keys are not mapped.
const (
	StartsAt   Field = "starts_at"
	ExpiresAt  Field = "expires_at"
	GrantedAt  Field = "granted_at"
	LastUsedAt Field = "last_used_at"
	AssignedBy Field = "assigned_by"
	Immutable  Field = "immutable"
)

// accountFields are those of an account.
var accountFields = []Field{Email, DisplayName, Username, FirstName, LastName, EmployeeNumber, IsDisabled}

// entitlementFields are the fields of an entitlement that a mapping can fill.
var entitlementFields = []Field{
	Name, DisplayName, Description, Kind, Privileged, Requestable, Grantable, Revocable, ExclusionGroup, MaxMembers,
	ResourceID, ResourceName, ResourceType,
}

// grantFields are the fields of a grant that a mapping can fill.
var grantFields = []Field{StartsAt, ExpiresAt, GrantedAt, LastUsedAt, AssignedBy, Immutable}

// The kinds of object whose fields can be mapped.
const (
	ObjectIdentity    = "identity"
	ObjectAccount     = "account"
	ObjectEntitlement = "entitlement"
	ObjectGrant       = "grant"
)

// Objects are the kinds of object whose fields can be mapped, in the order in which they are shown.
func Objects() []string {
	return []string{ObjectIdentity, ObjectAccount, ObjectEntitlement, ObjectGrant}
}

// FieldsOf are the fields of a kind of object, without custom attributes; none for a kind that is not mapped.
func FieldsOf(object string) []Field {
	switch object {
	case ObjectIdentity:
		return slices.Clone(fields)
	case ObjectAccount:
		return slices.Clone(accountFields)
	case ObjectEntitlement:
		return slices.Clone(entitlementFields)
	case ObjectGrant:
		return slices.Clone(grantFields)
	}
	return nil
}

// customPrefix begins the name of a custom attribute as a target: attributes.badge.
const customPrefix = "attributes."

// customName matches the name of a custom attribute.
var customName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// CustomField is the name of the custom attribute that f is, if it is one.
func (f Field) CustomField() (name string, ok bool) {
	if name, ok = strings.CutPrefix(string(f), customPrefix); ok && customName.MatchString(name) {
		return name, true
	}
	return "", false
}

// ParseField reads the name of a field of an object in any spelling: employeeNumber and employee_number are one. ok is
// false where there is no such field.
func ParseField(object, name string) (f Field, ok bool) {
	if _, ok := Field(name).CustomField(); ok {
		return Field(name), true
	}
	f, ok = wordsOf(object).exact[Fold(name)]
	return f, ok && slices.Contains(FieldsOf(object), f)
}
