package install

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/object"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// PackInstallation is what a tenant has of a pack.
type PackInstallation struct {
	// Key of the sector pack.
	PackKey string `json:"pack_key"`
	// Of the pack.
	Version string `json:"version"`
	// Whether the sector pack is installed or has been uninstalled.
	State string `json:"state" enum:"installed,uninstalled"`
	// Values of the parameters by key, including defaults.
	Parameters map[string]any `json:"parameters" nullable:"false"`
	// Origin of the sector pack: built_in if it is part of the product, uploaded if an administrator uploaded it.
	Source string `json:"source" enum:"built_in,uploaded"`
	// SHA-256 checksum of the installed version of the sector pack.
	Checksum string `json:"checksum"`
	// Actor of the last installation or upgrade, with type, id and display.
	InstalledBy map[string]any `json:"installed_by" nullable:"false"`
	// Time of the last installation or upgrade.
	InstalledAt time.Time `json:"installed_at"`
	// Time the installation was last changed.
	UpdatedAt time.Time `json:"updated_at"`
	// The one before the last upgrade.
	PreviousVersion *string `json:"previous_version"`
	// Way in which the sector pack was uninstalled. Null while it is installed.
	UninstallMode *string `json:"uninstall_mode" enum:"detach,remove_unused,remove_all"`
	// How many there are by state: installed, pending_binding, conflict, skipped, leaving.
	Objects map[string]int `json:"objects" nullable:"false"`
	// Number of conflicts that wait for a decision.
	OpenConflicts int `json:"open_conflicts"`
	// What has just been done; null otherwise.
	Plan *PackPlan `json:"plan"`
	// Whose access it changes; null otherwise.
	Impact   *impact.Impact `json:"impact"`
	revision int
}

// PlannedChange is what would be done, and whose access it would change.
type PlannedChange struct {
	// Key of the sector pack.
	PackKey string `json:"pack_key"`
	// Version of the sector pack that would be installed.
	Version string `json:"version"`
	// What is installed; null: nothing.
	FromVersion *string `json:"from_version"`
	// Values of the parameters by key, including defaults.
	Parameters map[string]any `json:"parameters" nullable:"false"`
	PackPlan
	// What changes of the birthrights, field by field.
	Birthrights []BirthrightDiff `json:"birthrights" nullable:"false"`
	// Access that the change would add and end.
	Impact impact.Impact `json:"impact"`
	// Violations of separation-of-duties policies that the change would cause and end, and conflicts in roles.
	Separation PackSeparation `json:"separation"`
	// The token of this exact plan. Send it as confirm.
	PlanHash string `json:"plan_hash"`
}

// BirthrightDiff is a birthright before and after.
type BirthrightDiff struct {
	// Key of the birthright policy in the sector pack.
	ObjectKey string `json:"object_key"`
	// Fields of the birthright policy before the change. Null if it is new.
	Before map[string]any `json:"before"`
	// Fields of the birthright policy after the change. Null if it is removed.
	After map[string]any `json:"after"`
}

// birthrights are those of an installation as they are now, by key.
func birthrights(ctx context.Context, tx *pg.Tx, id string) (map[string]merge.Fields, error) {
	out := map[string]merge.Fields{}
	if id == "" {
		return out, nil
	}
	all, err := installation.Objects(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for k, o := range all {
		if k.Kind == format.KindBirthright && o.ID != nil && o.State != installation.StateLeaving {
			ids[*o.ID] = k.Key
		}
	}
	now, err := object.Current(ctx, tx, format.KindBirthright, sortedKeys(ids))
	if err != nil {
		return nil, err
	}
	for id, f := range now {
		out[ids[id]] = f
	}
	return out, nil
}

// sortedKeys are the keys in order.
func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// compared lists what changes of the birthrights, in the order of keys. After is nil for one that
// goes, Before for one that comes.
func compared(was, is map[string]merge.Fields) []BirthrightDiff {
	out := []BirthrightDiff{}
	for key, before := range was {
		after, there := is[key]
		if d := merge.Differing(before, after); !there || len(d) > 0 {
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
		func(a, b BirthrightDiff) int {
			return compareKeys(installation.Object{Key: a.ObjectKey}, installation.Object{Key: b.ObjectKey})
		},
	)
	return out
}

// view is an installation as the API shows it.
func view(ctx context.Context, tx *pg.Tx, i installation.Installation) (PackInstallation, error) {
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
	var state string
	var n int
	if err := pg.Each(
		ctx,
		tx,
		"count objects of installation",
		[]any{&state, &n},
		func() error { out.Objects[state] = n; return nil },
		`select state, count(*) from sector_pack_object where tenant_id = current_tenant() and installation_id = $1
			group by state`,
		i.ID,
	); err != nil {
		return out, err
	}
	const open = `select count(*) from sector_pack_conflict where tenant_id = current_tenant() and installation_id = $1
		and state = 'open'`
	if err := tx.QueryRow(ctx, open, i.ID).Scan(&out.OpenConflicts); err != nil {
		return out, fmt.Errorf("count open conflicts: %w", err)
	}
	return out, nil
}
