package install

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/merge"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/object"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// PackInstallation is what a tenant has of a pack.
type PackInstallation struct {
	PackKey string `json:"pack_key"`
	// Of the pack.
	Version     string         `json:"version"`
	State       string         `json:"state" enum:"installed,uninstalled"`
	Parameters  map[string]any `json:"parameters" nullable:"false"`
	Source      string         `json:"source" enum:"built_in,uploaded"`
	Checksum    string         `json:"checksum"`
	InstalledBy map[string]any `json:"installed_by" nullable:"false"`
	InstalledAt time.Time      `json:"installed_at"`
	UpdatedAt   time.Time      `json:"updated_at"`
	// The one before the last upgrade.
	PreviousVersion *string `json:"previous_version"`
	UninstallMode   *string `json:"uninstall_mode" enum:"detach,remove_unused,remove_all"`
	// How many there are by state: installed, pending_binding, conflict, skipped, leaving.
	Objects       map[string]int `json:"objects" nullable:"false"`
	OpenConflicts int            `json:"open_conflicts"`
	// What has just been done; null otherwise.
	Plan *PackPlan `json:"plan"`
	// Whose access it changes; null otherwise.
	Impact   *impact.Impact `json:"impact"`
	revision int
}

// PlannedChange is what would be done, and whose access it would change.
type PlannedChange struct {
	PackKey string `json:"pack_key"`
	Version string `json:"version"`
	// What is installed; null: nothing.
	FromVersion *string        `json:"from_version"`
	Parameters  map[string]any `json:"parameters" nullable:"false"`
	PackPlan
	// What changes of the birthrights, field by field.
	Birthrights []BirthrightDiff `json:"birthrights" nullable:"false"`
	Impact      impact.Impact    `json:"impact"`
	// The token of this exact plan. Send it as confirm.
	PlanHash string `json:"plan_hash"`
}

// BirthrightDiff is a birthright before and after.
type BirthrightDiff struct {
	ObjectKey string `json:"object_key"`
	// null: it is new.
	Before map[string]any `json:"before"`
	// null: it goes.
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

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

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
