package accesspolicy

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// ReadRoleCondition reads the condition of a role, for package role, which does not know the language of conditions.
func ReadRoleCondition(c role.RoleCondition) (out role.ReadCondition) {
	parsed, problems := Subject(c).Parse()
	for _, p := range problems {
		out.Wrong = append(out.Wrong, fault.Field{Pointer: p.Pointer, Code: p.Code, Detail: Explain(p)})
	}
	if len(problems) > 0 {
		return out
	}
	n, err := Normal(parsed)
	if err != nil {
		out.Wrong = []fault.Field{{Pointer: "#", Code: "malformed", Detail: "it cannot be written"}}
		return out
	}
	out.Normal, out.Sentence, out.Needs = role.RoleCondition(n), parsed.Sentence(), needsOf(parsed)
	return out
}

// Explain says what is wrong with a condition, and what was perhaps meant.
func Explain(p condition.Problem) string {
	detail := p.Detail
	for i, s := range p.Suggestions {
		if i == 0 {
			detail += "; did you mean " + s
		} else {
			detail += ", " + s
		}
	}
	if len(p.Suggestions) > 0 {
		detail += "?"
	}
	return detail
}
