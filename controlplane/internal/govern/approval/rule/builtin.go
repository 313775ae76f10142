package rule

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

// builtIn is what holds where the tenant has no rule: the manager, and for what is risky its owner too.
func builtIn() *Rule {
	first := approval.ApprovalStage{
		Name: "Manager",
		Groups: []approval.ApproverGroup{
			{Approvers: []approval.ApproverResolver{{Kind: approval.ByManager, Level: 1}}},
		},
	}
	second := approval.ApprovalStage{
		Name:   "Owner",
		Groups: []approval.ApproverGroup{{Approvers: []approval.ApproverResolver{{Kind: approval.ByResourceOwner}}}},
	}
	first.Fill()
	second.Fill()
	risky := ApprovalCondition{"field": "item.risk_level", "op": "in", "value": []any{"high", "critical"}}
	r := &Rule{
		Name:    "Built-in rule",
		Version: 1,
		Enabled: true,
		Applies: ApprovalScope{Default: true},
		Branches: []ApprovalBranch{
			{
				When:    &risky,
				Outcome: ApprovalOutcome{Kind: approval.Chain, Stages: []approval.ApprovalStage{first, second}},
			},
			{Outcome: ApprovalOutcome{Kind: approval.Chain, Stages: []approval.ApprovalStage{first}}},
		},
	}
	r.Terms.fill()
	r.read()
	return r
}
