package policy

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
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
	Name        string `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	Description string `json:"description" db:"description" required:"false" maxLength:"4000"`
	// One that is not is as if it were not there: what it gave ends. true when a policy is made without it.
	Enabled bool `json:"enabled" db:"enabled" required:"false"`
	// The default is shadow: the policy is evaluated and changes nothing.
	Mode string `json:"mode" db:"mode" required:"false" enum:"shadow,enforce"`
	// assign grants the resources; deny forbids them, whatever else grants them.
	Effect string `json:"effect" db:"effect" required:"false" enum:"assign,deny"`
	// What it assigns is a birthright: it comes with being who one is.
	Birthright bool `json:"birthright" db:"birthright" required:"false"`
	// For the reader's order; all policies that match count.
	Priority int      `json:"priority" db:"priority" required:"false" minimum:"1" maximum:"1000"`
	OwnerIDs []string `json:"owner_ids" db:"owner_ids" required:"false" nullable:"false" maxItems:"50" format:"uuid"`
	// Who the policy applies to, as a condition. See POST /policies/conditions/validate.
	Subject   Subject   `json:"subject" db:"subject" required:"false"`
	Resources Resources `json:"resources" db:"resources" required:"false"`
	Lifecycle Lifecycle `json:"lifecycle" db:"lifecycle" required:"false"`
	// null: none.
	CircuitBreaker *CircuitBreaker `json:"circuit_breaker" db:"breaker" required:"false"`
}

// PolicySubject is a condition as it is sent and stored.
type PolicySubject map[string]any

// PolicyResources are what a policy gives or denies.
type PolicyResources struct {
	// All that these roles hold, now and whenever they change.
	RoleIDs        []string `json:"role_ids" required:"false" nullable:"false" maxItems:"200" format:"uuid"`
	EntitlementIDs []string `json:"entitlement_ids" required:"false" nullable:"false" maxItems:"1000" format:"uuid"`
	// An account of the system and nothing more; with deny: nothing of it.
	ConnectorIDs []string `json:"connector_ids" required:"false" nullable:"false" maxItems:"200" format:"uuid"`
}

// PolicyLifecycle says in which states of a person a policy applies, and what becomes of access when it no longer does.
type PolicyLifecycle struct {
	// The default, also for an empty list, is all four.
	When []string `json:"when" required:"false" nullable:"false" maxItems:"4" enum:"pre_hire,active,on_leave,notice"`
	// How long before their start date a pre-hire's access begins, in ISO 8601; null: as in the tenant's lifecycle
	// policy.
	LeadTime *string `json:"lead_time" required:"false" maxLength:"64" example:"P2D"`
	// What happens to access when a person no longer matches.
	OnNoMatch string `json:"on_no_match" required:"false" enum:"end_now,grace"`
	// With grace, how long it stays, in ISO 8601; null: as in the tenant's lifecycle policy for movers.
	Grace *string `json:"grace" required:"false" maxLength:"64" example:"P14D"`
}

// PolicyBreaker stops a policy that changes too much.
type PolicyBreaker struct {
	// How many reasons it may give and take within the window.
	MaxChanges int `json:"max_changes" minimum:"1" maximum:"1000000"`
	// An ISO 8601 duration, PT1M to P30D.
	Window string `json:"window" maxLength:"64" example:"PT1H"`
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
	// The number of people whom the policy applies to.
	Matched int `json:"matched"`
	// Reasons that it would give, were it enforced.
	WouldGrant int `json:"would_grant"`
	// Reasons of it that would end.
	WouldEnd int `json:"would_end"`
	// Reasons that the policy does not add again, because they were revoked at this version.
	Withheld int `json:"withheld"`
	// People for whom a rule could not be answered, and counted as false.
	Warnings int `json:"warnings"`
}

// PolicyProgress is how far the look at everybody has come.
type PolicyProgress struct {
	State string `json:"state" enum:"idle,waiting,running"`
	// People who have been looked at.
	Done  int `json:"done"`
	Total int `json:"total"`
	// When everybody was last looked at.
	FinishedAt *time.Time `json:"finished_at"`
}

// AccessPolicy is a policy as the API shows it.
type AccessPolicy struct {
	ID string `json:"id" db:"id"`
	Fields
	// Who the policy applies to, in words.
	Sentence string `json:"sentence" db:"-" example:"department is Nursing or Surgery, and employment type is employee"`
	// When its breaker stopped it; nothing of it is applied until that is accepted.
	TrippedAt     *time.Time `json:"tripped_at" db:"tripped_at"`
	TrippedReason *string    `json:"tripped_reason" db:"breaker_reason"`
	Stats         Stats      `json:"stats" db:"stats"`
	// When stats were found.
	EvaluatedAt *time.Time `json:"last_evaluated_at" db:"evaluated_at"`
	// People with a current reason from it.
	HolderCount int64      `json:"holder_count" db:"-"`
	Evaluation  Evaluation `json:"evaluation" db:"-"`
	// Who made it: by hand, or a pack.
	Origin    map[string]any `json:"origin" db:"origin" nullable:"false"`
	CreatedAt time.Time      `json:"created_at" db:"created_at"`
	UpdatedAt time.Time      `json:"updated_at" db:"updated_at"`
	Version   int            `json:"version" db:"version"`
	Needs     []string       `json:"-" db:"needs"`
}

// New is a policy to be made. Without Origin it is made by hand.
type New struct {
	Fields
	Origin map[string]any
}

// states are those in which somebody can hold anything.
var states = []string{"pre_hire", "active", "on_leave", "notice"}

// complete fills in what was left out and checks the rest. parsed is the condition.
func (f *Fields) complete() (parsed condition.Condition, err error) {
	f.fill()
	var wrong []fault.Field
	refuse := func(pointer, code, format string, args ...any) {
		wrong = append(wrong, fault.Field{Pointer: pointer, Code: code, Detail: fmt.Sprintf(format, args...)})
	}
	if strings.TrimSpace(f.Name) == "" {
		refuse("#/name", "required", "describe its purpose")
	}
	if !slices.Contains([]string{Shadow, Enforce}, f.Mode) {
		refuse("#/mode", "invalid", "shadow or enforce")
	}
	if !slices.Contains([]string{Assign, Deny}, f.Effect) {
		refuse("#/effect", "invalid", "assign or deny")
	}
	if f.Birthright && f.Effect == Deny {
		refuse("#/birthright", "invalid", "a birthright assigns; what denies is none")
	}
	if len(f.Resources.RoleIDs)+len(f.Resources.EntitlementIDs)+len(f.Resources.ConnectorIDs) == 0 {
		refuse("#/resources", "required", "name roles, entitlements or connectors")
	}
	for _, w := range f.Lifecycle.When {
		if !slices.Contains(states, w) {
			refuse("#/lifecycle/when", "invalid", "%s", strings.Join(states, ", "))
		}
	}
	if !slices.Contains([]string{EndNow, Grace}, f.Lifecycle.OnNoMatch) {
		refuse("#/lifecycle/on_no_match", "invalid", "end_now or grace")
	}
	for pointer, text := range map[string]*string{"#/lifecycle/lead_time": f.Lifecycle.LeadTime,
		"#/lifecycle/grace": f.Lifecycle.Grace} {
		if text == nil {
			continue
		}
		if _, err := span.Parse(*text); err != nil {
			refuse(pointer, "invalid", "%s", err)
		}
	}
	if b := f.CircuitBreaker; b != nil {
		if window, err := span.Parse(b.Window); err != nil || window < time.Minute || window > 30*span.Day {
			refuse("#/circuit_breaker/window", "invalid", "an ISO 8601 duration from PT1M to P30D")
		}
		if b.MaxChanges < 1 {
			refuse("#/circuit_breaker/max_changes", "invalid", "at least 1")
		}
	}
	parsed, problems := f.Subject.parse()
	for _, p := range problems {
		refuse("#/subject"+strings.TrimPrefix(p.Pointer, "#"), p.Code, "%s", told(p))
	}
	if len(wrong) > 0 {
		return parsed, fault.New(fault.Invalid, "this policy cannot be kept: %s", wrong[0].Detail).With(wrong...)
	}
	f.Subject, err = normal(parsed)
	return parsed, err
}

func (f *Fields) fill() {
	if f.Mode == "" {
		f.Mode = Shadow
	}
	if f.Effect == "" {
		f.Effect = Assign
	}
	if f.Priority == 0 {
		f.Priority = 100
	}
	if f.Lifecycle.OnNoMatch == "" {
		f.Lifecycle.OnNoMatch = Grace
	}
	f.OwnerIDs = once(f.OwnerIDs)
	f.Resources.RoleIDs, f.Resources.EntitlementIDs, f.Resources.ConnectorIDs = once(f.Resources.RoleIDs), once(
		f.Resources.EntitlementIDs,
	), once(f.Resources.ConnectorIDs)
	if len(f.Lifecycle.When) == 0 {
		f.Lifecycle.When = slices.Clone(states)
	}
}

// once sorts ids, each once. It never gives nil, which JSON would write as null.
func once(ids []string) []string {
	sorted := append([]string{}, ids...)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

func (s Subject) parse() (condition.Condition, []condition.Problem) {
	if len(s) == 0 {
		return condition.Condition{}, []condition.Problem{
			{
				Pointer:     "#",
				Code:        "required",
				Detail:      `a condition is required; {"match": "all", "rules": []} matches all people`,
				Suggestions: []string{},
			},
		}
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return condition.Condition{}, []condition.Problem{
			{Pointer: "#", Code: "malformed", Detail: "it is no JSON", Suggestions: []string{}},
		}
	}
	return condition.Parse(raw)
}

func normal(c condition.Condition) (Subject, error) {
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("write condition: %w", err)
	}
	var s Subject
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("write condition: %w", err)
	}
	return s, nil
}

// needsOf are what the triggers must watch for a condition.
func needsOf(c condition.Condition) []string {
	needs, asked := []string{}, c.Needs()
	if len(asked.Managers) > 0 {
		needs = append(needs, "managers")
	}
	if len(asked.Roles)+len(asked.Entitlements) > 0 {
		needs = append(needs, "access")
	}
	if asked.Clock {
		needs = append(needs, "clock")
	}
	return needs
}

// applies says whether the policy changes anything: it is switched on and enforced.
func (f Fields) applies() bool { return f.Enabled && f.Mode == Enforce }
