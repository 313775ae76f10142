package constraint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// PolicyConstraints are what a policy requires in addition to its condition. The first four are terms of requests, and
// belong to policies with the effect eligible alone.
type PolicyConstraints struct {
	// Longest duration of a request, in ISO 8601. Null: the policy sets no limit.
	MaxDuration *string `json:"max_duration" required:"false" maxLength:"64" example:"P30D"`
	// Whether the requester must have a second factor for sign-in. API tokens have none.
	RequiresMFA bool `json:"requires_mfa" required:"false"`
	// Whether a request needs a justification.
	RequiresJustification bool `json:"requires_justification" required:"false"`
	// Whether a request needs an external reference, such as a ticket number.
	RequiresExternalReference bool `json:"requires_external_reference" required:"false"`
	// Employment types that the person may have. Empty: all.
	EmploymentTypes []string `json:"employment_types" required:"false" nullable:"false" maxItems:"20"`
	// Countries in which the person may work, as in the field country. Empty: all.
	Countries []string `json:"countries" required:"false" nullable:"false" maxItems:"300"`
	// Training that the person must have completed: a member of their attribute trainings. With the effect require, the
	// policy requires it of the people to whom it applies. Null: none.
	NeedsTraining *string `json:"needs_training" required:"false" maxLength:"200" example:"GDPR 2026"`
	// Whether the person must have a manager. With the effect require, the policy requires it of the people to whom it
	// applies.
	NeedsManager bool `json:"needs_manager" required:"false"`
}

// TrainingAttribute is the attribute of a person that lists the trainings that they have completed.
const TrainingAttribute = "trainings"

// employmentTypes are the values of the field.
var employmentTypes = []string{
	"employee", "contractor", "intern", "vendor", "partner", "student", "service", "other",
}

// Complete sorts the lists and returns what is wrong, with pointers relative to the constraints. requests says whether
// the policy says who may request, people whether it can require anything of people.
func (c *PolicyConstraints) Complete(requests, people bool) (wrong []fault.Field) {
	bad := func(member, detail string) {
		wrong = append(wrong, fault.Field{Pointer: "/" + member, Code: "invalid", Detail: detail})
	}
	c.EmploymentTypes, c.Countries = distinct(c.EmploymentTypes), distinct(c.Countries)
	c.NeedsTraining, c.MaxDuration = filled(c.NeedsTraining), filled(c.MaxDuration)
	if c.MaxDuration != nil {
		if d, err := span.Parse(*c.MaxDuration); err != nil || d <= 0 {
			bad("max_duration", "an ISO 8601 duration of more than 0, such as P30D")
		}
	}
	for _, t := range c.EmploymentTypes {
		if !slices.Contains(employmentTypes, t) {
			bad("employment_types", t+" is unknown; use "+strings.Join(employmentTypes, ", "))
		}
	}
	const terms = "this is a term of requests, and needs the effect eligible"
	for member, set := range map[string]bool{
		"max_duration":                c.MaxDuration != nil,
		"requires_mfa":                c.RequiresMFA,
		"requires_justification":      c.RequiresJustification,
		"requires_external_reference": c.RequiresExternalReference,
	} {
		if set && !requests {
			bad(member, terms)
		}
	}
	const whole = "this effect has no constraints on people; use rules of the condition instead"
	for member, set := range map[string]bool{
		"employment_types": len(c.EmploymentTypes) > 0,
		"countries":        len(c.Countries) > 0,
		"needs_training":   c.NeedsTraining != nil,
		"needs_manager":    c.NeedsManager,
	} {
		if set && !people {
			bad(member, whole)
		}
	}
	slices.SortFunc(wrong, func(a, b fault.Field) int { return strings.Compare(a.Pointer, b.Pointer) })
	return wrong
}

// distinct sorts texts without spaces around them, each once.
func distinct(list []string) []string {
	out := []string{}
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// filled is a text that is not blank, or nil.
func filled(s *string) *string {
	if s == nil || strings.TrimSpace(*s) == "" {
		return nil
	}
	text := strings.TrimSpace(*s)
	return &text
}

// Unmet returns what the person lacks, in words. fields are the members of their identity, as conditions read them.
func (c PolicyConstraints) Unmet(fields map[string]any) []string {
	var unmet []string
	among := func(name, field string, allowed []string) {
		value, _ := fields[field].(string)
		is := func(a string) bool { return strings.EqualFold(a, value) }
		if len(allowed) > 0 && !slices.ContainsFunc(allowed, is) {
			unmet = append(unmet, fmt.Sprintf("%s must be %s", name, anyOf(allowed)))
		}
	}
	among("the employment type", "employment_type", c.EmploymentTypes)
	among("the country", "country", c.Countries)
	if c.NeedsTraining != nil && !Trained(fields, *c.NeedsTraining) {
		unmet = append(unmet, "the training "+*c.NeedsTraining+" is required")
	}
	if manager, _ := fields["manager"].(map[string]any); c.NeedsManager && manager == nil {
		unmet = append(unmet, "a manager is required")
	}
	return unmet
}

// Trained reports whether the person has completed a training.
func Trained(fields map[string]any, name string) bool {
	attributes, _ := fields["attributes"].(map[string]any)
	completed, _ := attributes[TrainingAttribute].([]any)
	return slices.ContainsFunc(completed, func(of any) bool {
		text, _ := of.(string)
		return strings.EqualFold(strings.TrimSpace(text), name)
	})
}

// anyOf lists texts: "a, b or c".
func anyOf(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// Longest is the longest duration of a request; 0: no limit.
func (c PolicyConstraints) Longest() time.Duration {
	if c.MaxDuration == nil {
		return 0
	}
	d, err := span.Parse(*c.MaxDuration)
	if err != nil {
		return 0
	}
	return d
}
