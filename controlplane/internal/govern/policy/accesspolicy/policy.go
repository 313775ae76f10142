package accesspolicy

import (
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Modes and effects of a policy.
const (
	Shadow  = "shadow"  // it is evaluated and changes nothing
	Enforce = "enforce" // what it says is done
	Assign  = "assign"  // whoever it is about is given the resources
	Deny    = "deny"    // they may not hold them, whatever else gives them
)

// What becomes of access that no longer follows from who somebody is.
const (
	EndNow = "end_now"
	Grace  = "grace"
)

// PolicyFields are what may be written of a policy.
type PolicyFields struct {
	Name           string          `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	Description    string          `json:"description" db:"description" required:"false" maxLength:"4000"`
	Enabled        bool            `json:"enabled" db:"enabled" required:"false" doc:"One that is not is as if it were not there: what it gave ends. true when a policy is made without it."`
	Mode           string          `json:"mode" db:"mode" required:"false" enum:"shadow,enforce" doc:"The default is shadow: the policy is evaluated and changes nothing."`
	Effect         string          `json:"effect" db:"effect" required:"false" enum:"assign,deny" doc:"assign grants the resources; deny forbids them, whatever else grants them."`
	Birthright     bool            `json:"birthright" db:"birthright" required:"false" doc:"What it assigns is a birthright: it comes with being who one is."`
	Priority       int             `json:"priority" db:"priority" required:"false" minimum:"1" maximum:"1000" doc:"For the reader's order; all policies that match count."`
	OwnerIDs       []string        `json:"owner_ids" db:"owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	Subject        Subject         `json:"subject" db:"subject" required:"false" doc:"Who the policy applies to, as a condition. See POST /policies/conditions/validate."`
	Resources      Resources       `json:"resources" db:"resources" required:"false"`
	Lifecycle      Lifecycle       `json:"lifecycle" db:"lifecycle" required:"false"`
	CircuitBreaker *CircuitBreaker `json:"circuit_breaker" db:"breaker" required:"false" doc:"null: none."`
}

// PolicySubject is a condition as it is sent and stored.
type PolicySubject map[string]any

// PolicyResources are what a policy gives or denies.
type PolicyResources struct {
	RoleIDs        []string `json:"role_ids" required:"false" nullable:"false" maxItems:"200" format:"uuid" doc:"All that these roles hold, now and whenever they change."`
	EntitlementIDs []string `json:"entitlement_ids" required:"false" nullable:"false" maxItems:"1000" format:"uuid"`
	ConnectorIDs   []string `json:"connector_ids" required:"false" nullable:"false" maxItems:"200" format:"uuid" doc:"An account of the system and nothing more; with deny: nothing of it."`
}

// PolicyLifecycle says in which states of a person a policy applies, and what becomes of access when it no longer does.
type PolicyLifecycle struct {
	When      []string `json:"when" required:"false" nullable:"false" maxItems:"4" enum:"pre_hire,active,on_leave,notice" doc:"The default, also for an empty list, is all four."`
	LeadTime  *string  `json:"lead_time" required:"false" maxLength:"64" doc:"How long before their start date a pre-hire's access begins, in ISO 8601; null: as in the tenant's lifecycle policy." example:"P2D"`
	OnNoMatch string   `json:"on_no_match" required:"false" enum:"end_now,grace" doc:"What happens to access when a person no longer matches."`
	Grace     *string  `json:"grace" required:"false" maxLength:"64" doc:"With grace, how long it stays, in ISO 8601; null: as in the tenant's lifecycle policy for movers." example:"P14D"`
}

// PolicyBreaker stops a policy that changes too much.
type PolicyBreaker struct {
	MaxChanges int    `json:"max_changes" minimum:"1" maximum:"1000000" doc:"How many reasons it may give and take within the window."`
	Window     string `json:"window" maxLength:"64" doc:"An ISO 8601 duration, PT1M to P30D." example:"PT1H"`
}

// Schema is that of a breaker, or null.
func (PolicyBreaker) Schema(r huma.Registry) *huma.Schema {
	type plain PolicyBreaker
	s := *huma.SchemaFromType(r, reflect.TypeFor[plain]())
	s.Nullable = true
	return &s
}

// PolicyStats are what the last look at everybody has found.
type PolicyStats struct {
	Matched    int `json:"matched" doc:"The number of people whom the policy applies to."`
	WouldGrant int `json:"would_grant" doc:"Reasons that it would give, were it enforced."`
	WouldEnd   int `json:"would_end" doc:"Reasons of it that would end."`
	Withheld   int `json:"withheld" doc:"Reasons that the policy does not add again, because they were revoked at this version."`
	Warnings   int `json:"warnings" doc:"People for whom a rule could not be answered, and counted as false."`
}

// PolicyProgress is how far the look at everybody has come.
type PolicyProgress struct {
	State      string     `json:"state" enum:"idle,waiting,running"`
	Done       int        `json:"done" doc:"People who have been looked at."`
	Total      int        `json:"total"`
	FinishedAt *time.Time `json:"finished_at" doc:"When everybody was last looked at."`
}

// AccessPolicy is a policy as the API shows it.
type AccessPolicy struct {
	ID string `json:"id" db:"id"`
	Fields
	Sentence      string         `json:"sentence" db:"-" doc:"Who the policy applies to, in words." example:"department is Nursing or Surgery, and employment type is employee"`
	TrippedAt     *time.Time     `json:"tripped_at" db:"tripped_at" doc:"When its breaker stopped it; nothing of it is applied until that is accepted."`
	TrippedReason *string        `json:"tripped_reason" db:"breaker_reason"`
	Stats         Stats          `json:"stats" db:"stats"`
	EvaluatedAt   *time.Time     `json:"last_evaluated_at" db:"evaluated_at" doc:"When stats were found."`
	HolderCount   int64          `json:"holder_count" db:"-" doc:"People with a current reason from it."`
	Evaluation    Evaluation     `json:"evaluation" db:"-"`
	Origin        map[string]any `json:"origin" db:"origin" nullable:"false" doc:"Who made it: by hand, or a pack."`
	CreatedAt     time.Time      `json:"created_at" db:"created_at"`
	UpdatedAt     time.Time      `json:"updated_at" db:"updated_at"`
	Version       int            `json:"version" db:"version"`
	Needs         []string       `json:"-" db:"needs"`
}

// New is a policy to be made. Without Origin it is made by hand.
type New struct {
	Fields
	Origin map[string]any
}

// Applies reports whether the policy changes anything: it is enabled and enforced.
func (f Fields) Applies() bool { return f.Enabled && f.Mode == Enforce }
