package approval

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// ApprovalRuleFields are what may be written of a rule.
type ApprovalRuleFields struct {
	Name        string            `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	Description string            `json:"description" db:"description" required:"false" maxLength:"4000"`
	Enabled     bool              `json:"enabled" db:"enabled" required:"false" doc:"One that is not is chosen for nothing; rules that use it still do. true when a rule is made without it."`
	Priority    int               `json:"priority" db:"priority" required:"false" minimum:"1" maximum:"1000" doc:"The lowest number applies among rules that match equally specifically. The default is 100."`
	AppliesTo   ApprovalScope     `json:"applies_to" db:"applies_to" required:"false" doc:"What it is for. The narrowest rule counts: the thing itself, its system, its tags or risk, the kind of request, the default."`
	Branches    []ApprovalBranch  `json:"branches" db:"branches" required:"false" nullable:"false" maxItems:"50" doc:"The first whose condition is met counts; the last has none."`
	Labels      map[string]string `json:"labels" db:"labels" required:"false" nullable:"false"`
	ApprovalTerms
}

// ApprovalRule is a rule as the API shows it.
type ApprovalRule struct {
	ID string `json:"id" db:"id"`
	ApprovalRuleFields
	Stored    ApprovalTerms     `json:"-" db:"terms"`
	Sentences []string          `json:"sentences" db:"-" nullable:"false" doc:"The branches in plain words."`
	Warnings  []ApprovalWarning `json:"warnings" db:"-" nullable:"false" doc:"Whom today's organisation does not have. In answers about one rule; lists leave it empty."`
	Origin    map[string]any    `json:"origin" db:"origin" nullable:"false" doc:"Who made it: by hand, or a pack."`
	CreatedAt time.Time         `json:"created_at" db:"created_at"`
	UpdatedAt time.Time         `json:"updated_at" db:"updated_at"`
	Version   int               `json:"version" db:"version"`
}

// ApprovalWarning is something of a rule that works, and leads to a fallback as things are today.
type ApprovalWarning struct {
	Pointer string `json:"pointer" example:"#/branches/0/outcome/stages/0/groups/0/approvers/0"`
	Code    string `json:"code" example:"names_nobody"`
	Detail  string `json:"detail"`
}

// New is a rule to be made. Without Origin it is made by hand.
type New struct {
	ApprovalRuleFields
	Origin map[string]any
}

func (r ApprovalRule) subject() audit.Subject {
	return audit.Subject{Type: "approval_rule", ID: r.ID, Display: r.Name}
}

// shown completes what was read.
func (r *ApprovalRule) shown() {
	r.ApprovalTerms = r.Stored
	r.Warnings, r.Sentences = []ApprovalWarning{}, sentences(r.Branches)
	r.fillLists()
}

func sentences(branches []ApprovalBranch) []string {
	said := make([]string, len(branches))
	for i, b := range branches {
		who := "otherwise"
		if i == 0 {
			who = "always"
		}
		if b.When != nil {
			parsed, _ := b.When.parse()
			who = "if " + parsed.Sentence()
		}
		said[i] = who + ": " + b.Outcome.say()
	}
	return said
}

// ready is the rule as it is gone through.
func (f ApprovalRuleFields) ready(id string, version int) *rule {
	r := &rule{
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

// fill says what is meant where a rule says nothing.
func (f *ApprovalRuleFields) fill() {
	if f.Priority == 0 {
		f.Priority = 100
	}
	f.fillLists()
	f.ApprovalTerms.fill()
	for i := range f.Branches {
		for j := range f.Branches[i].Outcome.Stages {
			f.Branches[i].Outcome.Stages[j].fill()
		}
	}
}

func (f *ApprovalRuleFields) fillLists() {
	a := &f.AppliesTo
	a.RoleIDs, a.EntitlementIDs, a.ConnectorIDs = once(a.RoleIDs), once(a.EntitlementIDs), once(a.ConnectorIDs)
	a.RiskLevels, a.Tags, a.RequestKinds = once(a.RiskLevels), once(a.Tags), once(a.RequestKinds)
	f.Branches = given(f.Branches)
	if f.Labels == nil {
		f.Labels = map[string]string{}
	}
}
