package simulation

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/duty"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Limits of stored simulations.
const (
	mostLive  = 10                 // of a tenant at once
	timeLimit = time.Hour          // from the beginning
	retention = 7 * 24 * time.Hour // from the end
)

// Reasons why a simulation failed.
const (
	failedTimeLimit   = "time_limit"
	failedDefinitions = "definitions_changed"
)

// SeparationSimulation is a simulation that runs in the background and keeps its result for seven days.
type SeparationSimulation struct {
	// ID of the simulation.
	ID string `json:"id" db:"id"`
	// State of the simulation.
	State State `json:"state" db:"state" enum:"waiting,running,completed,cancelled,failed"`
	// Why it failed. time_limit: it did not end within an hour. definitions_changed: a duty that it needs was deleted,
	// or the change no longer fits the duty. Null unless the state is failed.
	Failure *string `json:"failure" db:"failure" enum:"time_limit,definitions_changed"`
	// ID of the simulated policy. Null if it is not saved, or a duty is simulated.
	PolicyID *string `json:"policy_id" db:"policy_id"`
	// ID of the simulated duty. Null if a policy is simulated.
	DutyID *string `json:"duty_id" db:"duty_id"`
	// Name of the simulated policy or duty.
	Name string `json:"name" db:"name"`
	// Who requested the simulation.
	RequestedBy decision.Actor `json:"requested_by" db:"requested_by"`
	// Number of people to evaluate. 0 until the simulation begins.
	Total int `json:"total" db:"total"`
	// Number of people evaluated so far.
	Done int `json:"done" db:"done"`
	// Number of violations so far that the change would cause.
	ViolationsNew int `json:"violations_new" db:"violations_new"`
	// Number of violations so far that the change would end.
	ViolationsClosed int `json:"violations_closed" db:"violations_closed"`
	// Number of violations so far that stay.
	ViolationsUnchanged int `json:"violations_unchanged" db:"violations_unchanged"`
	// Figures of all people, by policy and by department. Null until the simulation is completed, and in lists.
	Impact *SeparationImpact `json:"impact" db:"impact"`
	// Time the simulation was requested.
	RequestedAt time.Time `json:"requested_at" db:"requested_at"`
	// Time the simulation began. Null: not yet.
	StartedAt *time.Time `json:"started_at" db:"started_at"`
	// Time the simulation ended. Null: not yet.
	FinishedAt *time.Time `json:"finished_at" db:"finished_at"`
	// Time the simulation and its result are deleted. Null: it has not ended.
	DeleteAt *time.Time `json:"delete_at" db:"delete_at"`
}

// subject is what a stored simulation compares. Policies are kept as they are at the request; duties are read when
// people are evaluated, except for the one that is simulated.
type subject struct {
	policyID, dutyID string // empty: none
	unsaved          string // ID of a policy in after that is not stored; empty: none
	name             string
	before, after    []separationpolicy.Policy
	duty             *duty.Fields // of the duty after the change
}

// listColumns are the columns of SeparationSimulation in lists.
const listColumns = `s.id, s.state, s.failure, s.policy_id, s.duty_id, s.name, s.requested_by, s.total, s.done,
	s.violations_new, s.violations_closed, s.violations_unchanged, null::jsonb as impact, s.requested_at, s.started_at,
	s.finished_at, s.finished_at + interval '7 days' as delete_at`

// columns are the columns of one SeparationSimulation.
const columns = `s.id, s.state, s.failure, s.policy_id, s.duty_id, s.name, s.requested_by, s.total, s.done,
	s.violations_new, s.violations_closed, s.violations_unchanged,
	case when s.state = 'completed' then s.impact end as impact, s.requested_at, s.started_at, s.finished_at,
	s.finished_at + interval '7 days' as delete_at`

// find reads a simulation. locking is a locking clause of the table s, or empty. Its fault is of kind NotFound.
func find(ctx context.Context, tx *pg.Tx, id, locking string) (SeparationSimulation, error) {
	missing := fault.New(fault.NotFound, "Simulation %s was not found. Simulations are deleted after seven days.", id)
	if !listing.IsID(id) {
		return SeparationSimulation{}, missing
	}
	found, err := pg.One[SeparationSimulation](ctx, tx, "find simulation",
		`select `+columns+` from separation_simulation s where s.id = $1`+locking, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return SeparationSimulation{}, missing
	}
	return found, err
}

// request stores a simulation that waits.
func request(ctx context.Context, tx *pg.Tx, of subject, now time.Time) (SeparationSimulation, error) {
	// Two requests at once wait for each other here, so that both count.
	if err := queue.Lock(ctx, tx, kindRequest); err != nil {
		return SeparationSimulation{}, err
	}
	n, err := pg.One[int](ctx, tx, "count simulations",
		`select count(*) from separation_simulation where state = any($1)`, live())
	if err != nil {
		return SeparationSimulation{}, err
	}
	if n >= mostLive {
		return SeparationSimulation{}, fault.Coded(fault.Conflict, "too_many_simulations",
			"%d simulations wait or run already. Cancel one, or wait until one has ended.", n)
	}
	const sql = `
		insert into separation_simulation (tenant_id, id, state, policy_id, duty_id, unsaved_id, name, requested_by,
		                                   policies_before, policies_after, duty_after, requested_at)
		values (current_tenant(), @id, 'waiting', nullif(@policy, '')::uuid, nullif(@duty, '')::uuid,
		        nullif(@unsaved, '')::uuid, @name, @by, @before, @after, @changed, @now)`
	id := uuid.Must(uuid.NewV7()).String()
	args := pgx.NamedArgs{"id": id, "policy": of.policyID, "duty": of.dutyID, "unsaved": of.unsaved, "name": of.name,
		"by": decision.ActorOf(tx.Viewer), "before": listed(of.before), "after": listed(of.after), "changed": of.duty,
		"now": now}
	if err := pg.Exec(ctx, tx, "request simulation", sql, args); err != nil {
		return SeparationSimulation{}, err
	}
	if err := queue.Enqueue(ctx, tx, queue.Work{Kind: kindRun, Subjects: []string{id}, Cause: "request"}); err != nil {
		return SeparationSimulation{}, err
	}
	made, err := find(ctx, tx, id, "")
	if err != nil {
		return made, err
	}
	return made, audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "separation_simulation.started", Subject: made.auditSubject()},
	)
}

// listed is a list that JSON does not write as null.
func listed(policies []separationpolicy.Policy) []separationpolicy.Policy {
	if policies == nil {
		return []separationpolicy.Policy{}
	}
	return policies
}

// cancel ends a simulation that waits or runs.
func cancel(ctx context.Context, tx *pg.Tx, id string, now time.Time) (SeparationSimulation, error) {
	s, err := find(ctx, tx, id, " for update of s")
	if err != nil {
		return s, err
	}
	if err := s.end(ctx, tx, Cancel, "", now); err != nil {
		return s, err
	}
	if s, err = find(ctx, tx, id, ""); err != nil {
		return s, err
	}
	return s, audit.Record(ctx, tx, audit.Entry{Action: "separation_simulation.cancelled", Subject: s.auditSubject()})
}

// end moves a simulation to a state in which nothing more happens.
func (s SeparationSimulation) end(ctx context.Context, tx *pg.Tx, e Event, failure string, now time.Time) error {
	to, err := s.State.On(e)
	if err != nil {
		return err
	}
	return pg.Exec(ctx, tx, "end simulation", `
		update separation_simulation
		   set state = @to, failure = nullif(@failure, ''), finished_at = @now
		 where id = @id`, pgx.NamedArgs{"id": s.ID, "to": to, "failure": failure, "now": now})
}

// auditSubject is the simulation in audit events.
func (s SeparationSimulation) auditSubject() audit.Subject {
	return audit.Subject{Type: "separation_simulation", ID: s.ID, Display: s.Name}
}
