package approval

import (
	"fmt"
	"strings"
)

// say is an outcome in plain words.
func (o ApprovalOutcome) say() string {
	switch o.Kind {
	case AutoApprove:
		return "approved at once"
	case AutoReject:
		return "refused, because " + o.Reason
	case useRule:
		return "by another rule"
	}
	stages := make([]string, len(o.Stages))
	for i, s := range o.Stages {
		stages[i] = s.say()
	}
	return strings.Join(stages, ", then ")
}

func (s ApprovalStage) say() string {
	groups := make([]string, len(s.Groups))
	for i, g := range s.Groups {
		groups[i] = g.say()
	}
	return strings.Join(groups, " and ")
}

func (g ApproverGroup) say() string {
	names := make([]string, len(g.Approvers))
	for i, r := range g.Approvers {
		names[i] = r.say()
	}
	switch {
	case g.Mode == modeQuorum:
		return fmt.Sprintf("%d of %s", g.Quorum, strings.Join(names, ", "))
	case g.Mode == modeAll && len(names) > 1:
		return "all of " + strings.Join(names, ", ")
	case g.Mode == modeAll:
		return "all: " + names[0]
	}
	return strings.Join(names, " or ")
}

func (r ApproverResolver) say() string {
	switch r.Kind {
	case byManager:
		if r.Level > 1 {
			return fmt.Sprintf("the manager %d levels up", r.Level)
		}
		return "the manager"
	case byRoleOwner:
		return "an owner of the role"
	case byEntitlementOwner:
		return "an owner of the entitlement"
	case byConnectorOwner:
		return "an owner of the system"
	case byResourceOwner:
		return "an owner of the requested resource"
	case bySponsor:
		return "the sponsor"
	case byIdentity:
		return "a person named by the rule"
	case byGroup:
		return "holders of a role"
	case byAppRole:
		return display(r.AppRole)
	case byExpression:
		return "the result of an expression"
	case byChoice:
		return "whom the requester chooses"
	case byOnCall:
		return "the person on call"
	}
	return r.Kind
}
