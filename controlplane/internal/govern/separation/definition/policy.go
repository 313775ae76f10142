package definition

import (
	"cmp"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// Modes of a policy.
const (
	Draft   = "draft"   // stored, not evaluated
	Shadow  = "shadow"  // evaluated; prevents nothing
	Enforce = "enforce" // evaluated; its effects apply
)

// Effects on an access request that would violate an enforced policy.
const (
	Block     = "block"     // the request is refused
	Exception = "exception" // the approvers of the exception rule must allow it for a limited time
	Warn      = "warn"      // requester and approvers see the violation
	Record    = "record"    // the violation is recorded
)

// Effects of a violation that is found, besides Record.
const (
	Task            = "task"              // a decision task asks about it
	RevokeLowerRisk = "revoke_lower_risk" // the access with the lower risk is revoked
)

// Traits of entitlements that a context may compare without naming them in Same.
const (
	Environment = "environment"  // environment of the connector
	LegalEntity = "legal_entity" // attribute legal_entity of the entitlement
)

// SeparationPolicyFields are the writable fields of a policy.
type SeparationPolicyFields struct {
	// Display name of the policy, unique in the tenant.
	Name string `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	// Description of the policy. Empty if it has none.
	Description string `json:"description" db:"description" required:"false" maxLength:"4000"`
	// Reason for the policy, for auditors. Empty if it has none.
	Rationale string `json:"rationale" db:"rationale" required:"false" maxLength:"4000"`
	// Regulations or controls that require the policy, such as SOX 404.
	RegulationRefs []string `json:"regulation_refs" db:"regulation_refs" required:"false" nullable:"false" maxItems:"50" maxLength:"200"`
	// IDs of the identities that own the policy.
	OwnerIDs []string `json:"owner_ids" db:"owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// Whether the policy is evaluated. Defaults to true when the policy is created.
	Enabled bool `json:"enabled" db:"enabled" required:"false"`
	// A draft is stored and not evaluated. In shadow the policy is evaluated and prevents nothing. In enforce its
	// effects apply. The default is draft.
	Mode string `json:"mode" db:"mode" required:"false" enum:"draft,shadow,enforce"`
	// Severity of the violations of the policy. The default is medium.
	Severity string `json:"severity" db:"severity" required:"false" enum:"low,medium,high,critical"`
	// How the sides conflict. pair: both sides. n_of_m: at least n sides. matrix: both sides of one of its conflicts.
	// companion: the first side without the second. history: the first side now, and the second within the window.
	Kind string `json:"kind" db:"kind" required:"false" enum:"pair,n_of_m,matrix,companion,history"`
	// Sides of the policy. pair, companion and history have two.
	Sides []Side `json:"sides" db:"sides" required:"false" nullable:"false" maxItems:"50"`
	// Number of sides that together violate the policy, for the kind n_of_m. Otherwise null.
	N *int `json:"n" db:"n" required:"false" minimum:"2" maximum:"50"`
	// Conflicts between sides, for the kind matrix. Otherwise null.
	Matrix *Grid `json:"matrix" db:"matrix" required:"false"`
	// How long the second side counts after it ended, as an ISO 8601 duration, for the kind history. Otherwise null.
	HistoryWindow *string `json:"history_window" db:"history_window" required:"false" maxLength:"64" example:"P90D"`
	// Access that counts together.
	Context Context `json:"context" db:"context" required:"false"`
	// What happens to access that would violate the policy.
	Effects Effects `json:"effects" db:"effects" required:"false"`
	// Advice on how to resolve a violation. Empty if there is none.
	Remediation string `json:"remediation" db:"remediation" required:"false" maxLength:"4000"`
	// IDs of the mitigating controls that can be applied to violations of the policy. A request that the policy blocks
	// can propose one of them. Empty: any control that applies, and none in requests.
	ControlIDs []string `json:"mitigation_policy_ids" db:"mitigation_policy_ids" required:"false" nullable:"false" maxItems:"100" format:"uuid"`
	// Longest duration of a mitigation of the policy, and of access that is given by an exception, as an ISO 8601
	// duration. Null: as the control and the approval rule say.
	MaxMitigation *string `json:"max_mitigation" db:"max_mitigation" required:"false" maxLength:"64" example:"P30D"`
	// ID of the approval rule whose approvers allow exceptions, for the effect exception. Otherwise null.
	ExceptionRuleID *string `json:"exception_rule_id" db:"exception_rule_id" required:"false" format:"uuid"`
	// People to whom the policy does not apply, as a condition. See POST /policies/conditions/validate. Null: none.
	Exemptions SeparationExemptions `json:"exemptions" db:"exemptions" required:"false"`
	// Time from which the policy is evaluated. Null: at once.
	ValidFrom *time.Time `json:"valid_from" db:"valid_from" required:"false"`
	// Time until which the policy is evaluated. Null: without end.
	ValidTo *time.Time `json:"valid_to" db:"valid_to" required:"false"`
}

// SeparationSide is one side of a policy.
type SeparationSide struct {
	// Name of the side, such as Maintain vendors.
	Label string `json:"label" required:"false" maxLength:"200"`
	// IDs of the duties of the side, at least one. A person performs the side by any of them.
	DutyIDs []string `json:"duty_ids" nullable:"false" maxItems:"100" format:"uuid"`
}

// SeparationMatrix lists the pairs of sides that conflict.
type SeparationMatrix struct {
	// Pairs of conflicting sides, at least one, by their positions in sides. The first side has the position 0.
	Conflicts [][]int `json:"conflicts" nullable:"false" maxItems:"1225"`
}

// Schema is that of a matrix, or null.
func (SeparationMatrix) Schema(r huma.Registry) *huma.Schema {
	type plain SeparationMatrix
	s := *huma.SchemaFromType(r, reflect.TypeFor[plain]())
	s.Nullable = true
	return &s
}

// SeparationContext narrows what counts together.
type SeparationContext struct {
	// Only access in the same environment of a connector counts together. The default is true, and false for
	// companion policies.
	SameEnvironment *bool `json:"same_environment" required:"false"`
	// Only access with the same value of the attribute legal_entity counts together. The default is false.
	SameLegalEntity *bool `json:"same_legal_entity" required:"false"`
	// Further attributes of entitlements that must agree, such as company_code or site. An entitlement without the
	// attribute agrees with every value.
	SameAttributes []string `json:"same_attributes" required:"false" nullable:"false" maxItems:"10" maxLength:"100"`
	// Entitlements that only allow reading do not count. The default is true.
	ExcludeReadOnly *bool `json:"exclude_read_only" required:"false"`
}

// SeparationEffects are what an enforced policy does.
type SeparationEffects struct {
	// Effect on an access request. block refuses it, exception also asks the approvers of exception_rule_id, warn shows
	// the violation to requester and approvers, record only records it. The default is block.
	OnRequest string `json:"on_request" required:"false" enum:"block,exception,warn,record"`
	// Effect on access that is assigned without a request: directly, by a role or a rule, or by a link of an account.
	// block refuses it, and holds it before it is provisioned; exception does the same, and advises to request the
	// access; record only records the violation. The default is on_request if that is block or exception, and
	// otherwise record.
	OnAssign string `json:"on_assign" required:"false" enum:"block,exception,record"`
	// What happens when a violation is found. task asks the owners of the policy and administrators to decide; record
	// only records the violation. revoke_lower_risk revokes the smallest set of grants with the lower risk, once, and
	// asks as task does where that is not possible. The default is task.
	OnDetect string `json:"on_detect" required:"false" enum:"task,revoke_lower_risk,record"`
}

// Complete adds the defaults.
func (e SeparationEffects) Complete() SeparationEffects {
	e.OnRequest, e.OnDetect = cmp.Or(e.OnRequest, Block), cmp.Or(e.OnDetect, Task)
	if e.OnAssign == "" {
		e.OnAssign = Record
		if Refuses(e.OnRequest) {
			e.OnAssign = e.OnRequest
		}
	}
	return e
}

// Refuses reports whether an effect prevents access that no approver of an exception has allowed.
func Refuses(effect string) bool { return effect == Block || effect == Exception }

// The API names its types without their package, so they have short names here.
type (
	Fields  = SeparationPolicyFields
	Side    = SeparationSide
	Grid    = SeparationMatrix
	Context = SeparationContext
	Effects = SeparationEffects
)

// SeparationPolicy is a policy as the API shows it.
type SeparationPolicy struct {
	// ID of the policy.
	ID string `json:"id" db:"id"`
	Fields
	// Whether a side of the policy has no duty that a person could perform at present. The policy then finds no
	// violations.
	Blind bool `json:"blind" db:"-"`
	// Positions of the sides that no person can perform at present.
	BlindSides []int `json:"blind_sides" db:"-" nullable:"false"`
	// Numbers of violations of the policy at present.
	Stats SeparationStats `json:"stats" db:"-"`
	// Origin of the policy: manual, an import, or a sector pack.
	Origin map[string]any `json:"origin" db:"origin" nullable:"false"`
	// Time the policy was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the policy was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the policy, for If-Match.
	Version int `json:"version" db:"version"`
}

// SeparationStats counts the violations of a policy.
type SeparationStats struct {
	// Violations that need a decision.
	Open int64 `json:"open"`
	// Violations that were accepted with a mitigating control.
	Mitigated int64 `json:"mitigated"`
	// Violations that were marked as false positives.
	FalsePositive int64 `json:"false_positive"`
	// Access requests of the last 30 days that the policy would have refused, had it been enforced. They are counted
	// while it is in shadow mode.
	WouldBlock30D int64 `json:"would_block_30d"`
}

// Rule returns the policy in the form in which it is evaluated. The fields are complete, see Complete.
func (f Fields) Rule(id string, version int) conflict.Policy {
	p := conflict.Policy{
		ID:      id,
		Version: version,
		Kind:    conflict.Kind(f.Kind),
		Context: conflict.Context{Same: f.Context.Traits(), ExcludeReadOnly: isTrue(f.Context.ExcludeReadOnly)},
	}
	for _, s := range f.Sides {
		p.Sides = append(p.Sides, conflict.Side{Label: s.Label, DutyIDs: s.DutyIDs})
	}
	if f.N != nil {
		p.N = *f.N
	}
	if f.Matrix != nil {
		for _, c := range f.Matrix.Conflicts {
			p.Conflicts = append(p.Conflicts, [2]int{c[0], c[1]})
		}
	}
	if f.HistoryWindow != nil {
		p.Window, _ = span.Parse(*f.HistoryWindow)
	}
	return p
}

// Traits are the names of the traits of entitlements that must agree, sorted as they are compared.
func (c Context) Traits() []string {
	var names []string
	if isTrue(c.SameEnvironment) {
		names = append(names, Environment)
	}
	if isTrue(c.SameLegalEntity) {
		names = append(names, LegalEntity)
	}
	return append(names, c.SameAttributes...)
}

func isTrue(b *bool) bool { return b != nil && *b }
