package planner

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/plan"
)

// most is how many people are planned at once: a bound of memory, and of how long one transaction takes.
const most = 1000

// planLock is the lock that planning for a tenant holds.
const planLock = `hashtextextended('provisioning|' || current_tenant()::text, 0)`

// Planned is what a plan has made.
type Planned struct {
	Accounts, Grants, Tasks, Cancelled int
}

// Plan compares what these people should hold, and whether they are here at all, with their accounts and grants, and
// writes down what has to be changed. Planning again changes nothing. One plan of a tenant is made at a time; the next
// one waits.
func Plan(ctx context.Context, tx *pg.Tx, identityIDs []string, urgent bool) (Planned, error) {
	var sum Planned
	if err := pg.Exec(ctx, tx, "wait for another plan", `select pg_advisory_xact_lock(`+planLock+`)`); err != nil {
		return sum, err
	}
	for ids := range slices.Chunk(identityIDs, most) {
		people, can, err := readPeople(ctx, tx, ids, urgent)
		if err != nil {
			return sum, err
		}
		out := &plan.Plan{Can: can, Creates: map[string]string{}}
		for _, p := range people {
			p.Decide(out)
		}
		if err := WritePlan(ctx, tx, out, &sum); err != nil {
			return sum, err
		}
		if err := noteModes(ctx, tx, can); err != nil {
			return sum, err
		}
	}
	return sum, nil
}

// noteModes marks the connectors whose write mode is another one than when their people were last looked at. The upkeep
// compares modes only from time to time: a mode that was set and taken back in between would go unnoticed, and who was
// planned for in it would stay simulated or unplanned.
func noteModes(ctx context.Context, tx *pg.Tx, can map[string]ability.Ability) error {
	ids, modes := make([]string, 0, len(can)), make([]string, 0, len(can))
	for id, a := range can {
		ids, modes = append(ids, id), append(modes, a.Mode)
	}
	const sql = `
		update provisioning_lane l
		   set planned_mode = null
		  from unnest($1::text[]::uuid[], $2::text[]) c (id, mode)
		 where l.connector_id = c.id
		   and l.planned_mode <> c.mode`
	return pg.Exec(ctx, tx, "note how connectors write", sql, ids, modes)
}

// KnownSQL is the SQL of whether a person i went when they were known here. Who comes as a leaver from the first, or
// had left before, is none whom we see go: what is left of theirs is found and asked about.
const KnownSQL = `(i.urgent or i.status_changed_at > i.created_at
	and (i.status_changed_at > i.created_at + interval '1 day' or coalesce(i.last_working_at,
	  (i.termination_date + 1)::timestamptz, 'infinity') > i.created_at))`
