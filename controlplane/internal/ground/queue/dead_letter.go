package queue

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Retry has the dead items of a subject wait again, with all their attempts, and says how many. They failed as one
// item, so they are retried as one.
func Retry(ctx context.Context, tx *pg.Tx, kind, subject string) (n int64, err error) {
	return revive(ctx, tx, "and w.subject = @subject", pgx.NamedArgs{"kind": kind, "subject": subject})
}

// RetryAll has all dead items of a kind wait again, with all their attempts, and says how many.
func RetryAll(ctx context.Context, tx *pg.Tx, kind string) (n int64, err error) {
	return revive(ctx, tx, "", pgx.NamedArgs{"kind": kind})
}

// revive updates rows, which the trigger on new items does not see: it announces them by itself.
func revive(ctx context.Context, tx *pg.Tx, which string, args pgx.NamedArgs) (n int64, err error) {
	sql := `
		update work_item w
		   set state = 'waiting', attempts = 0, due_at = now()
		 where w.tenant_id = current_tenant()
		   and w.kind = @kind
		   and w.state = 'dead' ` + which
	tag, err := tx.Exec(ctx, sql, args)
	if err != nil {
		return 0, fmt.Errorf("retry dead letters of %s: %w", args["kind"], err)
	}
	if tag.RowsAffected() == 0 {
		return 0, nil
	}
	return tag.RowsAffected(), pg.Notify(ctx, tx, Channel, "")
}

// Delete deletes the dead items of a subject, and says how many. Their work is not done, unless the subject is enqueued
// again.
func Delete(ctx context.Context, tx *pg.Tx, kind, subject string) (n int64, err error) {
	const sql = `
		delete from work_item w
		 where w.tenant_id = current_tenant()
		   and w.kind = $1
		   and w.subject = $2
		   and w.state = 'dead'`
	tag, err := tx.Exec(ctx, sql, kind, subject)
	if err != nil {
		return 0, fmt.Errorf("delete dead letters of %s: %w", kind, err)
	}
	return tag.RowsAffected(), nil
}
