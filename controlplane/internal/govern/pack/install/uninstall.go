package install

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/ruleset"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/accessdiff"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/install/confirmation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/object"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// Ways to uninstall.
const (
	detach       = "detach"        // all objects stay, and are the tenant's own
	removeUnused = "remove_unused" // what was not changed and is not used goes
	removeAll    = "remove_all"    // what the pack has brought goes, and what it gave ends
)

// PackRemoval is what an uninstallation does.
type PackRemoval struct {
	// Key of the sector pack.
	PackKey string `json:"pack_key"`
	// Way to uninstall: detach keeps all objects. remove_unused removes objects that are unchanged and unused.
	// remove_all removes all objects that the pack created and ends their access.
	Mode string `json:"mode" enum:"detach,remove_unused,remove_all"`
	// Objects that are removed immediately.
	Remove []PackPlanItem `json:"remove" nullable:"false"`
	// Out of use, and gone as soon as what they gave has ended: at once, or after the grace of a policy.
	Leaving []PackPlanItem `json:"leaving" nullable:"false"`
	// They stay, and are the tenant's own.
	Detach []PackPlanItem `json:"detach" nullable:"false"`
	// Access that uninstalling the sector pack ends.
	Impact impact.Impact `json:"impact"`
	// The token of this exact plan. Send it as confirm.
	PlanHash string `json:"plan_hash"`
}

// uninstall takes a pack back in one bulk transaction, under the lock of the tenant's packs. What
// is done is computed by doing it: a dry run ends with an error that rolls everything back, and so
// shows exactly what a real run would do.
func (s *Service) uninstall(
	ctx context.Context,
	v viewer.Viewer,
	key, mode, confirm string,
	dry bool,
) (out PackRemoval, err error) {
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		if err := installation.Lock(ctx, tx); err != nil {
			return err
		}
		i, err := installation.Find(ctx, tx, key)
		if err != nil {
			return err
		}
		if i.State != installation.StateInstalled {
			return installation.NotInstalled(key)
		}
		if out, err = s.takeBack(ctx, tx, i, mode); err != nil {
			return err
		}
		if dry {
			return errDry
		}
		if err := agreed(out, confirm); err != nil {
			return err
		}
		return finish(ctx, tx, &i, out)
	})
	if errors.Is(err, errDry) {
		err = nil
	}
	return out, err
}

// agreed asks for a confirmation of every removal of all, and of whatever is beyond the limits.
func agreed(out PackRemoval, confirm string) error {
	effect := out.Impact
	if out.Mode == removeAll && len(effect.LimitsHit) == 0 {
		effect.LimitsHit = []impact.LimitHit{
			{
				Code:   "remove_all",
				Count:  effect.IdentitiesAffected,
				Detail: "the objects of the pack are removed, and the access that it granted ends",
			},
		}
	}
	return confirmation.Check(effect, confirm)
}

// takeBack takes a pack's objects out of use, or leaves them to the tenant.
func (s *Service) takeBack(
	ctx context.Context,
	tx *pg.Tx,
	i installation.Installation,
	mode string,
) (PackRemoval, error) {
	out := PackRemoval{
		PackKey: i.Key,
		Mode:    mode,
		Remove:  []PackPlanItem{},
		Leaving: []PackPlanItem{},
		Detach:  []PackPlanItem{},
	}
	before, err := accessdiff.Read(ctx, tx)
	if err != nil {
		return out, err
	}
	all, err := installation.Objects(ctx, tx, i.ID)
	if err != nil {
		return out, err
	}
	// Policies and approval rules before the roles that they name.
	order := []string{
		format.KindApprovalRule,
		format.KindSodPolicy,
		format.KindMitigationPolicy,
		format.KindRoleDuty,
		format.KindDutyTag,
		format.KindBirthright,
		format.KindAccessGrantPolicy,
		format.KindRole,
		format.KindLifecyclePolicy,
	}
	var gone []installation.ObjectKey
	var staying []installation.Object
	for _, kind := range order {
		for _, o := range ofKind(all, kind) {
			became, err := takeOne(ctx, tx, o, mode)
			if err != nil {
				return out, fmt.Errorf("%s %s: %w", o.Kind, o.Key, err)
			}
			item := PackPlanItem{
				Kind:      o.Kind,
				ObjectKey: o.Key,
				Name:      nameOf(format.Object{Key: o.Key, Content: o.Content}),
				Fields:    []string{},
				Waiting:   []installation.PendingBinding{},
			}
			switch became {
			case removeAll:
				out.Remove = append(out.Remove, item)
			case installation.StateLeaving:
				out.Leaving = append(out.Leaving, item)
				o.State, o.Pending = installation.StateLeaving, nil
				staying = append(staying, o)
			case detach:
				out.Detach = append(out.Detach, item)
			}
		}
	}
	for k, o := range all {
		if o.State != installation.StateLeaving &&
			!slices.ContainsFunc(
				staying,
				func(x installation.Object) bool { return x.Kind == k.Kind && x.Key == k.Key },
			) {
			gone = append(gone, k)
		}
	}
	if err := installation.RemoveObjects(ctx, tx, i.ID, gone); err != nil {
		return out, err
	}
	if err := installation.SaveObjects(ctx, tx, i.ID, staying); err != nil {
		return out, err
	}
	after, err := accessdiff.Read(ctx, tx)
	if err != nil {
		return out, err
	}
	if out.Impact, _, err = accessdiff.Compare(ctx, tx, before, after, s.Now()); err != nil {
		return out, err
	}
	out.PlanHash = confirmation.HashOf(
		"uninstall",
		i.Key,
		i.PackVersion,
		mode,
		out.Remove,
		out.Leaving,
		out.Detach,
		out.Impact,
	)
	out.Impact.PlanHash = out.PlanHash
	return out, nil
}

// ofKind are the objects of a kind that have not left, in the order of keys.
func ofKind(all map[installation.ObjectKey]installation.Object, kind string) (of []installation.Object) {
	for k, o := range all {
		if k.Kind == kind && o.State != installation.StateLeaving {
			of = append(of, o)
		}
	}
	slices.SortFunc(of, compareKeys)
	return of
}

// takeOne takes an object out of use or leaves it, and says what has become of it: removeAll, stateLeaving, detach, or
// nothing.
func takeOne(ctx context.Context, tx *pg.Tx, o installation.Object, mode string) (string, error) {
	if o.ID == nil {
		return "", nil
	}
	now, err := object.Current(ctx, tx, o.Kind, []string{*o.ID})
	if err != nil {
		return "", err
	}
	mine, there := now[*o.ID]
	if !there {
		return "", nil
	}
	if o.Adopted {
		return detach, nil
	}
	goes := mode == removeAll
	if mode == removeUnused && len(merge.Differing(mine, o.Applied)) == 0 {
		if goes, err = unused(ctx, tx, o); err != nil {
			return "", err
		}
	}
	switch o.Kind {
	case format.KindRole, format.KindApprovalRule, format.KindDutyTag, format.KindRoleDuty,
		format.KindMitigationPolicy:
		if !goes {
			break
		}
		if goes, err = unnamed(ctx, tx, o); err != nil {
			return "", err
		}
	}
	if !goes {
		return detach, object.SetOrigin(ctx, tx, o.Kind, *o.ID, map[string]any{"kind": "manual"})
	}
	left, err := object.Retire(ctx, tx, o)
	if err != nil || left {
		return removeAll, err
	}
	return installation.StateLeaving, nil
}

// unused reports whether no one holds anything through an object.
func unused(ctx context.Context, tx *pg.Tx, o installation.Object) (bool, error) {
	switch o.Kind {
	case format.KindRole:
		r, err := role.Find(ctx, tx, *o.ID)
		return r.HolderCount == 0, err
	case format.KindLifecyclePolicy, format.KindApprovalRule, format.KindDutyTag, format.KindRoleDuty,
		format.KindSodPolicy, format.KindMitigationPolicy:
		return true, nil
	}
	p, err := accesspolicy.Find(ctx, tx, *o.ID)
	return p.HolderCount == 0, err
}

// unnamed reports whether no policy gives a role, and whether nothing names or uses an object of another kind.
func unnamed(ctx context.Context, tx *pg.Tx, o installation.Object) (yes bool, err error) {
	switch o.Kind {
	case format.KindApprovalRule:
		used, err := ruleset.InUse(ctx, tx, *o.ID)
		return !used, err
	case format.KindDutyTag, format.KindRoleDuty, format.KindMitigationPolicy:
		used, err := object.InUse(ctx, tx, o.Kind, *o.ID)
		return !used, err
	}
	const sql = `
		select not exists (select from access_policy p
		                    where p.tenant_id = current_tenant()
		                      and p.deleted_at is null
		                      and p.enabled
		                      and p.resources -> 'role_ids' ? $1)`
	if err := tx.QueryRow(ctx, sql, *o.ID).Scan(&yes); err != nil {
		return false, fmt.Errorf("look for policies that give a role: %w", err)
	}
	return yes, nil
}

// finish keeps that a pack is uninstalled.
func finish(ctx context.Context, tx *pg.Tx, i *installation.Installation, out PackRemoval) error {
	i.State, i.UninstallMode = installation.StateUninstalled, &out.Mode
	if err := i.Save(ctx, tx); err != nil {
		return err
	}
	if err := installation.MarkPending(ctx, tx, i.ID); err != nil {
		return err
	}
	const sql = `
		update sector_pack_conflict
		   set state = 'superseded', version = version + 1
		 where tenant_id = current_tenant()
		   and installation_id = $1
		   and state = 'open'`
	if err := pg.Exec(ctx, tx, "close conflicts", sql, i.ID); err != nil {
		return err
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "sector_pack.uninstalled", Subject: i.Subject(), Context: map[string]any{
			"mode":                out.Mode,
			"removed":             len(out.Remove),
			"leaving":             len(out.Leaving),
			"detached":            len(out.Detach),
			"identities_affected": out.Impact.IdentitiesAffected,
		}},
	)
}
