package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Effects of a verdict, from the weakest.
const (
	None      = "none"
	Record    = separationpolicy.Record
	Warn      = separationpolicy.Warn
	Exception = separationpolicy.Exception
	Block     = separationpolicy.Block
)

// SeparationVerdict is what separation-of-duties policies say about the access of one person.
type SeparationVerdict struct {
	// Violations that the access has, or would have.
	Violations []SeparationConflict `json:"violations" nullable:"false"`
	// Effect on a request for the access. none: there is no violation. record: the violations are recorded. warn:
	// requester and approvers see them. exception: approvers of exception rules must allow them too, and the access
	// needs a justification and an end. block: the request is refused.
	Effect string `json:"effect" enum:"none,record,warn,exception,block"`
}

// Clear is the verdict about access that violates no policy.
func Clear() SeparationVerdict {
	return SeparationVerdict{Violations: []SeparationConflict{}, Effect: None}
}

// ShownTo returns the verdict as a viewer may read it before a request. Violations that are only recorded, such as
// those of policies in shadow mode, are for those who see the whole tenant.
func (v SeparationVerdict) ShownTo(who viewer.Viewer) SeparationVerdict {
	if who.SeesAll() {
		return v
	}
	shown := SeparationVerdict{Violations: []SeparationConflict{}}
	for _, c := range v.Violations {
		if c.Effect != Record {
			shown.Violations = append(shown.Violations, c)
		}
	}
	shown.Effect = worst(shown.Violations)
	return shown
}

// Blocks reports whether an added source is part of a violation that refuses a request.
func (v SeparationVerdict) Blocks(id string) bool {
	for _, c := range v.Violations {
		for _, side := range c.Sides {
			for _, a := range side.Access {
				if c.Effect == Block && a.Source != nil && a.Source.Kind == effective.KindAdded && a.Source.ID == id {
					return true
				}
			}
		}
	}
	return false
}

// Involves reports whether an added source is part of a violation of a policy.
func (v SeparationVerdict) Involves(policyID, id string) bool {
	return slices.ContainsFunc(v.Violations, func(c SeparationConflict) bool {
		return c.Policy.ID == policyID && slices.ContainsFunc(c.Sides, func(side ConflictSide) bool {
			return slices.ContainsFunc(side.Access, func(a ConflictAccess) bool {
				return a.Source != nil && a.Source.Kind == effective.KindAdded && a.Source.ID == id
			})
		})
	})
}

// SeparationConflict is one violation of a separation-of-duties policy by one person.
type SeparationConflict struct {
	// Policy that is violated.
	Policy ConflictPolicy `json:"policy"`
	// Sides that the person performs, in the order of the policy. Of a companion policy only the first.
	Sides []ConflictSide `json:"sides" nullable:"false"`
	// How much of the violation is fact. latent: it includes access that is pending. potential: the access is held,
	// and not known to be used. exercised_one and exercised_both: one side, or at least two, were used within 90
	// days. inside_role: one role alone gives all of it.
	Grade string `json:"grade" enum:"latent,potential,exercised_one,exercised_both,inside_role"`
	// Smallest sets of access whose removal ends the violation. Any one of them is enough. Empty if no removal helps.
	Cures []ConflictCure `json:"cures" nullable:"false"`
	// Whether no smaller set exists. False if the search ended at its limit.
	CuresProven bool `json:"cures_proven"`
	// Effect of the policy on a request that would cause the violation. A violation that is mitigated, or covered by an
	// exception, only warns.
	Effect string `json:"effect" enum:"record,warn,exception,block"`
	// Approval rule whose approvers allow exceptions of the policy. Null: exceptions are not possible.
	ExceptionRule *ExceptionRule `json:"exception_rule"`
	// Exception that was approved and covers the violation, in verdicts about access. Otherwise null.
	Exception *ConflictException `json:"exception"`
	// Mitigation of the violation that was approved or is proposed, in verdicts about requests. Otherwise null.
	Mitigation *ConflictMitigation `json:"mitigation"`
	// Mitigating controls that a request can propose for the violation. Empty: none.
	Controls []AvailableControl `json:"mitigation_policies" nullable:"false"`
	// Advice of the policy on how to resolve the violation. Empty if there is none.
	Remediation string `json:"remediation"`

	// sides is what Sides returns.
	sides string
	// wouldBlock is true if only the shadow mode of the policy keeps it from refusing the request.
	wouldBlock bool
}

// ConflictMitigation is a mitigation of a violation.
type ConflictMitigation struct {
	// ID of the mitigation.
	ID string `json:"id"`
	// Name of the control.
	Control string `json:"control"`
	// State of the mitigation.
	State string `json:"state" enum:"proposed,active,evidence_due,evidence_overdue"`
	// Time at which it ends at the latest. Null: it was not approved.
	EndsAt *time.Time `json:"ends_at"`
}

// ConflictExceptionRule is an approval rule whose approvers allow exceptions of a policy.
type ConflictExceptionRule struct {
	// ID of the approval rule.
	ID string `json:"id" db:"id"`
	// Name of the approval rule.
	Name string `json:"name" db:"name"`
	// Longest duration of access that is given by an exception, as an ISO 8601 duration. Null: no limit.
	MaxDuration *string `json:"max_duration" db:"-"`
}

// ExceptionRule has a longer name in the API, which names its types without their package.
type ExceptionRule = ConflictExceptionRule

// ConflictException is an exception that covers a violation.
type ConflictException struct {
	// ID of the exception.
	ID string `json:"id"`
	// Number of the access request, such as REQ-000123.
	Number string `json:"number"`
	// End of the access. Null: it is counted from when the target system has the access.
	EndsAt *time.Time `json:"ends_at"`
}

// ConflictPolicy is the policy of a violation.
type ConflictPolicy struct {
	// ID of the policy.
	ID string `json:"id"`
	// Name of the policy.
	Name string `json:"name"`
	// Version of the policy that was evaluated.
	Version int `json:"version"`
	// Mode of the policy. In shadow mode it prevents nothing.
	Mode string `json:"mode" enum:"shadow,enforce"`
	// Severity of the policy.
	Severity string `json:"severity" enum:"low,medium,high,critical"`
	// How the sides of the policy conflict.
	Kind string `json:"kind" enum:"pair,n_of_m,matrix,companion,history"`
}

// ConflictSide is one side of a policy with the access that performs it.
type ConflictSide struct {
	// Label of the side.
	Label string `json:"label"`
	// Names of the duties of the side.
	Duties []string `json:"duties" nullable:"false"`
	// IDs of the duties of the side, in the order of their names.
	DutyIDs []string `json:"duty_ids" nullable:"false"`
	// Access that performs the side.
	Access []ConflictAccess `json:"access" nullable:"false"`
	// True if the side is performed only by access that the person no longer has, for the kind history.
	Past bool `json:"past"`
}

// ConflictAccess is one entitlement that performs a side, by one source.
type ConflictAccess struct {
	// Entitlement that performs the side.
	Entitlement ConflictEntitlement `json:"entitlement"`
	// Entitlements from the one that the source gives up to this one. One alone: it is given directly. Empty for access
	// of the past.
	Path []ConflictEntitlement `json:"path" nullable:"false"`
	// What gives the access. Null for access of the past.
	Source *AccessSource `json:"source"`
	// True if the target system does not have the access yet.
	Pending bool `json:"pending"`
	// Time since which the access is held, or was requested. Null: unknown.
	Since *time.Time `json:"since"`
}

// ConflictEntitlement is an entitlement in a violation.
type ConflictEntitlement struct {
	// ID of the entitlement.
	ID string `json:"id"`
	// Name of the entitlement.
	Name string `json:"name"`
	// ID of its connector. Empty if it has none.
	ConnectorID string `json:"connector_id"`
	// Name of its connector. Empty if it has none.
	ConnectorName string `json:"connector_name"`
}

// AccessSource is something that gives access and can be taken away as one.
type AccessSource struct {
	// Kind of source. added: the access of the prediction or of the request that is examined.
	Kind string `json:"kind" enum:"grant,request_item,role_assignment,role,policy,order,task,added"`
	// ID of the source. For added access the ID of the requested role or entitlement.
	ID string `json:"id"`
	// Name of the source: the entitlement of a grant, the role, the policy, or the request.
	Name string `json:"name"`
	// ID of the access request, of the kind request_item. Empty for other kinds.
	RequestID string `json:"request_id"`
	// ID of the role that is requested, assigned or added. Empty if the source is about an entitlement.
	RoleID string `json:"role_id"`
}

// ConflictCure is a set of access whose removal ends a violation.
type ConflictCure struct {
	// Sources to remove, all of them.
	Remove []AccessSource `json:"remove" nullable:"false"`
}

// strength orders the effects.
var strength = []string{None, Record, Warn, Exception, Block}

// worst returns the strongest effect of violations.
func worst(all []SeparationConflict) string {
	effect := None
	for _, c := range all {
		if slices.Index(strength, c.Effect) > slices.Index(strength, effect) {
			effect = c.Effect
		}
	}
	return effect
}

// Refusal returns the fault of a request or decision that a verdict blocks, and nil if it does not. who is the name of
// the person whose access it is.
func (v SeparationVerdict) Refusal(who string) *fault.Fault {
	if v.Effect != Block {
		return nil
	}
	var blocking []SeparationConflict
	for _, c := range v.Violations {
		if c.Effect == Block {
			blocking = append(blocking, c)
		}
	}
	more := ""
	if n := len(blocking) - 1; n > 0 {
		more = fmt.Sprintf(" %d more policies would be violated.", n)
		if n == 1 {
			more = " One more policy would be violated."
		}
	}
	return fault.Coded(fault.Conflict, "separation_of_duties", "%s%s", blocking[0].Sentence(who), more).
		Also("violations", blocking)
}

// Sentence says in words what a violation would be and the smallest ways out of it.
func (c SeparationConflict) Sentence(who string) string { return c.sentence(who + " would violate") }

// Found is Sentence about a violation that exists.
func (c SeparationConflict) Found(who string) string { return c.sentence(who + " violates") }

func (c SeparationConflict) sentence(begin string) string {
	var sides []string
	for _, s := range c.Sides {
		sides = append(sides, s.sentence())
	}
	text := fmt.Sprintf("%s the policy %q: %s.", begin, c.Policy.Name, strings.Join(sides, " and "))
	if c.Policy.Kind == "companion" {
		text = fmt.Sprintf("%s the policy %q: %s requires another duty.", begin, c.Policy.Name,
			strings.Join(sides, " and "))
	}
	if ways := c.ways(); ways != "" {
		text += " " + ways
	}
	if m := c.Mitigation; m != nil && m.State == proposed {
		text += fmt.Sprintf(" The mitigation %q has not been approved.", m.Control)
	} else if m != nil {
		text += fmt.Sprintf(" The mitigation %q covers it until %s.", m.Control, m.EndsAt.Format(time.DateOnly))
	} else if c.Effect == Block && len(c.Controls) > 0 {
		text += fmt.Sprintf(" Or propose a mitigation, such as %q.", c.Controls[0].Name)
	}
	return text + c.excepted()
}

// sentence is the label of a side with the access that performs it, at most three.
func (s ConflictSide) sentence() string {
	const most = 3
	var names []string
	for _, a := range s.Access {
		name := a.Entitlement.Name
		if a.Source != nil && len(a.Path) > 1 {
			name += " through " + a.Path[0].Name
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if rest := len(names) - most; rest > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", rest))
	}
	return fmt.Sprintf("%s (%s)", s.Label, strings.Join(names, ", "))
}

// ways are the smallest cures in words, at most three.
func (c SeparationConflict) ways() string {
	const most = 3
	var ways []string
	for _, cure := range c.Cures[:min(len(c.Cures), most)] {
		var names []string
		for _, s := range cure.Remove {
			names = append(names, s.Name)
		}
		ways = append(ways, strings.Join(names, " and "))
	}
	switch len(ways) {
	case 0:
		return ""
	case 1:
		return "The smallest way out is to do without " + ways[0] + "."
	default:
		return "The smallest way out is to do without any one of these: " + strings.Join(ways, "; ") + "."
	}
}
