package format

import (
	"encoding/json"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/constraint"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/schedule"
)

// Pack is a pack, read and filled in with parameters.
type Pack struct {
	// Name, version and origin of the pack.
	Metadata Metadata `json:"metadata"`
	// Version of the service and types of connectors that the pack needs.
	Requires Requires `json:"requires"`
	// Parameters that a tenant fills in when it installs the pack.
	Parameters []Parameter `json:"parameters"`
	// Names of duties, for separation-of-duties policies.
	DutyTags []DutyTag `json:"dutyTags"`
	// Field mappings that are proposed for matching connectors.
	FieldMappings []FieldMapping `json:"fieldMappings"`
	// Roles with the entitlements that they hold.
	Roles []Role `json:"roles"`
	// Birthright policies.
	Birthrights []Policy `json:"birthrights"`
	// Other policies that grant or deny access by rule.
	AccessGrantPolicies []Policy `json:"accessGrantPolicies"`
	// Separation-of-duties policies.
	SodPolicies []SodPolicy `json:"sodPolicies"`
	// Mitigating controls.
	MitigationPolicies []Mitigation `json:"mitigationPolicies"`
	// Templates of review campaigns.
	CertificationTemplates []RoleScoped `json:"certificationTemplates"`
	// Approval rules.
	ApprovalRules []ApprovalRule `json:"approvalRules"`
	// Lifecycle settings.
	LifecyclePolicies []Lifecycle `json:"lifecyclePolicies"`
	// Keys of report sections.
	ReportSections []string `json:"reportSections"`
	// Tests of the pack, run when it is checked and before it is installed.
	Tests []Test           `json:"tests"`
	Raw   map[string][]any `json:"-"` // the objects as they stand in the pack, by kind
}

// Metadata says what a pack is.
type Metadata struct {
	// Key of the pack, unique in the service.
	Key string `json:"key"`
	// Semantic version, such as 1.4.0.
	Version string `json:"version"`
	// Display name of the pack.
	Name string `json:"name"`
	// Sector that the pack is made for.
	Sector string `json:"sector"`
	// Publisher of the pack.
	Publisher string `json:"publisher"`
	// Description of the pack.
	Description string `json:"description"`
	// License of the content.
	Licence string `json:"licence"`
	// Languages of the texts, as language tags such as en or pt-BR.
	Languages []string `json:"languages"`
	// Regulations that the pack refers to.
	Regulations []string `json:"regulations"`
}

// Requires says what a pack needs.
type Requires struct {
	// Range of versions of the service, such as ">=1.0 <2".
	Service string `json:"service"`
	// Types of connectors that the pack was made for.
	ConnectorTypes []string `json:"connectorTypes"`
}

// Parameter is something that a tenant says about itself when it installs a pack.
type Parameter struct {
	// Key of the parameter, referred to as {{key}}.
	Key string `json:"key"`
	// Type of the value: string, string[], integer, boolean or duration.
	Type string `json:"type"`
	// Value that applies if the tenant gives none.
	Default any `json:"default,omitempty"`
	// Value that the pack is tested with if there is no default.
	Example any `json:"example,omitempty"`
	// Question to the administrator who installs the pack.
	Prompt string `json:"prompt"`
	// Whether a value must be given.
	Required bool `json:"required"`
	// Allowed values. Empty: any of the type.
	Values []string `json:"values,omitempty"`
	// Least allowed number.
	Minimum *int64 `json:"minimum,omitempty"`
	// Greatest allowed number.
	Maximum *int64 `json:"maximum,omitempty"`
}

// DutyTag names a duty, for rules about duties that one person may not have together.
type DutyTag struct {
	// Key of the tag.
	Key string `json:"key"`
	// Display name of the duty.
	Name string `json:"name"`
	// Description of the duty.
	Description string `json:"description,omitempty"`
}

// FieldMapping is offered where a connector's fields are mapped.
type FieldMapping struct {
	// Key of the mapping.
	Key string `json:"key"`
	// Display name of the mapping.
	Name string `json:"name,omitempty"`
	// Connectors that the mapping is proposed for.
	When When `json:"when"`
	// Kind of record that is mapped: identity, account, entitlement or grant.
	Object string `json:"object"`
	// Rules for the fields of the record.
	Fields []MappedFrom `json:"fields"`
}

// When says for which connectors a mapping is; what is empty is not asked.
type When struct {
	// Type of the connector.
	ConnectorType string `json:"connectorType,omitempty"`
	// Vendor of the system.
	Vendor string `json:"vendor,omitempty"`
	// Purpose of the connector: source, target or both.
	Purpose string `json:"purpose,omitempty"`
	// Tag of the connector.
	Tag string `json:"tag,omitempty"`
}

// MappedFrom is what is done with a field of the source.
type MappedFrom struct {
	// Path of the field in the source's record.
	Source string `json:"source"`
	// Field of the product that the value is written to.
	Target string `json:"target,omitempty"`
	// Expression that computes the value. Absent: the value is taken unchanged.
	Transform string `json:"transform,omitempty"`
	// Whether the field is ignored deliberately. It then has no target.
	Ignore bool `json:"ignore,omitempty"`
}

// Connectors selects connectors; what is empty is not asked.
type Connectors struct {
	// Tag of the connector.
	Tag string `json:"tag,omitempty"`
	// Type of the connector.
	Type string `json:"type,omitempty"`
	// Business ID of the connector.
	BusinessID string `json:"business_id,omitempty"`
	// Vendor of the system.
	Vendor string `json:"vendor,omitempty"`
}

// Selector selects entitlements of the tenant's connectors.
type Selector struct {
	// Connectors whose entitlements are selected.
	Connector Connectors `json:"connector"`
	// Kind of entitlement, such as group.
	Kind string `json:"kind,omitempty"`
	// Exact name of the entitlement.
	Name string `json:"name,omitempty"`
	// Pattern of the name, in which * matches any characters.
	NameLike string `json:"nameLike,omitempty"`
	// Key of the entitlement in its system.
	ExternalID string `json:"external_id,omitempty"`
}

// Role is a bundle of entitlements.
type Role struct {
	// Key of the role.
	Key string `json:"key"`
	// Display name of the role.
	Name string `json:"name"`
	// Description of the role. Absent if it has none.
	Description string `json:"description,omitempty"`
	// Type of the role: birthright, business, application, emergency or technical.
	Type string `json:"type,omitempty"`
	// Keys of the role's duty tags.
	DutyTags []string `json:"dutyTags,omitempty"`
	// Entitlements that the role holds.
	Entitlements []RoleGrant `json:"entitlements,omitempty"`
}

// RoleGrant is what a role holds.
type RoleGrant struct {
	// Entitlements of the tenant that the role holds.
	Select Selector `json:"select"`
}

// Policy gives, or denies, by rule.
type Policy struct {
	// Key of the policy.
	Key string `json:"key"`
	// Display name of the policy.
	Name string `json:"name,omitempty"`
	// Description of the policy.
	Description string `json:"description,omitempty"`
	// Mode after installation: shadow or enforce.
	Mode string `json:"mode,omitempty"`
	// Effect of the policy: assign, deny, eligible for those who can request, or require for what people must have.
	// Birthrights assign.
	Effect string `json:"effect,omitempty"`
	// Priority among the policies of the tenant.
	Priority *int `json:"priority,omitempty"`
	// Condition on people, in the form of the API.
	Subject json.RawMessage `json:"subject"`
	// Access that the policy assigns or denies. With the effect require: access that brings the requirement. Empty:
	// everyone who meets the condition.
	Grant []PolicyGrant `json:"grant,omitempty"`
	// What people must have by a policy with the effect require, besides training and manager.
	Require []PolicyGrant `json:"require,omitempty"`
	// Rows that assign access, in place of grant. Absent: everyone who meets the condition gets all of grant.
	Table *PolicyTable `json:"table,omitempty"`
	// When the policy applies during a person's employment.
	Lifecycle PolicyLifecycle `json:"lifecycle"`
	// What the policy requires in addition to its condition.
	Constraints PolicyConstraints `json:"constraints"`
	// When the policy applies. Absent: at all times.
	Schedule *PolicySchedule `json:"schedule,omitempty"`
}

// PolicyConstraints are what a policy requires of requests, of the effect eligible alone, and of people.
type PolicyConstraints struct {
	// ISO 8601 duration of the longest request.
	MaxDuration string `json:"maxDuration,omitempty"`
	// Whether the requester must have a second factor for sign-in.
	RequiresMFA bool `json:"requiresMfa,omitempty"`
	// Whether a request needs a justification.
	RequiresJustification bool `json:"requiresJustification,omitempty"`
	// Whether a request needs an external reference, such as a ticket number.
	RequiresExternalReference bool `json:"requiresExternalReference,omitempty"`
	// Employment types that the person may have. Empty: all.
	EmploymentTypes []string `json:"employmentTypes,omitempty"`
	// Countries in which the person may work. Empty: all.
	Countries []string `json:"countries,omitempty"`
	// Training that the person must have completed.
	NeedsTraining string `json:"needsTraining,omitempty"`
	// Whether the person must have a manager.
	NeedsManager bool `json:"needsManager,omitempty"`
}

// PolicySchedule says when a policy applies.
type PolicySchedule struct {
	// First moment at which the policy applies.
	From *time.Time `json:"from,omitempty"`
	// Moment from which the policy no longer applies.
	To *time.Time `json:"to,omitempty"`
	// Windows of each week, in the time zone of the tenant.
	Weekly []PolicyWindow `json:"weekly,omitempty"`
}

// PolicyWindow is a part of the days of a week.
type PolicyWindow struct {
	// Days on which the window starts.
	Days []string `json:"days"`
	// Time of day at which the window starts.
	Starts string `json:"starts"`
	// Time of day at which the window ends. If it is not after starts, the window ends on the next day.
	Ends string `json:"ends"`
}

// Gives reports whether the policy assigns.
func (p Policy) Gives() bool { return p.Effect == "" || p.Effect == "assign" }

// Required are the constraints in the form of the service.
func (p Policy) Required() constraint.PolicyConstraints {
	text := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	c := p.Constraints
	return constraint.PolicyConstraints{
		MaxDuration:               text(c.MaxDuration),
		RequiresMFA:               c.RequiresMFA,
		RequiresJustification:     c.RequiresJustification,
		RequiresExternalReference: c.RequiresExternalReference,
		EmploymentTypes:           c.EmploymentTypes,
		Countries:                 c.Countries,
		NeedsTraining:             text(c.NeedsTraining),
		NeedsManager:              c.NeedsManager,
	}
}

// Times is the schedule in the form of the service, or nil.
func (p Policy) Times() *schedule.PolicySchedule {
	if p.Schedule == nil {
		return nil
	}
	s := &schedule.PolicySchedule{From: p.Schedule.From, To: p.Schedule.To}
	for _, w := range p.Schedule.Weekly {
		s.Weekly = append(s.Weekly, schedule.PolicyWindow(w))
	}
	return s
}

// PolicyGrant is a role of the pack, entitlements, all entitlements with a tag, or an account alone.
type PolicyGrant struct {
	// Key of a role of the pack.
	Role string `json:"role,omitempty"`
	// Entitlements of the tenant.
	Select *Selector `json:"select,omitempty"`
	// Tag of the entitlements, in all systems, now and whenever tags change.
	Tag string `json:"tag,omitempty"`
	// Connectors in which the person gets an account without an entitlement.
	Account *Connectors `json:"account,omitempty"`
}

// PolicyLifecycle says in which states of a person a policy gives, how long before the first day, and what happens when
// it no longer fits.
type PolicyLifecycle struct {
	// Statuses of a person in which the policy applies.
	When []string `json:"when,omitempty"`
	// ISO 8601 duration before the first day at which access begins.
	LeadTime string `json:"leadTime,omitempty"`
	// Whether access ends or stays when the condition no longer matches.
	OnNoMatch string `json:"onNoMatch,omitempty"`
	// ISO 8601 duration that access is kept after the condition stopped matching.
	Grace string `json:"grace,omitempty"`
}

// SodPolicy keeps duties apart.
type SodPolicy struct {
	// Key of the policy.
	Key string `json:"key"`
	// Display name of the policy.
	Name string `json:"name"`
	// Description of the policy.
	Description string `json:"description,omitempty"`
	// Reason for the policy, for auditors.
	Rationale string `json:"rationale,omitempty"`
	// Regulations that require the policy.
	Regulations []string `json:"regulations,omitempty"`
	// Severity of violations: low, medium, high or critical.
	Severity string `json:"severity"`
	// Mode after installation: shadow or enforce.
	Mode string `json:"mode,omitempty"`
	// Access that counts together.
	Context SodContext `json:"context"`
	// Effects of violations.
	Effects SodEffects `json:"effects"`
	// Kind of separation: pair, or n_of_m for any n of the sides.
	Kind string `json:"kind"`
	// Number of sides that one person may not combine. Of n_of_m only.
	N int `json:"n"`
	// Duties that are kept apart.
	Sides []Side `json:"sides"`
	// Keys of mitigating controls that may accept a violation.
	AllowedMitigations []string `json:"allowedMitigations"`
}

// SodContext narrows what counts together.
type SodContext struct {
	// Whether only access in the same environment counts together. Absent: true.
	SameEnvironment *bool `json:"sameEnvironment,omitempty"`
	// Whether entitlements that only allow reading count. Absent: they do not.
	ExcludeReadOnly *bool `json:"excludeReadOnly,omitempty"`
}

// SodEffects are what a policy does.
type SodEffects struct {
	// Effect on access requests.
	OnRequest string `json:"onRequest,omitempty"`
	// Effect on assigned access.
	OnAssign string `json:"onAssign,omitempty"`
	// Effect of a violation that is found.
	OnDetect string `json:"onDetect,omitempty"`
}

// Side is one of the duties that are kept apart.
type Side struct {
	// Display name of the side.
	Label string `json:"label"`
	// Duty tags that belong to the side.
	DutyTags []string `json:"dutyTags"`
	// Roles that belong to the side.
	Roles []string `json:"roles"`
}

// Mitigation is a mitigating control.
type Mitigation struct {
	// Key of the control.
	Key string `json:"key"`
	// Display name of the control.
	Name string `json:"name"`
	// Description of the control.
	Description string `json:"description,omitempty"`
	// When the control acts: preventive, detective or corrective.
	ControlType string `json:"controlType"`
	// How much of the risk the control covers: low, medium or high. Empty: medium.
	Effectiveness string `json:"effectiveness,omitempty"`
	// Severities of violations that the control can be applied to. Empty: all.
	Severities []string `json:"severities,omitempty"`
	// Steps of the control, as Markdown.
	Procedure string `json:"procedure,omitempty"`
	// Evidence that the control operates.
	Evidence MitigationEvidence `json:"evidence"`
	// ISO 8601 duration of the longest application, from P1D to P730D. Empty: P90D.
	MaxDuration string `json:"maxDuration,omitempty"`
	// What is done when an application lapses or expires: reopen, revoke or escalate. Empty: reopen.
	OnLapse string `json:"onLapse,omitempty"`
}

// MitigationEvidence says which evidence shows that a control operates.
type MitigationEvidence struct {
	// Whether evidence is needed. Absent: it is.
	Required *bool `json:"required,omitempty"`
	// Kind of evidence: upload, report, attestation or link. Empty: attestation.
	Kind string `json:"kind,omitempty"`
	// ISO 8601 duration between evidence, from P1D to P365D. Empty: P30D.
	Cadence string `json:"cadence,omitempty"`
	// ISO 8601 duration for which evidence can be late, up to P90D. Empty: P7D.
	Grace string `json:"grace,omitempty"`
}

// RoleScoped is an object that may be about roles.
type RoleScoped struct {
	// Key of the object.
	Key string `json:"key"`
	// Keys of the roles that the object names directly.
	Roles []string `json:"roles"`
	// Scope of the object.
	Scope struct {
		// Keys of the roles within the scope.
		Roles []string `json:"roles"`
	} `json:"scope"`
}

// ApprovalRule is who must agree to requests: for roles of the pack, or, without roles, for everything that has no rule
// of its own.
type ApprovalRule struct {
	// Key of the approval rule.
	Key string `json:"key"`
	// Display name of the approval rule.
	Name string `json:"name"`
	// Description of the approval rule. Absent if it has none.
	Description string `json:"description,omitempty"`
	// Keys of roles of the pack. Absent: the default rule.
	Roles []string `json:"roles,omitempty"`
	// Approval steps, in the order in which they are asked.
	Stages []ApprovalStage `json:"stages"`
	// ISO 8601 duration within which an approver must decide.
	RespondWithin string `json:"respondWithin,omitempty"`
}

// ApprovalStage is a step of an approval rule. Any one of its approvers decides.
type ApprovalStage struct {
	// Approvers of the step, as the approval rules of the API name them.
	Approvers []string `json:"approvers"`
}

// Lifecycle is how long before and after things happen to people.
type Lifecycle struct {
	// Key of the settings.
	Key string `json:"key"`
	// ISO 8601 duration before the first day at which a person's access begins.
	PreHireLead string `json:"preHireLead,omitempty"`
	// ISO 8601 duration that access is kept after a move.
	MoverGrace string `json:"moverGrace,omitempty"`
	// Access during a leave: keep or disable.
	LeaveAccess string `json:"leaveAccess,omitempty"`
	// ISO 8601 duration after which accounts of leavers are deleted.
	DeleteAfter string `json:"deleteAfter,omitempty"`
	// ISO 8601 duration after which leavers are archived.
	ArchiveAfter string `json:"archiveAfter,omitempty"`
}

// Test tries a pack on a person who does not exist, or on a record of a source.
type Test struct {
	// Name of the test, unique in the pack.
	Name string `json:"name"`
	// Input of the test: a synthetic person, or a record of a source with its mapping.
	Given struct {
		// Fields of a synthetic person.
		Identity map[string]any `json:"identity"`
		// Parameters that differ from the defaults and examples.
		Parameters map[string]any `json:"parameters"`
		// Day of the test. Empty: 2026-01-15.
		Today string `json:"today"`
		// Key of the field mapping under test.
		Mapping string `json:"mapping"`
		// Record of the source, by field.
		Record map[string]any `json:"record"`
	} `json:"given"`
	// Keys that the person must get, possibly with others.
	ExpectGrants []string `json:"expectGrants"`
	// Keys that the person must not get.
	ExpectNoGrants []string `json:"expectNoGrants"`
	// Keys that the person must get, and no others.
	ExpectOnly []string `json:"expectOnly"`
	// Fields of the person that the mapping must produce.
	ExpectIdentity map[string]any `json:"expectIdentity"`
}
