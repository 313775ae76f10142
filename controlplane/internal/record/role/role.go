package role

import (
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// RoleFields are what may be written of a role at any time.
type RoleFields struct {
	// Display name of the role.
	Name string `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	// Description of the role, for the people who request or review it. Required if the role is requestable.
	Description string `json:"description" db:"description" required:"false" maxLength:"4000"`
	// Type of the role, for classification. The default is business.
	RoleType string `json:"role_type" db:"role_type" required:"false" enum:"birthright,business,application,emergency,technical"`
	// A draft has no effect yet. proposed: it waits for a decision. deprecated: no new members. retired: no effect any
	// more.
	Lifecycle string `json:"lifecycle" db:"lifecycle" required:"false" enum:"draft,proposed,active,deprecated,retired"`
	// IDs of the identities that own the role.
	OwnerIDs []string `json:"owner_ids" db:"owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// IDs of the identities that are backup owners of the role.
	BackupOwnerIDs []string `json:"backup_owner_ids" db:"backup_owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// What it holds, of any number of systems.
	EntitlementIDs []string `json:"entitlement_ids" db:"entitlement_ids" required:"false" nullable:"false" maxItems:"1000" format:"uuid"`
	// Roles that are nested in it: its members also get their entitlements. At most five levels including itself,
	// without cycles.
	ChildRoleIDs []string `json:"child_role_ids" db:"child_role_ids" required:"false" nullable:"false" maxItems:"100" format:"uuid"`
	// The people who have it by rule, as a condition. See POST /policies/conditions/validate. Null: no rule.
	MembershipRule RoleCondition `json:"membership_rule" db:"membership_rule" required:"false" nullable:"true"`
	// People excluded from the rule although they match. An assignment can still give it.
	MembershipExclusions []RoleExclusion `json:"membership_exclusions" db:"membership_exclusions" required:"false" nullable:"false" maxItems:"1000"`
	// People may ask for it; that needs a description.
	Requestable bool `json:"requestable" db:"requestable" required:"false"`
	// The people who can request it, as a condition. Null: everyone.
	VisibleTo RoleCondition `json:"visible_to" db:"visible_to" required:"false" nullable:"true"`
	// The parameters of an assignment.
	Parameters []RoleParameter `json:"parameters" db:"parameters" required:"false" nullable:"false" maxItems:"50"`
	// For how long it may be given at most, in ISO 8601; null: without a limit.
	MaxDuration *string `json:"max_duration" db:"max_duration" required:"false" maxLength:"64" example:"P90D"`
	// The default duration of an assignment.
	DefaultDuration *string `json:"default_duration" db:"default_duration" required:"false" maxLength:"64" example:"P30D"`
	// The approval rule for requests of it; null: the one that applies.
	ApprovalRuleID *string `json:"approval_rule_id" db:"approval_rule_id" required:"false" format:"uuid"`
	// The risk level that was set. Null: that of its riskiest entitlement. See effective_risk_level.
	RiskLevel *string `json:"risk_level" db:"risk_level" required:"false" enum:"low,medium,high,critical"`
	// Tags of regulations that apply to the role, such as SOX. Each has 1 to 100 characters.
	ComplianceTags []string `json:"compliance_tags" db:"compliance_tags" required:"false" nullable:"false" maxItems:"50"`
	// What its holders do, for separation of duties.
	DutyTags []string `json:"duty_tags" db:"duty_tags" required:"false" nullable:"false" maxItems:"50"`
	// Labels of the role, as key-value pairs. In a merge patch, null removes a label.
	Labels    map[string]string `json:"labels" db:"labels" required:"false" nullable:"false"`
	RuleNeeds []string          `json:"-" db:"rule_needs"` // set by a Checker with the rule's normal form
}

// RoleCondition is a condition as it is sent and stored.
type RoleCondition map[string]any

// RoleExclusion keeps a role's rule from giving it to a person.
type RoleExclusion struct {
	// ID of the identity that is excluded from the membership rule.
	IdentityID string `json:"identity_id" format:"uuid"`
	// Reason for the exclusion.
	Reason string `json:"reason" minLength:"1" maxLength:"1000"`
	// The day from which the rule counts for them again; absent: never.
	Until *string `json:"until,omitempty" format:"date" example:"2027-03-31"`
}

// RoleParameter is something that is said when a role is given.
type RoleParameter struct {
	// Name of the parameter, unique within the role.
	Name string `json:"name" minLength:"1" maxLength:"100" example:"cost_center"`
	// Type of the value of the parameter.
	Type string `json:"type" enum:"string,integer,boolean,date"`
	// Whether an assignment of the role must have a value for the parameter.
	Required bool `json:"required,omitempty"`
	// Of a string; when there are none, any.
	AllowedValues []string `json:"allowed_values,omitempty" nullable:"false" maxItems:"500"`
}

// Role is a bundle of entitlements.
type Role struct {
	// ID of the role.
	ID string `json:"id" db:"id"`
	// A stable name for files and packs; it never changes.
	Key string `json:"key" db:"key"`
	RoleFields
	// How the role is managed. A role with code comes from an imported file and is changed there.
	ManagedBy string `json:"managed_by" db:"managed_by" enum:"ui,code,pack"`
	// The risk level that was set, or the highest of its entitlements and nested roles.
	EffectiveRiskLevel string `json:"effective_risk_level" db:"effective_risk_level" enum:"low,medium,high,critical"`
	// The people who have it by rule, in words. Empty: no rule.
	MembershipSentence string `json:"membership_sentence" db:"-"`
	// A working draft of it waits to be published.
	HasDraft bool `json:"has_draft" db:"has_draft"`
	// Who made it: by hand, or a pack.
	Origin map[string]any `json:"origin" db:"origin" nullable:"false"`
	// People who hold something through it, by a reason that has not ended.
	HolderCount int64 `json:"holder_count" db:"holder_count"`
	// People who have it, by rule, by a policy or by an assignment, though it may hold nothing.
	MemberCount int64 `json:"member_count" db:"member_count"`
	// How many of them have all of it in the target systems, and a part; only when one role is read.
	Coverage *RoleCoverage `json:"coverage" db:"-"`
	// Time the role was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the role was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the role, for If-Match.
	Version int `json:"version" db:"version"`
}

// RoleCoverage is how far a role is true in the target systems.
type RoleCoverage struct {
	// People who are seen to hold all of it.
	Full int64 `json:"full"`
	// People who are seen to hold a part of it.
	Partial int64 `json:"partial"`
}

// Schema is that of a coverage, or null.
func (RoleCoverage) Schema(r huma.Registry) *huma.Schema {
	type plain RoleCoverage
	s := *huma.SchemaFromType(r, reflect.TypeFor[plain]())
	s.Nullable = true
	return &s
}

// New is a role to be made. An empty Key is made of the name, an empty Lifecycle is active, and without Origin it is
// made by hand.
type New struct {
	ID        string // made when empty
	Key       string
	Origin    map[string]any
	ManagedBy string // ui when empty, or pack by its origin
	RoleFields
}

// Lifecycles of a role.
const (
	Draft      = "draft"
	Proposed   = "proposed"
	Active     = "active"
	Deprecated = "deprecated"
	Retired    = "retired"
)

// next are the lifecycles that may follow one.
var next = map[string][]string{
	Draft:      {Proposed, Active, Retired},
	Proposed:   {Draft, Active, Retired},
	Active:     {Deprecated, Retired},
	Deprecated: {Active, Retired},
	Retired:    {},
}

var slug = regexp.MustCompile(`^[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9])?$`)

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// keyOf makes a key of a name.
func keyOf(name string) string {
	key := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.TrimRight(key[:min(len(key), 100)], "-")
}

// complete fills in what was left out and checks the rest.
func (n *New) complete() error {
	if n.Key == "" {
		n.Key = keyOf(n.Name)
	}
	if n.Origin == nil {
		n.Origin = map[string]any{"kind": "manual"}
	}
	if err := n.RoleFields.complete(); err != nil {
		return err
	}
	if !slug.MatchString(n.Key) {
		return fault.New(fault.Invalid, "a role's key is made of small letters, digits, points, hyphens and "+
			"underscores, at most 100").
			With(fault.Field{Pointer: "#/key", Code: "invalid", Detail: "such as finance-clerk"})
	}
	if n.Lifecycle == Retired || n.Lifecycle == Proposed {
		return fault.New(fault.Invalid, "A role cannot be created with the lifecycle %s.", n.Lifecycle).
			With(fault.Field{Pointer: "#/lifecycle", Code: "invalid", Detail: "make it a draft or active"})
	}
	return nil
}

// Managers of roles.
const (
	ByUI   = "ui"
	ByCode = "code" // an imported file
	ByPack = "pack"
)

// gives says whether those who have the role hold what is in it.
func (f RoleFields) gives() bool { return f.Lifecycle == Active || f.Lifecycle == Deprecated }
