package scan

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// States of a scan.
const (
	NeverRun  = "never_run" // no scan was requested yet; there is no row
	Waiting   = "waiting"
	Running   = "running"
	Completed = "completed"
	Cancelled = "cancelled"
)

// Causes of a scan.
const (
	causeRequest = "request"
	causeChange  = "change"
	causeNight   = "night"
)

// SeparationScan is the last or current scan of all people for violations of separation-of-duties policies.
type SeparationScan struct {
	// ID of the scan. Null before the first scan.
	ID *string `json:"id" db:"id"`
	// State of the scan. never_run: no scan was requested yet.
	State string `json:"state" db:"state" enum:"never_run,waiting,running,completed,cancelled"`
	// Why the scan runs. change: policies, duties or their entitlements changed. night: it runs every night. Null
	// before the first scan.
	Cause *string `json:"cause" db:"cause" enum:"request,change,night"`
	// Who requested the scan. Null: it was not requested.
	RequestedBy *decision.Actor `json:"requested_by" db:"requested_by"`
	// Number of people to evaluate. 0 until the scan begins.
	Total int `json:"total" db:"total"`
	// Number of people evaluated so far.
	Done int `json:"done" db:"done"`
	// Number of violations found, new or again.
	Found int `json:"found" db:"found"`
	// Number of open violations that changed.
	Changed int `json:"changed" db:"changed"`
	// Number of violations that were no longer found.
	Remediated int `json:"remediated" db:"remediated"`
	// Time the scan was requested. Null before the first scan.
	RequestedAt *time.Time `json:"requested_at" db:"requested_at"`
	// Time the scan began. Null: not yet.
	StartedAt *time.Time `json:"started_at" db:"started_at"`
	// Time the scan ended. Null: not yet.
	FinishedAt *time.Time `json:"finished_at" db:"finished_at"`

	// Position is the last identity that was evaluated. Empty: none.
	Position string `json:"-" db:"position"`
}

// isLive reports whether the scan has not ended.
func (s SeparationScan) isLive() bool { return s.State == Waiting || s.State == Running }

const columns = `s.id::text, s.state, s.cause, nullif(s.requested_by, '{}') as requested_by, s.total, s.done, s.found,
	s.changed, s.remediated, s.requested_at, s.started_at, s.finished_at, coalesce(s.position::text, '') as position`

// last reads the last or current scan of the tenant. none is true if there never was one.
func last(ctx context.Context, tx *pg.Tx, locking string) (s SeparationScan, none bool, err error) {
	s, err = pg.One[SeparationScan](ctx, tx, "read scan", `select `+columns+` from separation_scan s`+locking)
	if errors.Is(err, pgx.ErrNoRows) {
		return SeparationScan{State: NeverRun}, true, nil
	}
	return s, false, err
}

// request makes a scan wait, unless one waits or runs already. A running scan that a change of policies concerns
// starts again from the beginning.
func request(ctx context.Context, tx *pg.Tx, cause string, now time.Time) error {
	const sql = `
		insert into separation_scan as s (tenant_id, id, state, cause, requested_by, requested_at)
		values (current_tenant(), @id, 'waiting', @cause, @by, @now)
		    on conflict (tenant_id) do update
		   set id = excluded.id, state = 'waiting', cause = excluded.cause, requested_by = excluded.requested_by,
		       requested_at = excluded.requested_at, position = null, total = 0, done = 0, found = 0, changed = 0,
		       remediated = 0, started_at = null, finished_at = null
		 where s.state in ('completed', 'cancelled') or s.state = 'running' and @cause = 'change'`
	args := pgx.NamedArgs{"id": uuid.Must(uuid.NewV7()).String(), "cause": cause, "now": now,
		"by": map[string]any{}}
	if cause == causeRequest {
		args["by"] = decision.ActorOf(tx.Viewer)
	}
	return pg.Exec(ctx, tx, "request scan", sql, args)
}

// begin starts a waiting scan, and counts whom it will meet.
func begin(ctx context.Context, tx *pg.Tx, now time.Time) error {
	const sql = `
		update separation_scan s
		   set state = 'running', started_at = @now, position = null, done = 0,
		       total = (select count(*) from identity)
		 where s.state = 'waiting'`
	if err := pg.Exec(ctx, tx, "begin scan", sql, pgx.NamedArgs{"now": now}); err != nil {
		return err
	}
	return enqueueBlind(ctx, tx)
}

// enqueueBlind enqueues the policies that are blind and not asked about, and those that are asked about and not blind.
// A scan begins after each change by which a policy could turn blind or see again.
func enqueueBlind(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		with dark as materialized (` + separationpolicy.BlindSQL + `
		), asked as (
		    select t.key::uuid as id
		      from decision_task t
		     where t.kind = 'blind_policy'
		       and t.state in ('open', 'claimed')
		)
		select enqueue_inbox('blind_policy', p.id)
		  from separation_policy p
		 where (p.id in (select id from dark)) <> (p.id in (select id from asked))`
	return pg.Exec(ctx, tx, "enqueue blind policies", sql)
}

// piece is a row of identities: those with IDs above after, up to last.
type piece struct {
	after, last string
	n           int
}

// next finds the piece after a position. It is empty when everybody was met.
func next(ctx context.Context, tx *pg.Tx, position string, most int) (p piece, err error) {
	const sql = `
		select count(*), coalesce(max(n.id::text), '')
		  from (select i.id from identity i where i.id > $1::uuid order by i.id limit $2) n`
	p.after = position
	if p.after == "" {
		p.after = uuid.Nil.String()
	}
	err = tx.QueryRow(ctx, sql, p.after, most).Scan(&p.n, &p.last)
	return p, err
}

// step evaluates the next piece of a running scan, and ends the scan if there is none.
func (s SeparationScan) step(ctx context.Context, tx *pg.Tx, most int, now time.Time) error {
	const (
		end = `
			update separation_scan
			   set state = 'completed', finished_at = @now, completed_at = @now, completed_people = done`
		put = `
			update separation_scan
			   set position = @position, done = done + @n, found = found + @found, changed = changed + @changed,
			       remediated = remediated + @remediated`
	)
	p, err := next(ctx, tx, s.Position, most)
	if err != nil {
		return err
	}
	if p.n == 0 {
		return pg.Exec(ctx, tx, "end scan", end, pgx.NamedArgs{"now": now})
	}
	b, err := rulebook.For(ctx, tx)
	if err != nil {
		return err
	}
	people, err := p.suspects(ctx, tx, b, now)
	if err != nil {
		return err
	}
	n, err := evaluate(ctx, tx, b, people, violation.ByScan, now)
	if err != nil {
		return err
	}
	return pg.Exec(ctx, tx, "store the progress of a scan", put, pgx.NamedArgs{"position": p.last, "n": p.n,
		"found": n.Found, "changed": n.Changed, "remediated": n.Remediated})
}
