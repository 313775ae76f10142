package constraint_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/constraint"
)

func text(s string) *string { return &s }

func TestWhatAPersonLacksIsNamed(t *testing.T) {
	c := constraint.PolicyConstraints{
		EmploymentTypes: []string{"intern", "employee"}, Countries: []string{"CH", "DE", "AT"},
		NeedsTraining: text(" GDPR 2026 "), NeedsManager: true,
	}
	if wrong := c.Complete(false, true); len(wrong) > 0 {
		t.Fatal(wrong)
	}
	met := map[string]any{
		"employment_type": "employee", "country": "ch", "manager": map[string]any{"id": "m"},
		"attributes": map[string]any{"trainings": []any{"Fire", "gdpr 2026"}},
	}
	if unmet := c.Unmet(met); len(unmet) > 0 {
		t.Errorf("who meets all: %v", unmet)
	}
	want := []string{
		"the employment type must be employee or intern", "the country must be AT, CH or DE",
		"the training GDPR 2026 is required", "a manager is required",
	}
	for _, fields := range []map[string]any{
		{},
		{"employment_type": nil, "country": "FR", "manager": nil, "attributes": map[string]any{"trainings": "GDPR 2026"}},
	} {
		if diff := cmp.Diff(want, c.Unmet(fields)); diff != "" {
			t.Errorf("%v: -want +got\n%s", fields, diff)
		}
	}
	if unmet := (constraint.PolicyConstraints{}).Unmet(nil); len(unmet) > 0 {
		t.Errorf("without constraints: %v", unmet)
	}
}

func TestConstraintsFitTheirEffect(t *testing.T) {
	pointers := func(c constraint.PolicyConstraints, requests, people bool) []string {
		out := []string{}
		for _, f := range c.Complete(requests, people) {
			out = append(out, f.Pointer)
		}
		return out
	}
	all := constraint.PolicyConstraints{
		MaxDuration: text("P30D"), RequiresMFA: true, RequiresJustification: true, RequiresExternalReference: true,
		EmploymentTypes: []string{"employee"}, Countries: []string{"CH"}, NeedsTraining: text("x"), NeedsManager: true,
	}
	terms := []string{
		"/max_duration", "/requires_external_reference", "/requires_justification", "/requires_mfa",
	}
	people := []string{"/countries", "/employment_types", "/needs_manager", "/needs_training"}
	for _, c := range []struct {
		requests, people bool
		want             []string
	}{{true, true, []string{}}, {false, true, terms}, {true, false, people}} {
		if diff := cmp.Diff(c.want, pointers(all, c.requests, c.people)); diff != "" {
			t.Errorf("%+v: -want +got\n%s", c, diff)
		}
	}
	wrong := constraint.PolicyConstraints{MaxDuration: text("P0D"), EmploymentTypes: []string{"boss"}}
	if diff := cmp.Diff([]string{"/employment_types", "/max_duration"}, pointers(wrong, true, true)); diff != "" {
		t.Errorf("values: -want +got\n%s", diff)
	}
}
