package rule

import (
	"encoding/json"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resource"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
)

// Parse reads the condition, with the vocabulary of rules.
func (c ApprovalCondition) Parse() (condition.Condition, []condition.Problem) {
	raw, err := json.Marshal(c)
	if err != nil {
		return condition.Condition{}, []condition.Problem{
			{Pointer: "#", Code: "malformed", Detail: "it is not valid JSON", Suggestions: []string{}},
		}
	}
	return Vocabulary.Parse(raw)
}

// Choosable is the condition that a person must meet whom a requester may choose.
func Choosable(r approval.ApproverResolver) (condition.Condition, []condition.Problem) {
	m, ok := r.From.(map[string]any)
	if !ok {
		return condition.Everybody(), nil
	}
	return ApprovalCondition(m).Parse()
}

// normal is the form in which a condition is stored; nil where it cannot be read.
func (c *ApprovalCondition) normal() *ApprovalCondition {
	parsed, problems := c.Parse()
	if len(problems) > 0 {
		return c
	}
	raw, err := json.Marshal(parsed)
	if err != nil {
		return c
	}
	out := ApprovalCondition{}
	if json.Unmarshal(raw, &out) != nil {
		return c
	}
	return &out
}

// ApprovalCondition is a condition as it is sent and stored: of the person the access is for, and of request.*, item.*
// and requester.*.
type ApprovalCondition map[string]any

// Vocabulary is what conditions of rules may ask for beside the beneficiary.
var Vocabulary = condition.NewVocabulary("request",
	condition.Term{Name: "request.kind", Kind: condition.Code, Among: []string{"grant", "extend", "revoke", "return"}},
	condition.Term{Name: "request.urgency", Kind: condition.Code, Among: []string{"normal", "emergency"}},
	condition.Term{Name: "request.duration_days", Kind: condition.Number},
	condition.Term{Name: "request.permanent", Kind: condition.Flag},
	condition.Term{Name: "request.starts_at", Kind: condition.Moment},
	condition.Term{Name: "request.ends_at", Kind: condition.Moment},
	condition.Term{Name: "request.external_reference", Kind: condition.Name},
	condition.Term{Name: "request.for_self", Kind: condition.Flag},
	condition.Term{Name: "request.by_integration", Kind: condition.Flag},
	condition.Term{Name: "item.type", Kind: condition.Code, Among: []string{"role", "entitlement"}},
	condition.Term{Name: "item.id", Kind: condition.Code},
	condition.Term{Name: "item.name", Kind: condition.Name},
	condition.Term{Name: "item.kind", Kind: condition.Name},
	condition.Term{Name: "item.risk_level", Kind: condition.Code, Among: resource.RiskLevels},
	condition.Term{Name: "item.privileged", Kind: condition.Flag},
	condition.Term{Name: "item.tags", Kind: condition.Many},
	condition.Term{Name: "item.connector_ids", Kind: condition.Many},
	condition.Term{Name: "item.environments", Kind: condition.Many},
	condition.Term{Name: "requester.id", Kind: condition.Code},
	condition.Term{Name: "requester.department", Kind: condition.Name},
	condition.Term{Name: "requester.division", Kind: condition.Name},
	condition.Term{Name: "requester.organization", Kind: condition.Name},
	condition.Term{Name: "requester.location", Kind: condition.Name},
	condition.Term{Name: "requester.country", Kind: condition.Name},
	condition.Term{Name: "requester.title", Kind: condition.Name},
	condition.Term{Name: "requester.job_code", Kind: condition.Code},
	condition.Term{Name: "requester.employment_type", Kind: condition.Code},
	condition.Term{Name: "requester.manager_id", Kind: condition.Code},
)
