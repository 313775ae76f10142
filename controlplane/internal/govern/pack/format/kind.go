package format

import (
	"encoding/json"
	"slices"
)

// The kinds of object, by the names of the API, in the order in which they are installed.
const (
	KindDutyTag               = "duty_tag"
	KindFieldMapping          = "field_mapping"
	KindRole                  = "role"
	KindBirthright            = "birthright"
	KindAccessGrantPolicy     = "access_grant_policy"
	KindLifecyclePolicy       = "lifecycle_policy"
	KindMitigationPolicy      = "mitigation_policy"
	KindRoleDuty              = "role_duty" // the duty of a role that a side of a policy names
	KindSodPolicy             = "sod_policy"
	KindCertificationTemplate = "certification_template"
	KindApprovalRule          = "approval_rule"
	KindReportSection         = "report_section"
)

// Why objects of a kind are kept with the installation and not installed: the service does not have yet what they are
// for.
const (
	KeptUntilReviews = "kept_until_reviews"
	KeptUntilReports = "kept_until_reports"
)

// Kind is a kind of object with the member of pack.yaml that lists it.
type Kind struct {
	Name, Member string
	Kept         string // why its objects are only kept; empty: they are installed
}

// Kinds are all of them in the order in which they are installed.
func Kinds() []Kind {
	return []Kind{
		{Name: KindDutyTag, Member: "dutyTags"},
		{Name: KindFieldMapping, Member: "fieldMappings"},
		{Name: KindRole, Member: "roles"},
		{Name: KindBirthright, Member: "birthrights"},
		{Name: KindAccessGrantPolicy, Member: "accessGrantPolicies"},
		{Name: KindLifecyclePolicy, Member: "lifecyclePolicies"},
		{Name: KindMitigationPolicy, Member: "mitigationPolicies"}, // before the policies that name them
		{Name: KindSodPolicy, Member: "sodPolicies"},
		{Name: KindCertificationTemplate, Member: "certificationTemplates", Kept: KeptUntilReviews},
		{Name: KindApprovalRule, Member: "approvalRules"},
		{Name: KindReportSection, Member: "reportSections", Kept: KeptUntilReports},
	}
}

// Object is one object of a pack.
type Object struct {
	// Kind of object by its name in the API, such as role.
	Kind string `json:"kind"`
	// Key of the object, unique among the objects of its kind in the pack.
	Key string `json:"object_key"`
	// Object as the pack has it, after parameters were filled in.
	Content json.RawMessage `json:"content"`
	// Why objects of this kind are only kept; empty: they are installed.
	Kept string `json:"-"`
}

// Objects are all objects of a pack in the order in which they are installed.
func (p Pack) Objects() ([]Object, error) {
	var out []Object
	for _, k := range Kinds() {
		if k.Name == KindSodPolicy {
			duties, err := p.roleDuties()
			if err != nil {
				return nil, err
			}
			out = append(out, duties...)
		}
		for _, raw := range p.Raw[k.Member] {
			o := Object{Kind: k.Name, Kept: k.Kept}
			switch v := raw.(type) {
			case string:
				o.Key = v
			case map[string]any:
				o.Key, _ = v["key"].(string)
			}
			var err error
			if o.Content, err = json.Marshal(raw); err != nil {
				return nil, err
			}
			out = append(out, o)
		}
	}
	return out, nil
}

// roleDuties are the duties of the roles that sides of policies name, in the order of the roles. The pack has no list
// of them.
func (p Pack) roleDuties() (out []Object, err error) {
	for _, r := range p.Roles {
		named := slices.ContainsFunc(p.SodPolicies, func(s SodPolicy) bool {
			return slices.ContainsFunc(s.Sides, func(side Side) bool { return slices.Contains(side.Roles, r.Key) })
		})
		if !named {
			continue
		}
		o := Object{Kind: KindRoleDuty, Key: r.Key}
		if o.Content, err = json.Marshal(map[string]any{"key": r.Key, "name": "Role: " + r.Name}); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// Contents counts the objects by kind.
func (p Pack) Contents() map[string]int {
	out := map[string]int{}
	for _, k := range Kinds() {
		if n := len(p.Raw[k.Member]); n > 0 {
			out[k.Name] = n
		}
	}
	return out
}
