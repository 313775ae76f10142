package pack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// PackInstallation is what a tenant has of a pack.
type PackInstallation struct {
	PackKey         string         `json:"pack_key"`
	Version         string         `json:"version" doc:"Of the pack."`
	State           string         `json:"state" enum:"installed,uninstalled"`
	Parameters      map[string]any `json:"parameters" nullable:"false"`
	Source          string         `json:"source" enum:"built_in,uploaded"`
	Checksum        string         `json:"checksum"`
	InstalledBy     map[string]any `json:"installed_by" nullable:"false"`
	InstalledAt     time.Time      `json:"installed_at"`
	UpdatedAt       time.Time      `json:"updated_at"`
	PreviousVersion *string        `json:"previous_version" doc:"The one before the last upgrade."`
	UninstallMode   *string        `json:"uninstall_mode" enum:"detach,remove_unused,remove_all"`
	Objects         map[string]int `json:"objects" nullable:"false" doc:"How many there are by state: installed, pending_binding, conflict, skipped, leaving."`
	OpenConflicts   int            `json:"open_conflicts"`
	Plan            *PackPlan      `json:"plan" doc:"What has just been done; null otherwise."`
	Impact          *policy.Impact `json:"impact" doc:"Whose access it changes; null otherwise."`
	revision        int
}

// PlannedChange is what would be done, and whose access it would change.
type PlannedChange struct {
	PackKey     string         `json:"pack_key"`
	Version     string         `json:"version"`
	FromVersion *string        `json:"from_version" doc:"What is installed; null: nothing."`
	Parameters  map[string]any `json:"parameters" nullable:"false"`
	PackPlan
	Birthrights []BirthrightDiff `json:"birthrights" nullable:"false" doc:"What changes of the birthrights, field by field."`
	Impact      policy.Impact    `json:"impact"`
	PlanHash    string           `json:"plan_hash" doc:"The token of this exact plan. Send it as confirm."`
}

// BirthrightDiff is a birthright before and after.
type BirthrightDiff struct {
	ObjectKey string         `json:"object_key"`
	Before    map[string]any `json:"before" doc:"null: it is new."`
	After     map[string]any `json:"after" doc:"null: it goes."`
}

// request is an installation or an upgrade that somebody asks for.
type request struct {
	Key, Version string
	Parameters   map[string]any
	Confirm      string
	Upgrade      bool
	Dry          bool
	Trusting     bool // nobody has to confirm: the tenant is just being made
}

// errDry takes a plan back.
var errDry = errors.New("this was a plan")

// work carries a request out, or plans it.
func (s *Service) work(
	ctx context.Context,
	v viewer.Viewer,
	q request,
) (out PackInstallation, planned PlannedChange, err error) {
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		var err error
		if out, planned, err = s.in(ctx, tx, q); err != nil {
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

// in carries a request out in the caller's transaction. It writes, whatever Dry says: whoever plans takes it back.
func (s *Service) in(
	ctx context.Context,
	tx *pg.Tx,
	q request,
) (out PackInstallation, planned PlannedChange, err error) {
	if err := turn(ctx, tx); err != nil {
		return out, planned, err
	}
	a, err := find(ctx, tx, q.Key, q.Version)
	if err != nil {
		return out, planned, err
	}
	i, err := findInstallation(ctx, tx, q.Key)
	if err != nil && !fault.Is(err, fault.NotFound) {
		return out, planned, err
	}
	given := q.Parameters
	if i.State == stateInstalled && given == nil {
		given = kept(i.Parameters, a.Pack.Parameters)
	}
	values, err := parametersOf(a.Pack, given)
	if err != nil {
		return out, planned, err
	}
	planned = PlannedChange{
		PackKey:     q.Key,
		Version:     a.entry.Version,
		Parameters:  values,
		Birthrights: []BirthrightDiff{},
		PackPlan:    newPlan(),
	}
	done, err := i.standing(q, a.entry, values)
	if err != nil {
		return out, planned, err
	}
	if i.State == stateInstalled {
		from := i.PackVersion
		planned.FromVersion = &from
	}
	if done && !q.Dry {
		out, err = view(ctx, tx, i)
		return out, planned, err
	}
	p, problems := a.Fill(values)
	if format.Failed(problems) {
		return out, planned, invalid(problems)
	}
	return s.perform(ctx, tx, q, &i, a.entry, p, planned)
}

// kept are the values of parameters that a version has as well.
func kept(values map[string]any, parameters []format.Parameter) map[string]any {
	out := map[string]any{}
	for _, p := range parameters {
		if v, ok := values[p.Key]; ok {
			out[p.Key] = v
		}
	}
	return out
}

// standing says whether a request was carried out already, and refuses what does not fit what is installed.
func (i installation) standing(q request, entry SectorPack, values map[string]any) (done bool, err error) {
	if i.State != stateInstalled {
		if q.Upgrade {
			return false, notInstalled(q.Key)
		}
		return false, nil
	}
	same := i.PackVersion == entry.Version && i.Checksum == entry.Checksum && sameValues(i.Parameters, values)
	switch {
	case same:
		return true, nil
	case q.Upgrade && format.Compare(entry.Version, i.PackVersion) < 0:
		return false, fault.Coded(
			fault.Conflict,
			"pack_conflict",
			"%s is installed in version %s; %s is older, and an upgrade does not go back",
			q.Key,
			i.PackVersion,
			entry.Version,
		)
	case q.Upgrade || q.Dry:
		return false, nil
	case i.PackVersion != entry.Version:
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

func sameValues(a, b map[string]any) bool {
	x, errX := fields(a).normal()
	y, errY := fields(b).normal()
	return errX == nil && errY == nil && equal(x, y)
}

// perform changes the tenant.
func (s *Service) perform(
	ctx context.Context,
	tx *pg.Tx,
	q request,
	i *installation,
	entry SectorPack,
	p format.Pack,
	planned PlannedChange,
) (PackInstallation, PlannedChange, error) {
	var out PackInstallation
	before, err := rules(ctx, tx)
	if err != nil {
		return out, planned, err
	}
	was, err := birthrights(ctx, tx, i.ID)
	if err != nil {
		return out, planned, err
	}
	if i.State == stateInstalled && i.PackVersion != entry.Version {
		previous := i.PackVersion
		i.Previous = &previous
	}
	if i.State == stateUninstalled { // what it left behind is the tenant's
		if _, err := tx.Exec(
			ctx,
			`delete from sector_pack_object where tenant_id = current_tenant() and installation_id = $1`,
			i.ID,
		); err != nil {
			return out, planned, fmt.Errorf("forget what was uninstalled: %w", err)
		}
		i.Previous = nil
	}
	action := "sector_pack.installed"
	if i.State == stateInstalled {
		action = "sector_pack.upgraded"
	}
	i.Key, i.PackVersion, i.State, i.Parameters, i.InstalledBy = q.Key, entry.Version, stateInstalled,
		planned.Parameters, actor(tx)
	i.Checksum, i.Source, i.UninstallMode = entry.Checksum, entry.Source, nil
	if err := i.save(ctx, tx); err != nil {
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
	after, err := rules(ctx, tx)
	if err != nil {
		return out, planned, err
	}
	if planned.Impact, err = s.weigh(ctx, tx, before, after); err != nil {
		return out, planned, err
	}
	planned.PlanHash = hashOf(
		q.Key,
		entry.Version,
		entry.Checksum,
		planned.Parameters,
		planned.PackPlan,
		planned.Impact,
	)
	planned.Impact.PlanHash = planned.PlanHash
	if !q.Dry && !q.Trusting {
		if err := confirmed(planned.Impact, q.Confirm); err != nil {
			return out, planned, err
		}
	}
	err = audit.Record(ctx, tx, audit.Entry{Action: action, Subject: i.subject(), Context: map[string]any{
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

// confirmed is a fault of kind Conflict unless a change is within its limits, or somebody has seen exactly this.
func confirmed(impact policy.Impact, confirm string) error {
	switch {
	case confirm == impact.PlanHash || len(impact.LimitsHit) == 0 && confirm == "":
		return nil
	case confirm == "":
		return fault.Coded(fault.Conflict, "confirmation_required", "%s; look at the impact, and confirm it by its "+
			"plan_hash", impact.LimitsHit[0].Detail).
			Also("impact", impact)
	}
	return fault.Coded(fault.Conflict, "plan_changed", "what you have confirmed is not what would happen any more; "+
		"look at the impact again").
		Also("impact", impact)
}

// hashOf stands for exactly what would be done. What the notes say is no part of it.
func hashOf(parts ...any) string {
	sum := sha256.New()
	for _, p := range parts {
		if impact, is := p.(policy.Impact); is {
			impact.Notes, impact.PlanHash, impact.Sample = nil, "", nil
			impact.GrantsHeld, impact.ReasonsOnly = 0, 0 // a sync changes them, and not what is done
			p = impact
		}
		raw, _ := json.Marshal(p)
		sum.Write(raw)
		sum.Write([]byte{'\n'})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// birthrights are those of an installation as they are now, by key.
func birthrights(ctx context.Context, tx *pg.Tx, installation string) (map[string]fields, error) {
	out := map[string]fields{}
	if installation == "" {
		return out, nil
	}
	all, err := objects(ctx, tx, installation)
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for k, o := range all {
		if k.kind == format.KindBirthright && o.ID != nil && o.State != stateLeaving {
			ids[*o.ID] = k.key
		}
	}
	now, err := current(ctx, tx, format.KindBirthright, keysOf(ids))
	if err != nil {
		return nil, err
	}
	for id, f := range now {
		out[ids[id]] = f
	}
	return out, nil
}

func keysOf(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func compared(was, is map[string]fields) []BirthrightDiff {
	out := []BirthrightDiff{}
	for key, before := range was {
		after, there := is[key]
		if d := differing(before, after); !there || len(d) > 0 {
			diff := BirthrightDiff{ObjectKey: key, Before: map[string]any{}}
			if there {
				diff.After = map[string]any{}
				for _, name := range d {
					diff.Before[name], diff.After[name] = before[name], after[name]
				}
			} else {
				diff.Before = before
			}
			out = append(out, diff)
		}
	}
	for key, after := range is {
		if _, there := was[key]; !there {
			out = append(out, BirthrightDiff{ObjectKey: key, After: after})
		}
	}
	slices.SortFunc(
		out,
		func(a, b BirthrightDiff) int { return compareKeys(object{Key: a.ObjectKey}, object{Key: b.ObjectKey}) },
	)
	return out
}

// view is an installation as the API shows it.
func view(ctx context.Context, tx *pg.Tx, i installation) (PackInstallation, error) {
	out := PackInstallation{
		PackKey:         i.Key,
		Version:         i.PackVersion,
		State:           i.State,
		Parameters:      i.Parameters,
		Source:          i.Source,
		Checksum:        i.Checksum,
		InstalledBy:     i.InstalledBy,
		InstalledAt:     i.InstalledAt,
		UpdatedAt:       i.UpdatedAt,
		PreviousVersion: i.Previous,
		UninstallMode:   i.UninstallMode,
		Objects:         map[string]int{},
		revision:        i.Version,
	}
	rows, err := tx.Query(
		ctx,
		`select state, count(*) from sector_pack_object where tenant_id = current_tenant() and installation_id = $1
			group by state`,
		i.ID,
	)
	if err != nil {
		return out, fmt.Errorf("count objects of installation: %w", err)
	}
	var state string
	var n int
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&state, &n},
		func() error { out.Objects[state] = n; return nil },
	); err != nil {
		return out, fmt.Errorf("count objects of installation: %w", err)
	}
	const open = `select count(*) from sector_pack_conflict where tenant_id = current_tenant() and installation_id = $1
		and state = 'open'`
	if err := tx.QueryRow(ctx, open, i.ID).Scan(&out.OpenConflicts); err != nil {
		return out, fmt.Errorf("count open conflicts: %w", err)
	}
	return out, nil
}
