package staging

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Write stages a batch in the caller's transaction: COPY into temporary tables, because COPY into a table under row
// security is refused, and one insert each from there. seq numbers the chunk in its run; page may be nil.
func Write(ctx context.Context, tx *pg.Tx, run string, seq int, b *Batch, page *v1.Page) error {
	tenant, err := uuid.Parse(tx.Viewer.Tenant)
	if err != nil {
		return fmt.Errorf("tenant id: %w", err)
	}
	runID, err := uuid.Parse(run)
	if err != nil {
		return fmt.Errorf("run id: %w", err)
	}
	prefix := [2]pgtype.UUID{binaryUUID(tenant), binaryUUID(runID)}
	var batch pgx.Batch
	for i, t := range Tables {
		if len(b.rows[i]) == 0 {
			continue
		}
		if err := pg.Exec(
			ctx,
			tx,
			"temporary table for "+t.Name,
			"create temp table if not exists tmp_"+t.Name+" (like "+t.Name+") on commit delete rows",
		); err != nil {
			return err
		}
		columns := append([]string{"tenant_id", "run_id", "seq", "ord"}, names(t.columns)...)
		rows := b.rows[i]
		line := make([]any, 0, len(columns))
		source := pgx.CopyFromSlice(len(rows), func(n int) ([]any, error) {
			return append(append(line[:0], prefix[0], prefix[1], seq, n), rows[n]...), nil
		})
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{"tmp_" + t.Name}, columns, source); err != nil {
			return fmt.Errorf("copy into %s: %w", t.Name, err)
		}
		batch.Queue("insert into " + t.Name + " select * from tmp_" + t.Name)
	}
	for _, a := range b.Rejected {
		queueAside(&batch, run, a)
	}
	queuePage(&batch, run, seq, page)
	if batch.Len() == 0 {
		return nil
	}
	if err := tx.SendBatch(ctx, &batch).Close(); err != nil {
		return fmt.Errorf("stage chunk %d: %w", seq, err)
	}
	return nil
}

// MaxRejected bounds how many rejected records and values of a run are kept; the counter goes on.
const MaxRejected = 10000

// queueAside queues the insertion of what was rejected.
func queueAside(batch *pgx.Batch, run string, a Rejected) {
	const sql = `
		insert into sync_error (tenant_id, run_id, object, external_id, code, message, field, whole, digest)
		values (current_tenant(), $1, $2, $3, $4, $5, $6, $7, $8)`
	batch.Queue(sql, run, a.Object, a.ExternalID, a.Code, a.Message, a.Field, a.Whole, a.Digest)
}

// queuePage keeps what a page says about records that it does not bring: those that are still there, and what was read
// to its end. A page that is read again after resuming says it again.
func queuePage(batch *pgx.Batch, run string, seq int, page *v1.Page) {
	if page == nil {
		return
	}
	const present = `
		insert into stage_present (tenant_id, run_id, seq, kind, external_id)
		select current_tenant(), $1, $2, $3, id
		  from unnest($4::text[]) as id
		on conflict do nothing`
	for _, p := range page.Present {
		batch.Queue(present, run, seq, string(p.Kind), slices.DeleteFunc(slices.Clone(p.ExternalIDs), unusable))
	}
	const scope = `
		insert into stage_scope (tenant_id, run_id, kind, key, complete, count)
		values (current_tenant(), $1, $2, $3, $4, $5)
		on conflict (tenant_id, run_id, kind, key) do update
		   set complete = excluded.complete, count = excluded.count`
	for _, s := range page.Scopes {
		if unusable(s.Key) {
			continue
		}
		batch.Queue(scope, run, string(s.Kind), s.Key, s.Complete, s.Count)
	}
}

// unusable is true for a key that no stored record can have.
func unusable(key string) bool { return len(key) > maxKey+len("entitlement:") || !Storable(key) }

// binaryUUID spares the driver the way over text, which costs a third of a COPY.
func binaryUUID(id uuid.UUID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: true} }

// Clear drops what a connector's ended runs have staged. It comes after a run has ended, so that nothing waits for it,
// and before the next begins, in case it did not come to it. What a held run has staged waits with it.
func Clear(ctx context.Context, tx *pg.Tx, connector string) error {
	for _, t := range append(TableNames(), "stage_scope", "stage_present") {
		sql := "delete from " + t + ` s
			using sync_run r
			where s.tenant_id = current_tenant()
			  and r.tenant_id = s.tenant_id
			  and r.id = s.run_id
			  and r.connector_id = $1
			  and r.finished_at is not null`
		if err := pg.Exec(ctx, tx, "clear "+t, sql, connector); err != nil {
			return err
		}
	}
	return nil
}
