package hold

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// ending is how what a run holds comes to its end without being applied.
type ending struct {
	holds  string // state of its holds
	run    string // state of the run
	code   string // of the run's error
	words  string // why, for readers of the run
	action string // in the audit log
	note   string // the user's own words
}

// Ends of what is held.
func superseded(by string) ending {
	return ending{
		"superseded",
		"discarded",
		"superseded",
		"a newer sync run of this connector computed the changes again; none of the held changes were applied",
		"sync_run.superseded",
		by,
	}
}

// discarded is how a hold ends that an administrator discards.
func discarded(comment string) ending {
	return ending{
		"discarded",
		"discarded",
		"discarded",
		"what was held has been discarded",
		"sync_run.discarded",
		comment,
	}
}

// Supersede discards what earlier runs of the connector hold, because this one has computed it anew. A preview
// supersedes nothing.
func Supersede(ctx context.Context, tx *pg.Tx, r reconcile.Run) error {
	if r.Preview {
		return nil
	}
	const earlier = `
		select id::text
		  from sync_run
		 where tenant_id = current_tenant() and connector_id = $1 and id <> $2 and status = 'held'
		 order by id
		   for update`
	held, err := reconcile.IDs(ctx, tx, "find held runs", earlier, r.Connector, r.ID)
	if err != nil {
		return err
	}
	for _, run := range held {
		if err := drop(ctx, tx, r.Connector, run, superseded(r.ID)); err != nil {
			return err
		}
	}
	return nil
}

// drop ends a held run that the caller has locked.
func drop(ctx context.Context, tx *pg.Tx, connector, run string, e ending) error {
	const changes = `
		update sync_change
		   set state = 'discarded', reason = coalesce(reason, $2)
		 where tenant_id = current_tenant() and run_id = $1 and state = 'held'`
	const holds = `
		update sync_hold
		   set state = $2, decided_at = now(), decided_by = $3, comment = nullif($4, '')
		 where tenant_id = current_tenant() and run_id = $1 and state in ('open', 'partly_released')`
	const ends = `
		update sync_run
		   set status = $2, phase = 'finish', error = $3, held_until = null, finished_at = now(), updated_at = now(),
		       lease_owner = null, lease_until = null, progress_seq = progress_seq + 1,
		       callback_state = case when callback_url is not null then 'pending' end, callback_attempts = 0,
		           callback_next_at = now()
		 where tenant_id = current_tenant() and id = $1`
	why, err := json.Marshal(v1.ErrorDetail{Class: v1.ClassPolicy, Code: e.code, Message: e.words})
	if err != nil {
		return fmt.Errorf("end held run: %w", err)
	}
	tag, err := tx.Exec(ctx, changes, run, e.words)
	if err != nil {
		return fmt.Errorf("discard held changes: %w", err)
	}
	if err := pg.Exec(ctx, tx, "close holds", holds, run, e.holds, decider(tx.Viewer), e.note); err != nil {
		return err
	}
	if err := pg.Exec(ctx, tx, "end held run", ends, run, e.run, why); err != nil {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  e.action,
		Subject: audit.Subject{Type: "sync_run", ID: run},
		Context: map[string]any{
			"run_id":       run,
			"connector_id": connector,
			"changes":      tag.RowsAffected(),
			"comment":      e.note,
		},
	})
}

// decider is who decided about a hold.
func decider(v viewer.Viewer) []byte {
	b, err := json.Marshal(map[string]string{"type": string(v.Kind), "id": v.ID, "display": v.Display})
	if err != nil {
		return []byte("{}")
	}
	return b
}
