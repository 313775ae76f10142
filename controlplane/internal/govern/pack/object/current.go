package object

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// lifecycleFields are the tenant's lifecycle settings as fields. Null: never.
func lifecycleFields(l rules.Lifecycle) merge.Fields {
	f := merge.Fields{
		"pre_hire_lead": merge.Duration(l.PreHireLead),
		"mover_grace":   merge.Duration(l.MoverGrace),
		"leave_access":  l.LeaveAccess,
		"delete_after":  nil,
		"archive_after": nil,
	}
	for name, d := range map[string]*time.Duration{"delete_after": l.DeleteAfter, "archive_after": l.ArchiveAfter} {
		if d != nil {
			f[name] = merge.Duration(*d)
		}
	}
	return f
}

// Current reads what the tenant has made of objects of a kind, by id. An id is missing in the result if the object is
// deleted or retired.
func Current(ctx context.Context, tx *pg.Tx, kind string, ids []string) (map[string]merge.Fields, error) {
	out := map[string]merge.Fields{}
	var sql string
	switch kind {
	case format.KindRole:
		sql = `
		select r.id::text,
		       jsonb_build_object('name', r.name, 'description', r.description, 'role_type', r.role_type,
		           'duty_tags', r.duty_tags, 'entitlement_ids',
		           (select coalesce(jsonb_agg(x.entitlement_id), '[]') from role_entitlement x
		               where x.tenant_id = r.tenant_id and x.role_id = r.id))
		  from role r
		 where r.tenant_id = current_tenant()
		   and r.id = any ($1::text[]::uuid[])
		   and r.lifecycle <> 'retired'`
	case format.KindBirthright, format.KindAccessGrantPolicy:
		sql = `
		select p.id::text,
		       jsonb_build_object('name', p.name, 'description', p.description, 'mode', p.mode, 'effect', p.effect,
		           'birthright', p.birthright, 'priority', p.priority, 'subject', p.subject, 'role_ids',
		           p.resources -> 'role_ids', 'entitlement_ids', p.resources -> 'entitlement_ids', 'connector_ids',
		           p.resources -> 'connector_ids', 'tags', coalesce(p.resources -> 'tags', '[]'),
		           'when', p.lifecycle -> 'when', 'lead_time',
		               p.lifecycle -> 'lead_time', 'on_no_match', p.lifecycle -> 'on_no_match', 'grace',
		               p.lifecycle -> 'grace', 'schedule', p.schedule,
		           'companion_role_ids', coalesce(p.companion -> 'role_ids', '[]'),
		           'companion_entitlement_ids', coalesce(p.companion -> 'entitlement_ids', '[]'),
		           'table', p.decision_table)
		           || jsonb '{"max_duration": null, "requires_mfa": false, "requires_justification": false,
		                      "requires_external_reference": false, "employment_types": [], "countries": [],
		                      "needs_training": null, "needs_manager": false}'
		           || p.constraints
		  from access_policy p
		 where p.tenant_id = current_tenant()
		   and p.id = any ($1::text[]::uuid[])
		   and p.deleted_at is null`
	case format.KindApprovalRule:
		sql = `
		select r.id::text,
		       jsonb_build_object('name', r.name, 'description', r.description, 'role_ids',
		           coalesce(r.applies_to -> 'role_ids', '[]'), 'default', coalesce(r.applies_to -> 'default', 'false'),
		               'branches', r.branches, 'request_ttl', r.terms -> 'request_ttl')
		  from approval_rule r
		 where r.tenant_id = current_tenant()
		   and r.id = any ($1::text[]::uuid[])`
	case format.KindDutyTag, format.KindRoleDuty:
		return currentDuties(ctx, tx, ids)
	case format.KindMitigationPolicy:
		sql = controlFields
	case format.KindSodPolicy:
		sql = `
		select p.id::text,
		       jsonb_build_object('name', p.name, 'description', p.description, 'rationale', p.rationale,
		           'regulation_refs', p.regulation_refs, 'severity', p.severity, 'mode', p.mode, 'kind', p.kind,
		           'n', p.n, 'sides', p.sides, 'same_environment', p.context -> 'same_environment',
		           'exclude_read_only', p.context -> 'exclude_read_only', 'on_request', p.effects -> 'on_request',
		           'on_assign', p.effects -> 'on_assign', 'on_detect', p.effects -> 'on_detect',
		           'mitigation_policy_ids', p.mitigation_policy_ids)
		  from separation_policy p
		 where p.tenant_id = current_tenant()
		   and p.id = any ($1::text[]::uuid[])
		   and p.deleted_at is null`
	case format.KindLifecyclePolicy:
		l, err := rules.Find(ctx, tx)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			out[id] = lifecycleFields(l)
		}
		return out, nil
	default:
		return out, nil
	}
	var id string
	var f merge.Fields
	if err := pg.Each(ctx, tx, "read objects of pack", []any{&id, &f}, func() error {
		f.Sort()
		out[id], f = f, nil
		return nil
	}, sql, ids); err != nil {
		return nil, err
	}
	return out, nil
}
