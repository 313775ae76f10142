package organization

import (
	"maps"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resource"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// About is what conditions and expressions may ask of a subject: the beneficiary's facts, and those of the request,
// the item and the requester.
func (o *Organization) About(s approval.Subject, it resource.Item, at time.Time) *fact.Person {
	facts := fact.Person{Identity: map[string]any{}, Day: at}
	if known, ok := o.Facts[s.BeneficiaryID]; ok {
		facts = *known
	}
	requester := map[string]any{
		"id":              textOrNil(s.RequesterID),
		"department":      nil,
		"division":        nil,
		"organization":    nil,
		"location":        nil,
		"country":         nil,
		"title":           nil,
		"job_code":        nil,
		"employment_type": nil,
		"manager_id":      nil,
	}
	if known, ok := o.Facts[s.RequesterID]; ok {
		for name := range requester {
			requester[name] = known.Identity[name]
		}
	}
	thing := map[string]any{
		"type":          it.Type,
		"id":            it.ID,
		"name":          it.Name,
		"kind":          it.Kind,
		"risk_level":    it.Risk,
		"privileged":    it.Privileged,
		"tags":          anys(it.Tags),
		"connector_ids": anys(it.Connectors),
		"environments":  anys(it.Places),
	}
	days, permanent := daysOf(s, at)
	request := map[string]any{
		"kind":               s.Kind,
		"urgency":            s.Urgency,
		"duration_days":      days,
		"permanent":          permanent,
		"starts_at":          instantOrNil(s.StartsAt),
		"ends_at":            instantOrNil(s.EndsAt),
		"external_reference": textOrNil(s.ExternalReference),
		"for_self":           s.RequesterID != "" && s.RequesterID == s.BeneficiaryID,
		"by_integration":     s.RequesterID == "",
		"item":               thing,
		"requester":          requester,
	}
	facts.Identity = maps.Clone(facts.Identity)
	facts.Identity["request"], facts.Identity["item"], facts.Identity["requester"] = request, thing, requester
	return &facts
}

// daysOf is for how many days it is asked for; nil when it is without an end.
func daysOf(s approval.Subject, at time.Time) (days any, permanent bool) {
	if s.Duration != "" {
		if d, err := span.Parse(s.Duration); err == nil {
			return d.Hours() / 24, false
		}
	}
	if s.EndsAt == nil {
		return nil, true
	}
	if s.StartsAt != nil {
		at = *s.StartsAt
	}
	return s.EndsAt.Sub(at).Hours() / 24, false
}

// textOrNil is the text, or nil for an empty one, as expressions see it.
func textOrNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// instantOrNil is an instant in RFC 3339, or nil.
func instantOrNil(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// anys is the list as expressions see it.
func anys(texts []string) []any {
	list := make([]any, len(texts))
	for i, t := range texts {
		list[i] = t
	}
	return list
}
