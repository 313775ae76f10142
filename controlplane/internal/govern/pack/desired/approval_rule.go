package desired

import (
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	approvalrule "github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// approver is what a pack's word for an approver means in an approval rule.
type approver struct {
	name     string
	resolver approval.ApproverResolver
}

// approvers are the words for approvers that a pack may use.
var approvers = map[string]approver{
	"manager":          {"Manager", approval.ApproverResolver{Kind: "manager", Level: 1}},
	"managers_manager": {"Manager's manager", approval.ApproverResolver{Kind: "manager", Level: 2}},
	"role_owner":       {"Role owner", approval.ApproverResolver{Kind: "role_owner"}},
	"resource_owner":   {"Owner", approval.ApproverResolver{Kind: "resource_owner"}},
	"sponsor":          {"Sponsor", approval.ApproverResolver{Kind: "sponsor"}},
	"admin":            {"Administrator", approval.ApproverResolver{Kind: "app_role", AppRole: "admin"}},
}

// ApprovalRule is what a pack wants of an approval rule. roles are the ids of the pack's roles by their keys; a role
// without an id is pending with the reason role_conflict.
func ApprovalRule(r format.ApprovalRule, roles map[string]string) (State, error) {
	w := State{Pending: []installation.PendingBinding{}}
	ids := []string{}
	for _, key := range r.Roles {
		if id, ok := roles[key]; ok {
			ids = append(ids, id)
		} else {
			w.Pending = append(w.Pending, installation.PendingBinding{Role: key, Reason: "role_conflict"})
		}
	}
	rule := approvalrule.Complete(approvalrule.ApprovalRuleFields{Branches: []approvalrule.ApprovalBranch{
		{Outcome: approvalrule.ApprovalOutcome{Kind: approval.Chain, Stages: stagesOf(r)}}}})
	var err error
	w.Fields, err = merge.Fields{
		"name":        r.Name,
		"description": r.Description,
		"role_ids":    merge.Distinct(ids),
		"default":     len(r.Roles) == 0,
		"branches":    rule.Branches,
		"request_ttl": openFor(r, rule.RequestTTL),
	}.Normal()
	return w, err
}

// stagesOf are the stages of an approval rule. Each stage has one group, any member of which
// decides, and is named after its approvers.
func stagesOf(r format.ApprovalRule) []approval.ApprovalStage {
	stages := make([]approval.ApprovalStage, len(r.Stages))
	for i, s := range r.Stages {
		names, group := []string{}, approval.ApproverGroup{}
		for _, word := range s.Approvers {
			names, group.Approvers = append(
				names,
				approvers[word].name,
			), append(
				group.Approvers,
				approvers[word].resolver,
			)
		}
		stages[i] = approval.ApprovalStage{
			Name:          strings.Join(names, " or "),
			Groups:        []approval.ApproverGroup{group},
			RespondWithin: r.RespondWithin,
		}
	}
	return stages
}

// openFor is how long a request stays open by the rule: the usual time, or longer where its steps take longer. They are
// counted twice, since they are working time.
func openFor(r format.ApprovalRule, usual string) string {
	each, _ := span.Parse(r.RespondWithin)
	least, _ := span.Parse(usual)
	return span.Format(min(max(least, 2*each*time.Duration(len(r.Stages))), 365*span.Day))
}
