package role

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// Complete fills in what was left out and checks what can be checked without the database.
func (f *RoleFields) Complete() error { return f.complete() }

// complete fills in what was left out and checks what can be checked without the database.
func (f *RoleFields) complete() error {
	f.fill()
	var wrong []fault.Field
	refuse := func(pointer, code, format string, args ...any) {
		wrong = append(wrong, fault.Field{Pointer: pointer, Code: code, Detail: fmt.Sprintf(format, args...)})
	}
	if strings.TrimSpace(f.Name) == "" {
		return fault.New(fault.Invalid, "a role needs a name").
			With(fault.Field{Pointer: "#/name", Code: "required", Detail: "describe what its members do"})
	}
	if f.Requestable && strings.TrimSpace(f.Description) == "" {
		refuse("#/description", "required", "a requestable role needs a description")
	}
	f.checkExclusions(refuse)
	f.checkParameters(refuse)
	f.checkDurations(refuse)
	for list, tags := range map[string][]string{"compliance_tags": f.ComplianceTags, "duty_tags": f.DutyTags} {
		for i, tag := range tags {
			if strings.TrimSpace(tag) == "" || len(tag) > 100 {
				refuse(fmt.Sprintf("#/%s/%d", list, i), "invalid", "a tag has 1 to 100 characters")
			}
		}
	}
	if len(wrong) > 0 {
		return fault.New(fault.Invalid, "The role is invalid: %s", wrong[0].Detail).With(wrong...)
	}
	return nil
}

func (f *RoleFields) fill() {
	if f.RoleType == "" {
		f.RoleType = "business"
	}
	if f.Lifecycle == "" {
		f.Lifecycle = Active
	}
	for _, list := range []*[]string{&f.OwnerIDs, &f.BackupOwnerIDs, &f.EntitlementIDs, &f.ChildRoleIDs,
		&f.ComplianceTags, &f.DutyTags, &f.RuleNeeds} {
		sorted := append([]string{}, *list...)
		slices.Sort(sorted)
		*list = slices.Compact(sorted)
	}
	if f.MembershipExclusions == nil {
		f.MembershipExclusions = []RoleExclusion{}
	}
	if f.Parameters == nil {
		f.Parameters = []RoleParameter{}
	}
	if f.Labels == nil {
		f.Labels = map[string]string{}
	}
}

func (f *RoleFields) checkExclusions(refuse func(pointer, code, format string, args ...any)) {
	seen := map[string]bool{}
	for i, x := range f.MembershipExclusions {
		at := fmt.Sprintf("#/membership_exclusions/%d", i)
		if seen[x.IdentityID] {
			refuse(at+"/identity_id", "duplicate", "the person is excluded twice")
		}
		seen[x.IdentityID] = true
		if strings.TrimSpace(x.Reason) == "" {
			refuse(at+"/reason", "required", "give the reason for the exclusion of this person")
		}
		if x.Until == nil {
			continue
		}
		if _, err := time.Parse(time.DateOnly, *x.Until); err != nil {
			refuse(at+"/until", "invalid", "a day such as 2027-03-31")
		}
	}
	slices.SortFunc(
		f.MembershipExclusions,
		func(a, b RoleExclusion) int { return strings.Compare(a.IdentityID, b.IdentityID) },
	)
}

func (f *RoleFields) checkParameters(refuse func(pointer, code, format string, args ...any)) {
	seen := map[string]bool{}
	for i, p := range f.Parameters {
		at := fmt.Sprintf("#/parameters/%d", i)
		switch {
		case strings.TrimSpace(p.Name) == "":
			refuse(at+"/name", "required", "a parameter needs a name")
		case seen[p.Name]:
			refuse(at+"/name", "duplicate", "there are two parameters of the name %s", p.Name)
		case !slices.Contains([]string{"string", "integer", "boolean", "date"}, p.Type):
			refuse(at+"/type", "invalid", "string, integer, boolean or date")
		case len(p.AllowedValues) > 0 && p.Type != "string":
			refuse(at+"/allowed_values", "invalid", "only a string has allowed values")
		}
		seen[p.Name] = true
	}
}

func (f *RoleFields) checkDurations(refuse func(pointer, code, format string, args ...any)) {
	lengths := map[string]time.Duration{}
	for name, text := range map[string]*string{"max_duration": f.MaxDuration, "default_duration": f.DefaultDuration} {
		if text == nil {
			continue
		}
		d, err := span.Parse(*text)
		switch {
		case err != nil:
			refuse("#/"+name, "invalid", "%s", err)
		case d <= 0:
			refuse("#/"+name, "invalid", "a time of no length gives nothing")
		default:
			lengths[name] = d
		}
	}
	if most, usual := lengths["max_duration"], lengths["default_duration"]; most > 0 && usual > most {
		refuse("#/default_duration", "invalid", "it is longer than max_duration")
	}
}

// CheckParameters is a fault of kind Invalid unless the values are what the role's parameters ask for.
func (f RoleFields) CheckParameters(values map[string]any) error {
	var wrong []fault.Field
	refuse := func(name, code, detail string) {
		wrong = append(wrong, fault.Field{Pointer: "#/parameters/" + name, Code: code, Detail: detail})
	}
	known := map[string]bool{}
	for _, p := range f.Parameters {
		known[p.Name] = true
		v, given := values[p.Name]
		switch {
		case !given || v == nil:
			if p.Required {
				refuse(p.Name, "required", "the role "+f.Name+" asks for it")
			}
		case !p.takes(v):
			detail := "it is a " + p.Type
			if len(p.AllowedValues) > 0 {
				detail = "one of " + strings.Join(p.AllowedValues, ", ")
			}
			refuse(p.Name, "invalid", detail)
		}
	}
	for name := range values {
		if !known[name] {
			refuse(name, "unknown_parameter", "the role "+f.Name+" has no such parameter")
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	slices.SortFunc(wrong, func(a, b fault.Field) int { return strings.Compare(a.Pointer, b.Pointer) })
	return fault.New(fault.Invalid, "The parameters do not match the definition of the role: %s", wrong[0].Detail).
		With(wrong...)
}

func (p RoleParameter) takes(v any) bool {
	switch v := v.(type) {
	case string:
		if p.Type == "date" {
			_, err := time.Parse(time.DateOnly, v)
			return err == nil
		}
		return p.Type == "string" && len(v) <= 1000 &&
			(len(p.AllowedValues) == 0 || slices.Contains(p.AllowedValues, v))
	case bool:
		return p.Type == "boolean"
	case float64:
		return p.Type == "integer" && v == float64(int64(v))
	case int:
		return p.Type == "integer"
	}
	return false
}
