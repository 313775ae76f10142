package pack

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	approvalrule "github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// approver is what a pack's word for an approver means in an approval rule.
type approver struct {
	name     string
	resolver approval.ApproverResolver
}

var approvers = map[string]approver{
	"manager":          {"Manager", approval.ApproverResolver{Kind: "manager", Level: 1}},
	"managers_manager": {"Manager's manager", approval.ApproverResolver{Kind: "manager", Level: 2}},
	"role_owner":       {"Role owner", approval.ApproverResolver{Kind: "role_owner"}},
	"resource_owner":   {"Owner", approval.ApproverResolver{Kind: "resource_owner"}},
	"sponsor":          {"Sponsor", approval.ApproverResolver{Kind: "sponsor"}},
	"admin":            {"Administrator", approval.ApproverResolver{Kind: "app_role", AppRole: "admin"}},
}

// wantApproval is what a pack wants of an approval rule. roles are the ids of the pack's roles by their keys.
func wantApproval(r format.ApprovalRule, roles map[string]string) (wanted, error) {
	w := wanted{pending: []PendingBinding{}}
	ids := []string{}
	for _, key := range r.Roles {
		if id, ok := roles[key]; ok {
			ids = append(ids, id)
		} else {
			w.pending = append(w.pending, PendingBinding{Role: key, Reason: "role_conflict"})
		}
	}
	rule := approvalrule.Complete(approvalrule.ApprovalRuleFields{Branches: []approvalrule.ApprovalBranch{
		{Outcome: approvalrule.ApprovalOutcome{Kind: approval.Chain, Stages: stagesOf(r)}}}})
	var err error
	w.fields, err = fields{
		"name":        r.Name,
		"description": r.Description,
		"role_ids":    once(ids),
		"default":     len(r.Roles) == 0,
		"branches":    rule.Branches,
		"request_ttl": openFor(r, rule.RequestTTL),
	}.normal()
	return w, err
}

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

// intoApproval writes the fields over those of an approval rule, which has some of them deeper within.
func (f fields) intoApproval(to *approvalrule.ApprovalRuleFields) error {
	if _, ok := f["branches"]; ok {
		to.Branches = nil
	}
	for _, part := range []any{to, &to.AppliesTo} {
		if err := f.into(part); err != nil {
			return err
		}
	}
	return nil
}

func createApproval(ctx context.Context, tx *pg.Tx, f fields, origin map[string]any) (string, error) {
	of := approvalrule.ApprovalRuleFields{Enabled: true}
	if err := f.intoApproval(&of); err != nil {
		return "", err
	}
	made, err := ruleset.Create(ctx, tx, ruleset.New{ApprovalRuleFields: of, Origin: origin})
	return made.ID, err
}

func updateApproval(ctx context.Context, tx *pg.Tx, id string, f fields) error {
	now, err := ruleset.Find(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := f.intoApproval(&now.ApprovalRuleFields); err != nil {
		return err
	}
	_, err = ruleset.Update(ctx, tx, id, now.ApprovalRuleFields)
	return err
}

// retireApproval deletes a rule. One that something names stays, and is the tenant's own: what names it would fall to
// another rule.
func retireApproval(ctx context.Context, tx *pg.Tx, id string) error {
	used, err := ruleset.InUse(ctx, tx, id)
	switch {
	case err != nil:
		return err
	case used:
		return ruleset.SetOrigin(ctx, tx, id, map[string]any{"kind": "manual"})
	}
	return ruleset.Delete(ctx, tx, id)
}

// existingApproval finds the rule that stands where the pack's would: another default, or one of the same name.
func (r *run) existingApproval(ctx context.Context, row *object) (id string, origin map[string]any, err error) {
	const sql = `
		select r.id::text, r.origin
		  from approval_rule r
		 where r.tenant_id = current_tenant()
		   and (r.name = $1 or $2 and r.enabled and r.applies_to @> '{"default": true}' and coalesce(r.applies_to -> 'request_kinds', '[]') = '[]')
		 order by r.name = $1, r.priority, r.id
		 limit 1
		   for update`
	err = r.tx.QueryRow(ctx, sql, row.Applied["name"], row.Applied["default"] == true).Scan(&id, &origin)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		err = fmt.Errorf("look for approval rules: %w", err)
	}
	return id, origin, err
}

// aims reports whether the fields of an approval rule describe its purpose.
func (f fields) aims() bool { return f["default"] == true || len(f.ids("role_ids")) > 0 }
