package accesspolicy

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// orEmpty is the companion, or one without anything.
func (c *PolicyCompanion) orEmpty() PolicyCompanion {
	if c == nil {
		return PolicyCompanion{}
	}
	return *c
}

// completeCompanion sorts the companion, and returns what is wrong with it and with what else the effect require says.
// An empty one becomes nil.
func (f *Fields) completeCompanion() (wrong []fault.Field) {
	if f.Companion != nil {
		c := PolicyCompanion{Distinct(f.Companion.RoleIDs), Distinct(f.Companion.EntitlementIDs)}
		f.Companion = &c
		if len(c.IDs()) == 0 {
			f.Companion = nil
		}
	}
	switch {
	case f.Effect != Require && f.Companion != nil:
		wrong = append(wrong, fault.Field{Pointer: "#/companion", Code: "invalid",
			Detail: "only a policy with the effect require has a companion"})
	case f.Effect == Require && f.Companion == nil && f.Constraints.NeedsTraining == nil && !f.Constraints.NeedsManager:
		wrong = append(wrong, fault.Field{Pointer: "#/companion", Code: "required",
			Detail: "name what people must have: roles, entitlements, a training or a manager"})
	}
	return wrong
}

// needs are what the triggers must watch for the policy: what its condition reads, and what people hold if it requires
// something of them.
func (f Fields) needs(parsed condition.Condition) []string {
	needs := needsOf(parsed)
	if f.Effect == Require {
		needs = append(needs, "holdings")
	}
	return needs
}
