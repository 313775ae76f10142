package install

import (
	"context"
	"errors"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/accessdiff"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format/diagnostic"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/install/confirmation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Request asks for an installation, an upgrade or a plan of either.
type Request struct {
	// Key is the pack's, Version its version; empty: the latest.
	Key, Version string
	Parameters   map[string]any
	// Confirm is the plan_hash that the administrator has seen.
	Confirm string
	// Upgrade asks for a newer version of an installed pack.
	Upgrade bool
	// Dry only plans.
	Dry      bool
	Trusting bool // without confirmation: the tenant is just being made
}

// errDry takes a plan back.
var errDry = errors.New("this was a plan")

// work carries a request out, or plans it.
func (s *Service) work(
	ctx context.Context,
	v viewer.Viewer,
	q Request,
) (out PackInstallation, planned PlannedChange, err error) {
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		var err error
		if out, planned, err = s.InTx(ctx, tx, q); err != nil {
			return err
		}
		if q.Dry {
			return errDry
		}
		return nil
	})
	if errors.Is(err, errDry) {
		err = nil
	}
	return out, planned, err
}

// InTx carries a request out in the caller's transaction. It writes even if Dry is set: the caller of a plan rolls
// back.
func (s *Service) InTx(
	ctx context.Context,
	tx *pg.Tx,
	q Request,
) (out PackInstallation, planned PlannedChange, err error) {
	if err := installation.Lock(ctx, tx); err != nil {
		return out, planned, err
	}
	a, err := s.Find(ctx, tx, q.Key, q.Version)
	if err != nil {
		return out, planned, err
	}
	i, err := installation.Find(ctx, tx, q.Key)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return out, planned, err
	}
	given := q.Parameters
	if i.State == installation.StateInstalled && given == nil {
		given = kept(i.Parameters, a.Pack.Parameters)
	}
	values, err := parametersOf(a.Pack, given)
	if err != nil {
		return out, planned, err
	}
	planned = PlannedChange{
		PackKey:     q.Key,
		Version:     a.Version,
		Parameters:  values,
		Birthrights: []BirthrightDiff{},
		PackPlan:    newPlan(),
	}
	done, err := standing(i, q, a, values)
	if err != nil {
		return out, planned, err
	}
	if i.State == installation.StateInstalled {
		from := i.PackVersion
		planned.FromVersion = &from
	}
	if done && !q.Dry {
		out, err = view(ctx, tx, i)
		return out, planned, err
	}
	p, problems := a.Fill(values)
	if diagnostic.Failed(problems) {
		return out, planned, diagnostic.Fault(problems)
	}
	return s.perform(ctx, tx, q, &i, a, p, planned)
}

// standing says whether a request was carried out already, and refuses what does not fit what is installed.
func standing(i installation.Installation, q Request, a Available, values map[string]any) (done bool, err error) {
	if i.State != installation.StateInstalled {
		if q.Upgrade {
			return false, installation.NotInstalled(q.Key)
		}
		return false, nil
	}
	same := i.PackVersion == a.Version && i.Checksum == a.Checksum && sameValues(i.Parameters, values)
	switch {
	case same:
		return true, nil
	case q.Upgrade && format.Compare(a.Version, i.PackVersion) < 0:
		return false, fault.Coded(
			fault.Conflict,
			"pack_conflict",
			"%s is installed in version %s; %s is older, and an upgrade does not go back",
			q.Key,
			i.PackVersion,
			a.Version,
		)
	case q.Upgrade || q.Dry:
		return false, nil
	case i.PackVersion != a.Version:
		return false, fault.Coded(
			fault.Conflict,
			"pack_conflict",
			"%s is installed already, in version %s; upgrade it",
			q.Key,
			i.PackVersion,
		)
	}
	return false, fault.Coded(
		fault.Conflict,
		"pack_conflict",
		"%s %s is installed already, with other parameters; upgrade it to the same version to change them",
		q.Key,
		i.PackVersion,
	)
}

// perform changes the tenant.
func (s *Service) perform(
	ctx context.Context,
	tx *pg.Tx,
	q Request,
	i *installation.Installation,
	a Available,
	p format.Pack,
	planned PlannedChange,
) (PackInstallation, PlannedChange, error) {
	var out PackInstallation
	before, err := accessdiff.Read(ctx, tx)
	if err != nil {
		return out, planned, err
	}
	separated, err := s.separationBefore(ctx, tx, i.ID)
	if err != nil {
		return out, planned, err
	}
	was, err := birthrights(ctx, tx, i.ID)
	if err != nil {
		return out, planned, err
	}
	if i.State == installation.StateInstalled && i.PackVersion != a.Version {
		previous := i.PackVersion
		i.Previous = &previous
	}
	if i.State == installation.StateUninstalled { // what it left behind is the tenant's
		if err := pg.Exec(
			ctx,
			tx,
			"forget what was uninstalled",
			`delete from sector_pack_object where tenant_id = current_tenant() and installation_id = $1`,
			i.ID,
		); err != nil {
			return out, planned, err
		}
		i.Previous = nil
	}
	action := "sector_pack.installed"
	if i.State == installation.StateInstalled {
		action = "sector_pack.upgraded"
	}
	i.Key, i.PackVersion, i.State, i.Parameters, i.InstalledBy = q.Key, a.Version, installation.StateInstalled,
		planned.Parameters, installation.Actor(tx)
	i.Checksum, i.Source, i.UninstallMode = a.Checksum, a.Origin, nil
	if err := i.Save(ctx, tx); err != nil {
		return out, planned, err
	}
	if planned.PackPlan, err = carryOut(ctx, tx, i, p); err != nil {
		return out, planned, err
	}
	is, err := birthrights(ctx, tx, i.ID)
	if err != nil {
		return out, planned, err
	}
	planned.Birthrights = compared(was, is)
	after, err := accessdiff.Read(ctx, tx)
	if err != nil {
		return out, planned, err
	}
	impact, gains, err := accessdiff.Compare(ctx, tx, before, after, s.Now())
	if err != nil {
		return out, planned, err
	}
	if err := accessdiff.Lacking(ctx, tx, q.Key, s.Now(), &impact); err != nil {
		return out, planned, err
	}
	planned.Impact = impact
	if planned.Separation, err = s.separationAfter(
		ctx, tx, i.ID, separated, gains, q.Dry, impact.GrantsEnded > 0,
	); err != nil {
		return out, planned, err
	}
	if !q.Dry {
		if err := check.RefuseRoles(planned.Separation.RoleConflicts); err != nil {
			return out, planned, err
		}
	}
	planned.PlanHash = confirmation.HashOf(
		q.Key,
		a.Version,
		a.Checksum,
		planned.Parameters,
		planned.PackPlan,
		planned.Impact,
	)
	planned.Impact.PlanHash = planned.PlanHash
	if !q.Dry && !q.Trusting {
		if err := confirmation.Check(planned.Impact, q.Confirm); err != nil {
			return out, planned, err
		}
	}
	err = audit.Record(ctx, tx, audit.Entry{Action: action, Subject: i.Subject(), Context: map[string]any{
		"version":             i.PackVersion,
		"previous_version":    planned.FromVersion,
		"added":               len(planned.Add),
		"changed":             len(planned.Change),
		"removed":             len(planned.Remove),
		"conflicts":           len(planned.Conflict),
		"pending":             len(planned.PendingBinding),
		"skipped":             len(planned.Skip),
		"identities_affected": planned.Impact.IdentitiesAffected,
	}})
	if err != nil {
		return out, planned, err
	}
	if out, err = view(ctx, tx, *i); err != nil {
		return out, planned, err
	}
	out.Plan, out.Impact = &planned.PackPlan, &planned.Impact
	return out, planned, nil
}
