package hold

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Subset names a part of what is held. Each list that is given must match, by any of its values.
type Subset struct {
	// Kinds of hold, such as account_missing.
	Kinds []string `json:"kinds,omitempty" maxItems:"100"`
	// Kinds of object: identity, account, entitlement, grant, nesting.
	Objects []string `json:"objects,omitempty" maxItems:"10"`
	// Kinds of change: create, update, disable, missing, remove, reappear.
	Changes []string `json:"changes,omitempty" maxItems:"10"`
	// Departments of the people, or of the accounts' owners.
	Departments []string `json:"departments,omitempty" maxItems:"1000"`
	// Branches of the directory tree, including everything below them.
	Containers []string `json:"containers,omitempty" maxItems:"1000"`
	// IDs of the objects in their system.
	ExternalIDs []string `json:"external_ids,omitempty" maxItems:"10000"`
}

// Decision releases what is held, or a part of it. Digest and count say what was seen: if something else is held,
// nothing happens.
type Decision struct {
	// Part of the held changes to apply; without it, all of them.
	Subset *Subset `json:"subset,omitempty"`
	// Reason why the changes may be applied, which is recorded in the audit log.
	Comment string `json:"comment" minLength:"1" maxLength:"2000"`
	// Number of held changes that the subset is expected to match.
	ExpectedCount int64 `json:"expected_count" minimum:"1"`
	// Digest of all held changes, as GET holds returns it.
	Digest string `json:"digest" minLength:"64" maxLength:"64"`
}

// Released answers a release.
type Released struct {
	// ID of the sync run.
	RunID string `json:"run_id"`
	// Status of the sync run after the release.
	Status string `json:"status"`
	// Number of changes that are applied now, each after another check.
	Released int64 `json:"released"`
	// Number of changes that still await a decision.
	Held int64 `json:"held"`
	// URLs of the sync run and of related resources, by name.
	Links map[string]string `json:"links"`
}

// channel announces to the engine that a run has something to do.
const channel = "sync_run"

// Release lets what is held be applied, or a part of it. The run goes back to applying, and the engine merges what is
// let go.
func (s *Service) Release(
	ctx context.Context,
	v viewer.Viewer,
	connector, run string,
	d Decision,
) (out Released, err error) {
	err = s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error {
		out, err = Release(ctx, tx, connector, run, d, s.Now())
		return err
	})
	if err == nil && s.Wake != nil {
		s.Wake()
	}
	return out, err
}

// Release is Service.Release within a transaction, whose plans should be those of pg.DB.AsBulk.
func Release(ctx context.Context, tx *pg.Tx, connector, run string, d Decision, now time.Time) (Released, error) {
	out := Released{RunID: run, Status: "applying", Links: reconcile.Links(connector, run)}
	if err := mayDecide(ctx, tx, connector, run); err != nil {
		return out, err
	}
	if err := activeElsewhere(ctx, tx, connector); err != nil {
		return out, err
	}
	digest, held, err := Digest(ctx, tx, run)
	if err != nil {
		return out, err
	}
	if digest != d.Digest {
		return out, fault.Coded(fault.Conflict, "digest_mismatch", "the held changes differ from the ones you "+
			"reviewed; review them again").
			Also("digest", digest).
			Also("held", held)
	}
	if out.Released, err = letGo(ctx, tx, run, d.Subset); err != nil {
		return out, err
	}
	if out.Released != d.ExpectedCount {
		return out, fault.Coded(fault.Conflict, "count_mismatch",
			"this would apply %d changes, not %d; nothing was done", out.Released, d.ExpectedCount).
			Also("count", out.Released)
	}
	out.Held = held - out.Released
	if err := unmark(ctx, tx, run, out.Held == 0); err != nil {
		return out, err
	}
	err = goOn(ctx, tx, connector, run, d, out, now)
	if pg.Violates(err, "sync_run_one_active") { // it began between the look and the write
		return out, fault.Coded(
			fault.Conflict,
			"sync_already_running",
			"another run of this connector is active and takes the place of this one",
		)
	}
	return out, err
}

// letGo turns the held changes of a subset into pending ones, and says how many.
func letGo(ctx context.Context, tx *pg.Tx, run string, part *Subset) (int64, error) {
	sql := `update sync_change c set state = 'pending' where c.tenant_id = current_tenant() and c.run_id = @run
		and c.state = 'held'`
	args := pgx.NamedArgs{"run": run}
	if part == nil {
		part = &Subset{}
	}
	for _, by := range []struct {
		name, condition string
		values          []string
	}{
		{"kinds", "c.guard = any(@kinds)", part.Kinds},
		{"objects", "c.object = any(@objects)", part.Objects},
		{"changes", "c.change = any(@changes)", part.Changes},
		{"departments", "c.department = any(@departments)", part.Departments},
		{"containers", "exists (select from unnest(@containers::text[]) b (name) where c.container = b.name or " +
			"right(c.container, length(b.name) + 1) = ',' || b.name)", part.Containers},
		{"external_ids", "c.external_id = any(@external_ids)", part.ExternalIDs},
	} {
		if len(by.values) > 0 {
			sql += " and " + by.condition
			args[by.name] = by.values
		}
	}
	tag, err := tx.Exec(ctx, sql, args)
	if err != nil {
		return 0, fmt.Errorf("let held changes go: %w", err)
	}
	return tag.RowsAffected(), nil
}

// unmark lets the merge take the staged rows of what was let go: all of the run, or those whose change is pending now.
func unmark(ctx context.Context, tx *pg.Tx, run string, all bool) error {
	const whole = `update %s set held = null where tenant_id = current_tenant() and run_id = $1 and held`
	const some = `
		update %[1]s s
		   set held = null
		  from sync_change c
		 where c.tenant_id = current_tenant()
		   and c.run_id = $1
		   and c.object = '%[2]s'
		   and c.state = 'pending'
		   and s.tenant_id = current_tenant()
		   and s.run_id = $1
		   and s.held
		   and s.%[3]s`
	for i, object := range []string{"identity", "account", "entitlement", "grant"} {
		sql := fmt.Sprintf(whole, reconcile.Stages[i])
		switch {
		case all:
		case object == "grant":
			sql = fmt.Sprintf(some, reconcile.Stages[i], object, "seq = c.stage_seq and s.ord = c.stage_ord")
		default:
			sql = fmt.Sprintf(some, reconcile.Stages[i], object, "external_id = c.external_id")
		}
		if err := pg.Exec(ctx, tx, "take up again what was held", sql, run); err != nil {
			return err
		}
	}
	return nil
}

// goOn notes the decision at the holds and puts the run back to applying. Where the whole run is held, a hold is not
// over before everything is decided, also what was held along with it.
func goOn(ctx context.Context, tx *pg.Tx, connector, run string, d Decision, out Released, now time.Time) error {
	const holds = `
		update sync_hold h
		   set state = case when exists (select from sync_change c
		                                  where c.tenant_id = h.tenant_id and c.run_id = h.run_id and c.state = 'held'
		                                    and (c.guard is null or c.guard = h.kind
		                                         or not exists (select from sync_hold o where o.tenant_id = c.tenant_id
		                                             and o.run_id = c.run_id and o.kind = c.guard)))
		                    then 'partly_released' else 'released' end,
		       decided_at = now(), decided_by = $2, comment = $3
		 where h.tenant_id = current_tenant()
		   and h.run_id = $1
		   and h.state in ('open', 'partly_released')
		   and (exists (select from sync_change c
		                 where c.tenant_id = h.tenant_id and c.run_id = h.run_id and c.state = 'pending'
		                     and c.guard = h.kind)
		        or not exists (select from sync_change c
		                        where c.tenant_id = h.tenant_id and c.run_id = h.run_id and c.state = 'held'
		                            and c.guard = h.kind))`
	const again = `
		update sync_run
		   set status = 'applying', phase = 'apply', release = $2, finished_at = null, cancel_requested = false,
		       lease_owner = null, lease_until = null, progress_at = now(), updated_at = now(),
		           progress_seq = progress_seq + 1
		 where tenant_id = current_tenant() and id = $1`
	release, err := json.Marshal(
		map[string]any{
			"by":      json.RawMessage(decider(tx.Viewer)),
			"at":      now.UTC().Format(time.RFC3339),
			"comment": d.Comment,
			"changes": out.Released,
			"held":    out.Held,
			"subset":  d.Subset,
		},
	)
	if err != nil {
		return fmt.Errorf("write release: %w", err)
	}
	if err := pg.Exec(ctx, tx, "note decision", holds, run, decider(tx.Viewer), d.Comment); err != nil {
		return err
	}
	if err := pg.Exec(ctx, tx, "go on with run", again, run, release); err != nil {
		return err
	}
	err = audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  "sync_run.released",
			Subject: audit.Subject{Type: "sync_run", ID: run},
			Context: map[string]any{
				"run_id":       run,
				"connector_id": connector,
				"comment":      d.Comment,
				"changes":      out.Released,
				"held":         out.Held,
				"digest":       d.Digest,
				"subset":       d.Subset,
			},
		},
	)
	if err != nil {
		return err
	}
	return pg.Notify(ctx, tx, channel, run)
}

// Discard ends what a run holds without applying any of it.
func (s *Service) Discard(ctx context.Context, v viewer.Viewer, connector, run, comment string) error {
	return s.DB.AsBulk(ctx, v, func(tx *pg.Tx) error { return Discard(ctx, tx, connector, run, comment) })
}

// Discard is Service.Discard within a transaction.
func Discard(ctx context.Context, tx *pg.Tx, connector, run, comment string) error {
	if err := mayDecide(ctx, tx, connector, run); err != nil {
		return err
	}
	return drop(ctx, tx, connector, run, discarded(comment))
}
