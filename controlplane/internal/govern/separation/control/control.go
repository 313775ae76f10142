package control

import (
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/storedquery"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Kinds of evidence.
const (
	Attestation = "attestation" // a text by the owner
	Upload      = "upload"      // a file
	Link        = "link"        // the address of a record in another system
	Report      = "report"      // a file, or its address

	AutomaticQuery = "automatic_query" // the answer to a stored query, without people
)

// What is done when an application lapses or expires.
const (
	Reopen   = "reopen"   // the violation is open again
	Revoke   = "revoke"   // and a smallest cure is revoked
	Escalate = "escalate" // and the decision is escalated
)

// MitigatingControlFields are the writable fields of a control.
type MitigatingControlFields struct {
	// Display name of the control, unique in the tenant.
	Name string `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	// Risk that the control covers, and how. Empty if it has no description.
	Description string `json:"description" db:"description" required:"false" maxLength:"4000"`
	// Steps of the control, as Markdown. Empty if there are none.
	Procedure string `json:"procedure" db:"procedure" required:"false" maxLength:"20000"`
	// When the control acts. preventive: before damage occurs. detective: it finds damage. corrective: it repairs
	// damage. The default is detective.
	ControlType string `json:"control_type" db:"control_type" required:"false" enum:"preventive,detective,corrective"`
	// How much of the risk the control covers. The default is medium.
	Effectiveness string `json:"effectiveness" db:"effectiveness" required:"false" enum:"low,medium,high"`
	// IDs of the identities that own the control. The first one owns applications that name no owner.
	OwnerIDs []string `json:"control_owner_ids" db:"control_owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// IDs of the identities that approve applications and review evidence. Empty: the owners of the violated policy.
	// Administrators can always decide.
	ApproverIDs []string `json:"approver_ids" db:"approver_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// Whether the control can be applied. Defaults to true when the control is created.
	Enabled bool `json:"enabled" db:"enabled" required:"false"`
	// Violations that the control can be applied to.
	AppliesTo Scope `json:"applies_to" db:"applies_to" required:"false"`
	// Evidence that the control operates.
	Evidence Evidence `json:"evidence" db:"evidence" required:"false"`
	// What is done when an application lapses or expires. reopen: the violation is open again. revoke: in addition,
	// the revocation of a smallest cure is ordered; if none can be revoked, as with escalate. escalate: in addition,
	// its decision task is urgent and goes to the owners of the violated policy and their managers. The default is
	// reopen.
	OnLapse string `json:"on_lapse" db:"on_lapse" required:"false" enum:"reopen,revoke,escalate"`
	// Longest duration of an application, as an ISO 8601 duration up to P730D. The default is P90D.
	MaxDuration string `json:"max_duration" db:"max_duration" required:"false" maxLength:"64" example:"P90D"`
}

// MitigatingControlScope limits the violations that a control can be applied to.
type MitigatingControlScope struct {
	// IDs of separation-of-duties policies. Empty: all.
	PolicyIDs []string `json:"sod_policy_ids" required:"false" nullable:"false" maxItems:"500" format:"uuid"`
	// Severities of violations. Empty: all.
	Severities []string `json:"severities" required:"false" nullable:"false" maxItems:"4" enum:"low,medium,high,critical"`
}

// MitigatingControlEvidence says which evidence shows that a control operates.
type MitigatingControlEvidence struct {
	// Whether evidence is needed. The default is true.
	Required *bool `json:"required" required:"false"`
	// Kind of evidence. attestation: a text by the owner. upload: a file. link: the address of a record in another
	// system. report: a file or its address. automatic_query: the answer to query; people are asked if it fails or
	// cannot be answered. The default is attestation.
	Kind string `json:"kind" required:"false" enum:"attestation,upload,link,report,automatic_query"`
	// Interval between evidence, as an ISO 8601 duration from P1D to P365D. The default is P30D.
	Cadence string `json:"cadence" required:"false" maxLength:"64" example:"P30D"`
	// How long evidence can be late before the mitigation lapses, as an ISO 8601 duration up to P90D. The default is
	// P7D.
	Grace string `json:"grace" required:"false" maxLength:"64" example:"P7D"`
	// Query that is evaluated when evidence is due. Required if the kind is automatic_query. Other kinds have none: a
	// query that is sent with them is dropped.
	Query *storedquery.Query `json:"query,omitempty" required:"false"`
}

// The API names its types without their package, so they have short names here.
type (
	Fields   = MitigatingControlFields
	Scope    = MitigatingControlScope
	Evidence = MitigatingControlEvidence
	Control  = MitigatingControl
)

// MitigatingControl is a control as the API shows it.
type MitigatingControl struct {
	// ID of the control.
	ID string `json:"id" db:"id"`
	Fields
	// Number of applications that mitigate a violation at present.
	Applied int `json:"applied" db:"applied"`
	// Origin of the control: manual, or a sector pack.
	Origin map[string]any `json:"origin" db:"origin" nullable:"false"`
	// Time the control was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time the control was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number of the control, for If-Match.
	Version int `json:"version" db:"version"`
}

// New is a control to be created. Without Origin it was made by hand.
type New struct {
	Fields
	Origin map[string]any
}

// AuditSubject is the control in audit events.
func (c Control) AuditSubject() audit.Subject {
	return audit.Subject{Type: "mitigating_control", ID: c.ID, Display: c.Name}
}

// Longest is the longest duration of an application.
func (f Fields) Longest() time.Duration { return length(f.MaxDuration) }

// NeedsEvidence reports whether evidence is due at intervals.
func (f Fields) NeedsEvidence() bool { return f.Evidence.Required == nil || *f.Evidence.Required }

// AsksQuery reports whether a stored query gives the evidence that is due.
func (f Fields) AsksQuery() bool {
	return f.NeedsEvidence() && f.Evidence.Kind == AutomaticQuery && f.Evidence.Query != nil
}

// CadenceAndGrace are the interval between evidence, and how long it may be late.
func (f Fields) CadenceAndGrace() (cadence, grace time.Duration) {
	return length(f.Evidence.Cadence), length(f.Evidence.Grace)
}

// length is a duration that was checked before it was stored.
func length(text string) time.Duration {
	d, _ := span.Parse(text)
	return d
}

// Covers reports whether the control can be applied to violations of a policy with a severity.
func (f Fields) Covers(policyID, severity string) bool {
	return (len(f.AppliesTo.PolicyIDs) == 0 || slices.Contains(f.AppliesTo.PolicyIDs, policyID)) &&
		(len(f.AppliesTo.Severities) == 0 || slices.Contains(f.AppliesTo.Severities, severity))
}
