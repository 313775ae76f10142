package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/lease"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

// Terms are those of the lease on a run. It is renewed each second, so that a cancel is noticed soon.
var Terms = lease.Terms{Length: 15 * time.Second, Every: time.Second, Doubt: 15 * time.Second}

// ErrFenced means that a run no longer belongs to the worker: another one has taken it, or it has ended.
var ErrFenced = lease.ErrLost

// Lease is a worker's hold on a run. Every write of the work goes through it, so that two workers can never mix.
type Lease struct {
	Run     string
	Process string // of the worker
	Attempt int    // the number under which it took the run
}

// Update runs a statement that changes the run's row. Its parameters $1, $2 and $3 are the lease, which its condition
// must compare with id, lease_owner and attempt; args follow from $4. It fails with ErrFenced if no row is changed.
func (l Lease) Update(ctx context.Context, tx *pg.Tx, sql string, args ...any) error {
	err := lease.Fenced(tx.Exec(ctx, sql, append([]any{l.Run, l.Process, l.Attempt}, args...)...))
	if err != nil {
		return fmt.Errorf("update run: %w", err)
	}
	return nil
}

// Check fails with ErrFenced if another worker has the run. A long transaction begins with it, so that it is not done
// for nothing, and ends with an Update. It locks nothing: the lease must be renewed meanwhile.
func (l Lease) Check(ctx context.Context, tx *pg.Tx) error {
	const sql = `select exists (select from sync_run where tenant_id = current_tenant() and id = $1
		and lease_owner = $2 and attempt = $3)`
	var ours bool
	if err := tx.QueryRow(ctx, sql, l.Run, l.Process, l.Attempt).Scan(&ours); err != nil {
		return fmt.Errorf("look at the lease: %w", err)
	}
	if !ours {
		return ErrFenced
	}
	return nil
}

// Enter notes that the run has come to a state and phase.
func (l Lease) Enter(ctx context.Context, tx *pg.Tx, status syncrun.Status, phase string) error {
	const sql = `
		update sync_run
		   set phase = $4, status = $5, progress_seq = progress_seq + 1, updated_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	return l.Update(ctx, tx, sql, phase, status)
}

// Notice is what a connector reports between its chunks.
type Notice struct {
	Fresh         bool       // false: the row shows it already
	RateWaitUntil *time.Time // the target asked for patience until then
	Message       string
}

// Renew prolongs the lease, and writes what the connector reports. found is false if the lease is lost, cancel is true
// if the run is to be cancelled, and open is false if its tenant is suspended.
func (l Lease) Renew(ctx context.Context, tx *pg.Tx, n Notice) (found, cancel, open bool, err error) {
	const sql = `
		update sync_run
		   set lease_until = now() + $4::interval,
		       rate_wait_until = case when $5 then $6 else rate_wait_until end,
		       message = case when $5 then $7 else message end,
		           progress_seq = progress_seq + case when $5 then 1 else 0 end
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3
		returning cancel_requested, (select t.status = 'active' from tenant t where t.id = current_tenant())`
	until := Terms.Length.String()
	err = tx.QueryRow(ctx, sql, l.Run, l.Process, l.Attempt, until, n.Fresh, n.RateWaitUntil, n.Message).
		Scan(&cancel, &open)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, false, false, nil
	}
	return err == nil, cancel, open, err
}

// HandBack leaves the run to the worker that takes it next, after a pause. innocent is true if it ended for no fault
// of its own, and does not count as a failure. A lease that is lost already is left alone.
func (l Lease) HandBack(ctx context.Context, tx *pg.Tx, pause time.Duration, innocent bool) error {
	const sql = `
		update sync_run
		   set status = 'queued', phase = 'dispatch', lease_owner = null, lease_until = now() + $4::interval,
		       failures = failures - case when $5 then least(failures, 1) else 0 end, rate_wait_until = null,
		       message = '', progress_seq = progress_seq + 1, updated_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	if err := l.Update(ctx, tx, sql, pause.String(), innocent); err != nil && !errors.Is(err, ErrFenced) {
		return err
	}
	return pg.Notify(ctx, tx, syncrun.Channel, l.Run)
}

// Alive takes back that the lease's process has died in the run: it was only late, as when the database was away.
func (l Lease) Alive(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		update sync_run
		   set lapsed = array_remove(lapsed, $2::uuid)
		 where tenant_id = current_tenant()
		   and id = $1
		   and $2::uuid = any (lapsed)`
	_, err := tx.Exec(ctx, sql, l.Run, l.Process)
	return err
}
