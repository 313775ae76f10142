package format

import (
	"encoding/json"
)

// Pack is a pack, read and filled in with parameters.
type Pack struct {
	Metadata               Metadata         `json:"metadata"`
	Requires               Requires         `json:"requires"`
	Parameters             []Parameter      `json:"parameters"`
	DutyTags               []DutyTag        `json:"dutyTags"`
	FieldMappings          []FieldMapping   `json:"fieldMappings"`
	Roles                  []Role           `json:"roles"`
	Birthrights            []Policy         `json:"birthrights"`
	AccessGrantPolicies    []Policy         `json:"accessGrantPolicies"`
	SodPolicies            []SodPolicy      `json:"sodPolicies"`
	MitigationPolicies     []Keyed          `json:"mitigationPolicies"`
	CertificationTemplates []RoleScoped     `json:"certificationTemplates"`
	ApprovalRules          []ApprovalRule   `json:"approvalRules"`
	LifecyclePolicies      []Lifecycle      `json:"lifecyclePolicies"`
	ReportSections         []string         `json:"reportSections"`
	Tests                  []Test           `json:"tests"`
	Raw                    map[string][]any `json:"-"` // the objects as they stand in the pack, by kind
}

// Metadata says what a pack is.
type Metadata struct {
	Key         string   `json:"key"`
	Version     string   `json:"version"`
	Name        string   `json:"name"`
	Sector      string   `json:"sector"`
	Publisher   string   `json:"publisher"`
	Description string   `json:"description"`
	Licence     string   `json:"licence"`
	Languages   []string `json:"languages"`
	Regulations []string `json:"regulations"`
}

// Requires says what a pack needs.
type Requires struct {
	Service        string   `json:"service"`
	ConnectorTypes []string `json:"connectorTypes"`
}

// Parameter is something that a tenant says about itself when it installs a pack.
type Parameter struct {
	Key      string   `json:"key"`
	Type     string   `json:"type"`
	Default  any      `json:"default,omitempty"`
	Example  any      `json:"example,omitempty"`
	Prompt   string   `json:"prompt"`
	Required bool     `json:"required"`
	Values   []string `json:"values,omitempty"`
	Minimum  *int64   `json:"minimum,omitempty"`
	Maximum  *int64   `json:"maximum,omitempty"`
}

// DutyTag names a duty, for rules about duties that one person may not have together.
type DutyTag struct {
	Key         string `json:"key"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// FieldMapping is offered where a connector's fields are mapped.
type FieldMapping struct {
	Key  string `json:"key"`
	Name string `json:"name,omitempty"`
	When When   `json:"when"`
	// Kind of record that is mapped: identity, account, entitlement or grant.
	Object string       `json:"object"`
	Fields []MappedFrom `json:"fields"`
}

// When says for which connectors a mapping is; what is empty is not asked.
type When struct {
	ConnectorType string `json:"connectorType,omitempty"`
	Vendor        string `json:"vendor,omitempty"`
	Purpose       string `json:"purpose,omitempty"`
	Tag           string `json:"tag,omitempty"`
}

// MappedFrom is what is done with a field of the source.
type MappedFrom struct {
	Source    string `json:"source"`
	Target    string `json:"target,omitempty"`
	Transform string `json:"transform,omitempty"`
	Ignore    bool   `json:"ignore,omitempty"`
}

// Connectors selects connectors; what is empty is not asked.
type Connectors struct {
	Tag        string `json:"tag,omitempty"`
	Type       string `json:"type,omitempty"`
	BusinessID string `json:"business_id,omitempty"`
	Vendor     string `json:"vendor,omitempty"`
}

// Selector selects entitlements of the tenant's connectors.
type Selector struct {
	Connector  Connectors `json:"connector"`
	Kind       string     `json:"kind,omitempty"`
	Name       string     `json:"name,omitempty"`
	NameLike   string     `json:"nameLike,omitempty"`
	ExternalID string     `json:"external_id,omitempty"`
}

// Role is a bundle of entitlements.
type Role struct {
	Key string `json:"key"`
	// Display name of the role.
	Name string `json:"name"`
	// Description of the role. Absent if it has none.
	Description  string      `json:"description,omitempty"`
	Type         string      `json:"type,omitempty"`
	DutyTags     []string    `json:"dutyTags,omitempty"`
	Entitlements []RoleGrant `json:"entitlements,omitempty"`
}

// RoleGrant is what a role holds.
type RoleGrant struct {
	Select Selector `json:"select"`
}

// Policy gives, or denies, by rule.
type Policy struct {
	Key         string          `json:"key"`
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Mode        string          `json:"mode,omitempty"`
	Effect      string          `json:"effect,omitempty"`
	Priority    *int            `json:"priority,omitempty"`
	Subject     json.RawMessage `json:"subject"`
	Grant       []PolicyGrant   `json:"grant"`
	Lifecycle   PolicyLifecycle `json:"lifecycle"`
}

// PolicyGrant is a role of the pack, entitlements, or an account alone.
type PolicyGrant struct {
	Role    string      `json:"role,omitempty"`
	Select  *Selector   `json:"select,omitempty"`
	Account *Connectors `json:"account,omitempty"`
}

// PolicyLifecycle says in which states of a person a policy gives, how long before the first day, and what happens when
// it no longer fits.
type PolicyLifecycle struct {
	When      []string `json:"when,omitempty"`
	LeadTime  string   `json:"leadTime,omitempty"`
	OnNoMatch string   `json:"onNoMatch,omitempty"`
	Grace     string   `json:"grace,omitempty"`
}

// SodPolicy keeps duties apart.
type SodPolicy struct {
	Key                string   `json:"key"`
	Kind               string   `json:"kind"`
	N                  int      `json:"n"`
	Sides              []Side   `json:"sides"`
	AllowedMitigations []string `json:"allowedMitigations"`
}

// Side is one of the duties that are kept apart.
type Side struct {
	Label    string   `json:"label"`
	DutyTags []string `json:"dutyTags"`
	Roles    []string `json:"roles"`
}

// Keyed is an object of which only its key matters here.
type Keyed struct {
	Key string `json:"key"`
}

// RoleScoped is an object that may be about roles.
type RoleScoped struct {
	Key   string   `json:"key"`
	Roles []string `json:"roles"`
	Scope struct {
		Roles []string `json:"roles"`
	} `json:"scope"`
}

// ApprovalRule is who must agree to requests: for roles of the pack, or, without roles, for everything that has no rule
// of its own.
type ApprovalRule struct {
	Key string `json:"key"`
	// Display name of the approval rule.
	Name string `json:"name"`
	// Description of the approval rule. Absent if it has none.
	Description   string          `json:"description,omitempty"`
	Roles         []string        `json:"roles,omitempty"`
	Stages        []ApprovalStage `json:"stages"`
	RespondWithin string          `json:"respondWithin,omitempty"`
}

// ApprovalStage is a step of an approval rule. Any one of its approvers decides.
type ApprovalStage struct {
	Approvers []string `json:"approvers"`
}

// Lifecycle is how long before and after things happen to people.
type Lifecycle struct {
	Key          string `json:"key"`
	PreHireLead  string `json:"preHireLead,omitempty"`
	MoverGrace   string `json:"moverGrace,omitempty"`
	LeaveAccess  string `json:"leaveAccess,omitempty"`
	DeleteAfter  string `json:"deleteAfter,omitempty"`
	ArchiveAfter string `json:"archiveAfter,omitempty"`
}

// Test tries a pack on somebody who does not exist, or on a record of a source.
type Test struct {
	Name  string `json:"name"`
	Given struct {
		Identity   map[string]any `json:"identity"`
		Parameters map[string]any `json:"parameters"`
		Today      string         `json:"today"`
		Mapping    string         `json:"mapping"`
		Record     map[string]any `json:"record"`
	} `json:"given"`
	ExpectGrants   []string       `json:"expectGrants"`
	ExpectNoGrants []string       `json:"expectNoGrants"`
	ExpectOnly     []string       `json:"expectOnly"`
	ExpectIdentity map[string]any `json:"expectIdentity"`
}
