package object

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// controlFields reads mitigating controls as fields.
const controlFields = `
	select c.id::text,
	       jsonb_build_object('name', c.name, 'description', c.description, 'procedure', c.procedure,
	           'control_type', c.control_type, 'effectiveness', c.effectiveness,
	           'severities', c.applies_to -> 'severities', 'evidence_required', c.evidence -> 'required',
	           'evidence_kind', c.evidence -> 'kind', 'evidence_cadence', c.evidence -> 'cadence',
	           'evidence_grace', c.evidence -> 'grace', 'max_duration', c.max_duration,
	           'on_lapse', c.on_lapse)
	  from mitigating_control c
	 where c.tenant_id = current_tenant()
	   and c.id = any ($1::text[]::uuid[])
	   and c.deleted_at is null`

// intoControl writes the fields over those of a control, which has some of them deeper within.
func intoControl(f merge.Fields, to *control.Fields) error {
	evidence := merge.Fields{}
	for name, within := range map[string]string{
		"evidence_required": "required",
		"evidence_kind":     "kind",
		"evidence_cadence":  "cadence",
		"evidence_grace":    "grace",
	} {
		if v, ok := f[name]; ok {
			evidence[within] = v
		}
	}
	if err := evidence.Into(&to.Evidence); err != nil {
		return err
	}
	for _, part := range []any{to, &to.AppliesTo} {
		if err := f.Into(part); err != nil {
			return err
		}
	}
	return nil
}

// createControl makes an enabled control of the desired fields and gives its ID.
func createControl(ctx context.Context, tx *pg.Tx, f merge.Fields, origin map[string]any) (string, error) {
	of := control.Fields{Enabled: true}
	if err := intoControl(f, &of); err != nil {
		return "", err
	}
	made, err := control.Create(ctx, tx, control.New{Fields: of, Origin: origin})
	return made.ID, err
}

// updateControl changes the desired fields; the others keep the tenant's values.
func updateControl(ctx context.Context, tx *pg.Tx, id string, f merge.Fields) error {
	now, err := control.Find(ctx, tx, id, " for update of c")
	if err != nil {
		return err
	}
	after := now.Fields
	if err := intoControl(f, &after); err != nil {
		return err
	}
	_, err = control.Rewrite(ctx, tx, now, after, "mitigating_control.updated")
	return err
}

// retireControl deletes a control. If it is applied, proposed, or named by a policy, it stays and becomes the tenant's
// own.
func retireControl(ctx context.Context, tx *pg.Tx, id string) error {
	now, err := control.Find(ctx, tx, id, " for update of c")
	if err != nil {
		return err
	}
	err = control.Retire(ctx, tx, now)
	if fault.IsCode(err, "control_in_use") {
		return SetOrigin(ctx, tx, format.KindMitigationPolicy, id, map[string]any{"kind": "manual"})
	}
	return err
}

// InUse reports whether objects of the tenant need an object, so that it cannot be removed: a policy names a duty or a
// mitigating control, or the control is applied or proposed. It is false for other kinds.
func InUse(ctx context.Context, tx *pg.Tx, kind, id string) (bool, error) {
	switch kind {
	case format.KindDutyTag, format.KindRoleDuty:
		return dutyInUse(ctx, tx, id)
	case format.KindMitigationPolicy:
		return pg.One[bool](ctx, tx, "look for uses of control", `
			select exists (select from separation_policy p
			                where p.mitigation_policy_ids @> array[$1::uuid]
			                  and p.deleted_at is null)
			    or exists (select from mitigation m
			                where m.control_id = $1
			                  and (m.state = 'proposed' or mitigating(m.state)))`, id)
	}
	return false, nil
}
