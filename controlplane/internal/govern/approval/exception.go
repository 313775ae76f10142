package approval

import "slices"

// StageException is a violation of a separation-of-duties policy that the approvers of a stage allow with the access.
type StageException struct {
	// ID of the policy.
	PolicyID string `json:"policy_id"`
	// Name of the policy.
	Policy string `json:"policy"`
	// ID of the approval rule that the stage is from.
	RuleID string `json:"rule_id"`
	// Name of the approval rule.
	Rule string `json:"rule"`
	// Violation in words, with the access on each side and the smallest ways out.
	Conflict string `json:"conflict"`
}

// Of reports whether two are about the same policy and from the same rule.
func (e StageException) Of(other StageException) bool {
	return e.PolicyID == other.PolicyID && e.RuleID == other.RuleID
}

// HasExceptions reports whether a stage of the plan allows exceptions.
func (p Plan) HasExceptions() bool {
	return slices.ContainsFunc(p.Stages, func(s PlanStage) bool { return len(s.Exceptions) > 0 })
}

// AddExceptions adds the stages of an exception rule after those of the plan, for these violations. Nobody approves an
// exception for themselves, and where either rule wants distinct approvers, all stages have them. The outcome
// auto_approve becomes a chain.
func (p *Plan) AddExceptions(rule Plan, of []StageException) {
	if p.Outcome == AutoApprove {
		p.Outcome, p.Reason = Chain, ""
	}
	p.Stages = slices.Clone(p.Stages)
	for _, s := range rule.Stages {
		s.Exceptions = of
		p.Stages = append(p.Stages, s)
	}
	p.Distinct, p.SelfApproval = p.Distinct || rule.Distinct, false
	p.RequireJustification, p.Blocked = true, p.Blocked || rule.Blocked
	p.ExpectedAt, p.Log = rule.ExpectedAt, slices.Concat(p.Log, rule.Log)
}
