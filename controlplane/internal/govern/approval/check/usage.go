package check

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// UsersOf are the roles, entitlements, rules, separation-of-duties policies and schedules that use a rule, a calendar
// or a schedule; at most 20.
func UsersOf(ctx context.Context, tx *pg.Tx, id string) ([]ApprovalUse, error) {
	const sql = `
		select 'role' as type, r.id::text as id, r.name as display from role r
		    where r.approval_rule_id = @id::text::uuid and r.lifecycle <> 'retired'
		 union all
		select 'entitlement', e.id::text, coalesce(nullif(e.display_name, ''), nullif(e.name, ''), e.external_id)
		  from entitlement e
		 where e.approval_rule_id = @id::text::uuid
		   and e.removed_at is null
		 union all
		select 'approval_rule', r.id::text, r.name
		  from approval_rule r
		 where r.id <> @id::text::uuid
		   and (position(@id::text in r.branches::text) > 0 or position(@id::text in r.terms::text) > 0)
		 union all
		select 'separation_policy', p.id::text, p.name
		  from separation_policy p
		 where p.exception_rule_id = @id::text::uuid
		   and p.deleted_at is null
		 union all
		select 'on_call_schedule', s.id::text, s.name from on_call_schedule s where s.calendar_id = @id::text::uuid
		 order by 1, 3, 2
		 limit 20`
	return pg.All[ApprovalUse](ctx, tx, "find what uses it", sql, pgx.NamedArgs{"id": strings.ToLower(id)})
}

// ApprovalUse is something that uses a rule.
type ApprovalUse struct {
	// Type of the object that uses the rule.
	Type string `json:"type" db:"type"`
	// ID of the object.
	ID string `json:"id" db:"id"`
	// Display name of the object.
	Display string `json:"display" db:"display"`
}

// CheckUnused returns a fault of kind Conflict with this code while something uses it; used_by names what.
func CheckUnused(ctx context.Context, tx *pg.Tx, id, code, what string) error {
	by, err := UsersOf(ctx, tx, id)
	if err != nil || len(by) == 0 {
		return err
	}
	names := make([]string, len(by))
	for i, u := range by {
		names[i] = "the " + strings.ReplaceAll(u.Type, "_", " ") + " " + u.Display
	}
	return fault.Coded(fault.Conflict, code, "this %s is used by %s", what, strings.Join(names, ", ")).
		Also("used_by", by)
}

// CheckNamedByPolicies returns a fault of kind Conflict while a separation-of-duties policy names a rule that is to be
// disabled: nobody could allow its exceptions. used_by names the policies.
func CheckNamedByPolicies(ctx context.Context, tx *pg.Tx, id string) error {
	by, err := UsersOf(ctx, tx, id)
	by = slices.DeleteFunc(by, func(u ApprovalUse) bool { return u.Type != "separation_policy" })
	if err != nil || len(by) == 0 {
		return err
	}
	return fault.Coded(fault.Conflict, "approval_rule_in_use", "This rule allows the exceptions of the "+
		"separation-of-duties policy %s. Choose another rule for the policy first.", by[0].Display).
		Also("used_by", by)
}
