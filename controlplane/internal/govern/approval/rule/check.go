package rule

import (
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resource"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
)

// checker checks a rule.
type checker struct {
	check.Checker

	ttl time.Duration // of requests; 0: it cannot be read
}

// inspect completes a rule, and finds what is wrong with it without looking at the tenant.
func (f *ApprovalRuleFields) inspect() *checker {
	f.Fill()
	c := &checker{}
	if strings.TrimSpace(f.Name) == "" {
		c.Refuse("#/name", "required", "describe its purpose")
	}
	if f.Priority < 1 || f.Priority > 1000 {
		c.Refuse("#/priority", "invalid", "1 to 1000")
	}
	c.scope(f.AppliesTo)
	c.terms(f.ApprovalTerms)
	c.branches(f.Branches)
	return c
}

// scope checks what the rule applies to. A default rule has no targets.
func (c *checker) scope(a ApprovalScope) {
	for _, of := range []struct {
		table, member string
		ids           []string
	}{{"role", "role_ids", a.RoleIDs}, {"entitlement", "entitlement_ids", a.EntitlementIDs},
		{"connector", "connector_ids", a.ConnectorIDs}} {
		for i, id := range of.ids {
			c.Mention(of.table, id, fmt.Sprintf("#/applies_to/%s/%d", of.member, i))
		}
	}
	for i, level := range a.RiskLevels {
		c.OneOf(fmt.Sprintf("#/applies_to/risk_levels/%d", i), level, resource.RiskLevels...)
	}
	for i, kind := range a.RequestKinds {
		c.OneOf(fmt.Sprintf("#/applies_to/request_kinds/%d", i), kind, "grant", "extend", "revoke", "return")
	}
	if a.Default && a.targets() > 0 {
		c.Refuse(
			"#/applies_to/default",
			"contradiction",
			"a default is for whatever has no rule of its own; leave the other members out, or default",
		)
	}
}

// terms checks the durations, alone and against each other: a default longer than the maximum could
// never be requested.
func (c *checker) terms(t ApprovalTerms) {
	c.ttl = c.Duration("#/request_ttl", t.RequestTTL, true, check.Year)
	longest := c.Duration("#/grant/max_duration", t.Grant.MaxDuration, false, check.TenYears)
	usual := c.Duration("#/grant/default_duration", t.Grant.DefaultDuration, false, check.TenYears)
	if longest > 0 && usual > longest {
		c.Refuse("#/grant/default_duration", "contradiction", "it is longer than max_duration")
	}
	if longest > 0 && OrTrue(t.Grant.AllowPermanent) {
		c.Refuse(
			"#/grant/allow_permanent",
			"contradiction",
			"access that lasts at most %s is not permanent",
			t.Grant.MaxDuration,
		)
	}
	c.Duration("#/grant/extension/max", t.Grant.Extension.Max, false, check.TenYears)
	if t.Grant.Extension.Max != "" && !OrTrue(t.Grant.Extension.Allowed) {
		c.Refuse("#/grant/extension/max", "contradiction", "extensions are not allowed")
	}
	c.Duration("#/emergency/max_duration", t.Emergency.MaxDuration, t.Emergency.Allowed, check.TenYears)
	c.Duration("#/emergency/post_review_within", t.Emergency.PostReviewWithin, t.Emergency.Allowed, check.Year)
	if t.Emergency.RuleID != "" {
		c.Mention("approval_rule", t.Emergency.RuleID, "#/emergency/rule_id")
	}
}

// branches checks that each branch can be reached: all but the last have a condition, and the last
// has none. Conditions are stored in their normal form.
func (c *checker) branches(branches []ApprovalBranch) {
	if len(branches) == 0 {
		c.Refuse("#/branches", "required", "a rule needs at least one branch")
		return
	}
	for i := range branches {
		b, at, last := &branches[i], fmt.Sprintf("#/branches/%d", i), i == len(branches)-1
		switch {
		case b.When == nil && !last:
			c.Refuse(
				at+"/when",
				"unreachable_branches",
				"a branch without a condition is for all, so that those after it are never reached; only the last "+
					"has none",
			)
		case b.When != nil && last:
			c.Refuse(
				at+"/when",
				"baseline_missing",
				"the last branch is for the rest and has no condition; add one after it",
			)
		case b.When != nil:
			c.condition(at+"/when", *b.When)
			b.When = b.When.normal()
		}
		c.outcome(at+"/outcome", b.Outcome)
	}
}

// condition reads one, and says at which place it is wrong.
func (c *checker) condition(at string, when ApprovalCondition) {
	_, problems := when.Parse()
	c.problems(at, problems)
}

// problems adds the problems of a condition, at the condition's place.
func (c *checker) problems(at string, problems []condition.Problem) {
	for _, p := range problems {
		detail := p.Detail
		if len(p.Suggestions) > 0 {
			detail += "; did you mean " + strings.Join(p.Suggestions, ", ") + "?"
		}
		c.Refuse(at+strings.TrimPrefix(p.Pointer, "#"), p.Code, "%s", detail)
	}
}

// outcome checks what a branch leads to. Only a chain has stages, and only use_rule names another
// rule.
func (c *checker) outcome(at string, o ApprovalOutcome) {
	if !c.OneOf(at+"/kind", o.Kind, approval.Chain, approval.AutoApprove, approval.AutoReject, UseRule) {
		return
	}
	if (o.Kind == approval.AutoApprove || o.Kind == approval.AutoReject) && strings.TrimSpace(o.Reason) == "" {
		c.Refuse(at+"/reason", "required", "a reason is required; requesters see it")
	}
	if o.Kind == UseRule {
		c.Mention("approval_rule", o.RuleID, at+"/rule_id")
	} else if o.RuleID != "" {
		c.Refuse(at+"/rule_id", "unexpected", "only use_rule has one")
	}
	if o.Kind != approval.Chain {
		if len(o.Stages) > 0 {
			c.Refuse(at+"/stages", "unexpected", "only a chain has stages")
		}
		return
	}
	if len(o.Stages) == 0 {
		c.Refuse(
			at+"/stages",
			"required",
			"an approval chain needs at least one stage; to approve without approvers, use auto_approve",
		)
	}
	for i, s := range o.Stages {
		c.stage(fmt.Sprintf("%s/stages/%d", at, i), s)
	}
}
