package approval

import (
	"fmt"
	"strings"
)

// Sentence says in words who is asked.
func (s ApprovalStage) Sentence() string {
	groups := make([]string, len(s.Groups))
	for i, g := range s.Groups {
		groups[i] = g.sentence()
	}
	return strings.Join(groups, " and ")
}

// sentence says in words who decides, such as "2 of the manager, the sponsor".
func (g ApproverGroup) sentence() string {
	names := make([]string, len(g.Approvers))
	for i, r := range g.Approvers {
		names[i] = r.sentence()
	}
	switch {
	case g.Mode == ModeQuorum:
		return fmt.Sprintf("%d of %s", g.Quorum, strings.Join(names, ", "))
	case g.Mode == ModeAll && len(names) > 1:
		return "all of " + strings.Join(names, ", ")
	case g.Mode == ModeAll:
		return "all: " + names[0]
	}
	return strings.Join(names, " or ")
}

// sentence says in words whom the resolver finds.
func (r ApproverResolver) sentence() string {
	switch r.Kind {
	case ByManager:
		if r.Level > 1 {
			return fmt.Sprintf("the manager %d levels up", r.Level)
		}
		return "the manager"
	case ByRoleOwner:
		return "an owner of the role"
	case ByEntitlementOwner:
		return "an owner of the entitlement"
	case ByConnectorOwner:
		return "an owner of the system"
	case ByResourceOwner:
		return "an owner of the requested resource"
	case BySponsor:
		return "the sponsor"
	case ByIdentity:
		return "a person named by the rule"
	case ByGroup:
		return "holders of a role"
	case ByAppRole:
		return RoleName(r.AppRole)
	case ByExpression:
		return "the result of an expression"
	case ByChoice:
		return "whom the requester chooses"
	case ByOnCall:
		return "the person on call"
	}
	return r.Kind
}
