package rule

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// ApprovalRuleFields are what may be written of a rule.
type ApprovalRuleFields struct {
	// Display name of the approval rule. It must be unique.
	Name string `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	// Description of the approval rule, for administrators.
	Description string `json:"description" db:"description" required:"false" maxLength:"4000"`
	// One that is not is chosen for nothing; rules that use it still do. true when a rule is made without it.
	Enabled bool `json:"enabled" db:"enabled" required:"false"`
	// The lowest number applies among rules that match equally specifically. The default is 100.
	Priority int `json:"priority" db:"priority" required:"false" minimum:"1" maximum:"1000"`
	// What it is for. The narrowest rule counts: the thing itself, its system, its tags or risk, the kind of request,
	// the default.
	AppliesTo ApprovalScope `json:"applies_to" db:"applies_to" required:"false"`
	// The first whose condition is met counts; the last has none.
	Branches []ApprovalBranch `json:"branches" db:"branches" required:"false" nullable:"false" maxItems:"50"`
	// Labels of your own, as names and values.
	Labels map[string]string `json:"labels" db:"labels" required:"false" nullable:"false"`
	ApprovalTerms
}

// ApprovalRule is a rule as the API shows it.
type ApprovalRule struct {
	// ID of the approval rule.
	ID string `json:"id" db:"id"`
	ApprovalRuleFields
	Stored ApprovalTerms `json:"-" db:"terms"`
	// The branches in plain words.
	Sentences []string `json:"sentences" db:"-" nullable:"false"`
	// Whom today's organisation does not have. In answers about one rule; lists leave it empty.
	Warnings []ApprovalWarning `json:"warnings" db:"-" nullable:"false"`
	// Who made it: by hand, or a pack.
	Origin map[string]any `json:"origin" db:"origin" nullable:"false"`
	// Time the approval rule was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time of the last change to the approval rule.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number, for If-Match.
	Version int `json:"version" db:"version"`
}

// ApprovalWarning is something of a rule that works, and leads to a fallback as things are today.
type ApprovalWarning struct {
	// JSON pointer to the part of the rule that the warning is about.
	Pointer string `json:"pointer" example:"#/branches/0/outcome/stages/0/groups/0/approvers/0"`
	// Stable code of the warning. `names_nobody`: a resolver finds no person who can decide. `may_expire`: the stages
	// can take longer than request_ttl.
	Code string `json:"code" example:"names_nobody"`
	// Explanation of the warning, in words.
	Detail string `json:"detail"`
}

// Subject names the rule in the audit log.
func (r ApprovalRule) Subject() audit.Subject {
	return audit.Subject{Type: "approval_rule", ID: r.ID, Display: r.Name}
}

// Shown completes a rule that was read from the database.
func (r *ApprovalRule) Shown() {
	r.ApprovalTerms = r.Stored
	r.Warnings, r.Sentences = []ApprovalWarning{}, Sentences(r.Branches)
	r.FillLists()
}

// Ready is the rule with its conditions parsed.
func (f ApprovalRuleFields) Ready(id string, version int) *Rule {
	r := &Rule{
		ID:       id,
		Name:     f.Name,
		Version:  version,
		Enabled:  f.Enabled,
		Priority: f.Priority,
		Applies:  f.AppliesTo,
		Branches: f.Branches,
		Terms:    f.ApprovalTerms,
	}
	r.read()
	return r
}
