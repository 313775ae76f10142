package definition

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
)

// SeparationExemptions is a condition on people to whom a policy does not apply, or nil.
type SeparationExemptions map[string]any

// Schema is that of an object with any members, or null.
func (SeparationExemptions) Schema(r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[map[string]any]())
	s.Nullable = true
	return &s
}

// Condition returns the condition. Without exemptions it applies to no one.
func (e SeparationExemptions) Condition() (condition.Condition, []condition.Problem) {
	if e == nil {
		return condition.Condition{}, nil
	}
	raw, err := json.Marshal(map[string]any(e))
	if err != nil {
		return condition.Condition{}, []condition.Problem{
			{Pointer: "#", Code: "malformed", Detail: "it is not valid JSON"},
		}
	}
	return condition.Parse(raw)
}

// checkExemptions brings the condition into its normal form.
func (f *Fields) checkExemptions(wrong *Problems) {
	if len(f.Exemptions) == 0 {
		f.Exemptions = nil
		return
	}
	parsed, problems := f.Exemptions.Condition()
	for _, p := range problems {
		detail := p.Detail
		if len(p.Suggestions) > 0 {
			detail += "; did you mean " + strings.Join(p.Suggestions, ", ") + "?"
		}
		wrong.Add("#/exemptions"+strings.TrimPrefix(p.Pointer, "#"), p.Code, "%s", detail)
	}
	if len(problems) > 0 {
		return
	}
	var normal SeparationExemptions
	raw, err := json.Marshal(parsed)
	if err == nil {
		err = json.Unmarshal(raw, &normal)
	}
	if err != nil {
		wrong.Add("#/exemptions", "malformed", "The condition cannot be written.")
		return
	}
	f.Exemptions = normal
}
