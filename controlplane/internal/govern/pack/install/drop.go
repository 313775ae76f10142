package install

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/object"
)

// dropped is about what an earlier version brought and this one has no more.
func (r *run) dropped(ctx context.Context, wants map[installation.ObjectKey]bool) error {
	var rows []installation.Object
	for k, had := range r.before {
		if !wants[k] && had.State != installation.StateLeaving {
			rows = append(rows, had)
		}
	}
	// Policies and approval rules before the roles that they name.
	order := []string{format.KindApprovalRule, format.KindSodPolicy, format.KindMitigationPolicy, format.KindRoleDuty,
		format.KindDutyTag, format.KindBirthright, format.KindAccessGrantPolicy, format.KindRole}
	slices.SortFunc(rows, func(a, b installation.Object) int {
		x, y := slices.Index(order, a.Kind), slices.Index(order, b.Kind)
		if x != y {
			return x - y
		}
		return compareKeys(a, b)
	})
	for _, had := range rows {
		if err := r.drop(ctx, had); err != nil {
			return fmt.Errorf("%s %s: %w", had.Kind, had.Key, err)
		}
	}
	return nil
}

// drop plans what happens to an object that the new version of the pack no longer has. Objects that
// were adopted are the tenant's and stay; those that the tenant has changed are a conflict; the
// others are retired.
func (r *run) drop(ctx context.Context, had installation.Object) error {
	k := installation.ObjectKey{Kind: had.Kind, Key: had.Key}
	item := PackPlanItem{
		Kind:      had.Kind,
		ObjectKey: had.Key,
		Name:      nameOf(format.Object{Key: had.Key, Content: had.Content}),
		Fields:    []string{},
		Waiting:   []installation.PendingBinding{},
	}
	if had.ID == nil || had.Adopted {
		r.gone = append(r.gone, k)
		if had.State != installation.StateSkipped {
			r.plan.Remove = append(r.plan.Remove, item)
		}
		return nil
	}
	now, err := object.Current(ctx, r.Tx, had.Kind, []string{*had.ID})
	if err != nil {
		return err
	}
	mine, there := now[*had.ID]
	if there && len(merge.Differing(mine, had.Applied)) > 0 {
		item.Reason, item.Fields = "changed_by_tenant", merge.Differing(mine, had.Applied)
		r.plan.Conflict = append(r.plan.Conflict, item)
		r.conflicts = append(
			r.conflicts,
			installation.Conflict{ObjectKey: k, Names: item.Fields, Base: had.Applied, Mine: mine},
		)
		had.State = installation.StateConflict
		r.objects = append(r.objects, had)
		return nil
	}
	if there {
		if used, err := object.InUse(ctx, r.Tx, had.Kind, *had.ID); err != nil || used {
			item.Reason = installation.InUse
			r.plan.Skip, r.gone = append(r.plan.Skip, item), append(r.gone, k)
			return errors.Join(err, object.SetOrigin(ctx, r.Tx, had.Kind, *had.ID, map[string]any{"kind": "manual"}))
		}
	}
	if there && had.Kind == format.KindApprovalRule {
		if used, err := ruleset.InUse(ctx, r.Tx, *had.ID); err != nil || used {
			item.Reason = installation.InUse
			r.plan.Skip, r.gone = append(r.plan.Skip, item), append(r.gone, k)
			return errors.Join(err, object.RetireApprovalRule(ctx, r.Tx, *had.ID))
		}
	}
	r.plan.Remove = append(r.plan.Remove, item)
	if !there {
		r.gone = append(r.gone, k)
		return nil
	}
	left, err := object.Retire(ctx, r.Tx, had)
	if err != nil {
		return err
	}
	if left {
		r.gone = append(r.gone, k)
		return nil
	}
	had.State, had.Pending = installation.StateLeaving, nil
	r.objects = append(r.objects, had)
	return nil
}
