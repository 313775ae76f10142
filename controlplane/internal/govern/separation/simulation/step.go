package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/duty"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// errLost says that a duty that a simulation needs is gone, or that the simulated change of it is no longer valid.
var errLost = errors.New("the duties of the simulation have changed")

// stored is what the worker reads of a simulation.
type stored struct {
	Before   []separationpolicy.Policy `db:"policies_before"`
	After    []separationpolicy.Policy `db:"policies_after"`
	Duty     *duty.Fields              `db:"duty_after"`
	Unsaved  string                    `db:"unsaved_id"`
	Position string                    `db:"position"`
	Partial  *SeparationImpact         `db:"impact"`
}

// begin starts a waiting simulation, and counts whom it will meet.
func (s SeparationSimulation) begin(ctx context.Context, tx *pg.Tx, now time.Time) error {
	to, err := s.State.On(Begin)
	if err != nil {
		return err
	}
	return pg.Exec(ctx, tx, "begin simulation", `
		update separation_simulation
		   set state = @to, started_at = @now, total = (select count(*) from identity)
		 where id = @id`, pgx.NamedArgs{"id": s.ID, "to": to, "now": now})
}

// step evaluates the next people, at most this many, and completes the simulation if there are none.
func (s SeparationSimulation) step(ctx context.Context, tx *pg.Tx, most int, now time.Time) error {
	of, err := pg.One[stored](ctx, tx, "read simulation", `
		select policies_before, policies_after, duty_after, coalesce(unsaved_id::text, '') as unsaved_id,
		       coalesce(position::text, '') as position, impact
		  from separation_simulation
		 where id = $1`, s.ID)
	if err != nil {
		return err
	}
	before, after, err := of.books(ctx, tx, s.DutyID)
	if errors.Is(err, errLost) {
		return s.end(ctx, tx, Lose, failedDefinitions, now)
	}
	if err != nil {
		return err
	}
	c := newComparison(before, after, nil)
	if of.Partial != nil {
		c.resume(*of.Partial)
	}
	last, n, err := next(ctx, tx, of.Position, most)
	if err != nil {
		return err
	}
	if n == 0 {
		return s.complete(ctx, tx, c, of.Unsaved, now)
	}
	k := keeper{unsaved: of.Unsaved, before: before, after: after}
	c.found = k.keep
	if err := c.pass(ctx, tx, effective.Range{After: of.Position, Last: last}, now); err != nil {
		return err
	}
	return s.advance(ctx, tx, c, &k, last, n)
}

// books compiles what the simulation compares.
func (of stored) books(ctx context.Context, tx *pg.Tx, dutyID *string) (before, after *rulebook.Book, err error) {
	if err := of.complete(ctx, tx); err != nil {
		return nil, nil, err
	}
	if before, err = rulebook.Compile(ctx, tx, of.Before); err != nil {
		return nil, nil, err
	}
	if dutyID == nil {
		after, err = rulebook.Compile(ctx, tx, of.After)
		return before, after, err
	}
	// The duty is changed within a savepoint that is rolled back.
	inner, err := tx.Begin(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("change the duty of a simulation: %w", err)
	}
	defer func() { _ = inner.Rollback(context.WithoutCancel(ctx)) }()
	within := &pg.Tx{Tx: inner, Viewer: tx.Viewer}
	if err := of.rewrite(ctx, within, *dutyID); err != nil {
		return nil, nil, err
	}
	if after, err = rulebook.Compile(ctx, within, of.After); err != nil {
		return nil, nil, err
	}
	return before, after, inner.Rollback(ctx)
}

// rewrite changes the simulated duty.
func (of stored) rewrite(ctx context.Context, tx *pg.Tx, dutyID string) error {
	d, err := duty.Locked(ctx, tx, dutyID, " for update of d")
	if err == nil {
		_, err = duty.Rewrite(ctx, tx, d, *of.Duty)
	}
	var f *fault.Fault
	if errors.As(err, &f) && (f.Kind == fault.NotFound || f.Kind == fault.Invalid || f.Kind == fault.Conflict) {
		return errLost
	}
	return err
}

// complete checks that all duties still exist.
func (of stored) complete(ctx context.Context, tx *pg.Tx) error {
	named := map[string]bool{}
	var ids []string
	for _, p := range append(append([]separationpolicy.Policy{}, of.Before...), of.After...) {
		for _, id := range p.DutyIDs() {
			if !named[id] {
				named[id], ids = true, append(ids, id)
			}
		}
	}
	n, err := pg.One[int](ctx, tx, "count duties",
		`select count(*) from duty where id = any($1::text[]::uuid[]) and deleted_at is null`, ids)
	if err == nil && n < len(ids) {
		return errLost
	}
	return err
}

// next finds the last of the next people after a position, and how many they are.
func next(ctx context.Context, tx *pg.Tx, position string, most int) (last string, n int, err error) {
	const sql = `
		select count(*), coalesce(max(n.id::text), '')
		  from (select i.id from identity i where i.id > $1::uuid order by i.id limit $2) n`
	if err := tx.QueryRow(ctx, sql, cmp.Or(position, uuid.Nil.String()), most).Scan(&n, &last); err != nil {
		return "", 0, fmt.Errorf("find the next people of a simulation: %w", err)
	}
	return last, n, nil
}

// resume goes on with the figures of a part.
func (c *comparison) resume(part SeparationImpact) {
	c.SeparationImpact = part
	for _, d := range part.ByDepartment {
		c.departments[d.Department] = &d
	}
	for _, p := range part.ByPolicy {
		c.policies[*p.PolicyID] = &p
	}
}

// part are the figures so far, for resume.
func (c *comparison) part() SeparationImpact {
	out := c.SeparationImpact
	out.ByDepartment, out.ByPolicy, out.Notes = nil, nil, nil
	for _, d := range c.departments {
		out.ByDepartment = append(out.ByDepartment, *d)
	}
	for _, p := range c.policies {
		out.ByPolicy = append(out.ByPolicy, *p)
	}
	return out
}

// keeper collects the violations of some people as rows of the result.
type keeper struct {
	unsaved       string
	before, after *rulebook.Book
	rows          []resultRow
	unchanged     int
}

// resultRow is a row of separation_simulation_result.
type resultRow struct {
	IdentityID string   `json:"identity_id"`
	PolicyID   *string  `json:"policy_id"`
	Policy     string   `json:"policy"`
	Change     string   `json:"change"`
	Sides      []string `json:"sides"`
	Grade      string   `json:"grade"`
}

// keep adds the violations of one person.
func (k *keeper) keep(o outcome) {
	for _, v := range o.is {
		if has(o.was, v) {
			k.unchanged++
			k.add(o.identityID, changeUnchanged, k.after, v)
		} else {
			k.add(o.identityID, changeNew, k.after, v)
		}
	}
	for _, v := range o.was {
		if !has(o.is, v) {
			k.add(o.identityID, changeClosed, k.before, v)
		}
	}
}

func (k *keeper) add(identityID, change string, b *rulebook.Book, v conflict.Violation) {
	shown := violation(b, v)
	r := resultRow{IdentityID: identityID, Policy: shown.Policy, Change: change, Sides: shown.Sides, Grade: shown.Grade}
	if id := v.Policy.ID; id != k.unsaved {
		r.PolicyID = &id
	}
	k.rows = append(k.rows, r)
}

// advance stores what was found about some people, and the position after them.
func (s SeparationSimulation) advance(
	ctx context.Context,
	tx *pg.Tx,
	c *comparison,
	k *keeper,
	last string,
	n int,
) error {
	to, err := s.State.On(Advance)
	if err != nil {
		return err
	}
	const results = `
		insert into separation_simulation_result (tenant_id, id, simulation_id, identity_id, policy_id, policy, change,
		                                          sides, grade)
		select current_tenant(), new_event_id(), @id, r.identity_id, r.policy_id, r.policy, r.change, r.sides, r.grade
		  from jsonb_to_recordset(@rows) r (identity_id uuid, policy_id uuid, policy text, change text, sides jsonb,
		                                    grade text)`
	if len(k.rows) > 0 {
		if err := pg.Exec(ctx, tx, "store the result of a simulation", results,
			pgx.NamedArgs{"id": s.ID, "rows": k.rows}); err != nil {
			return err
		}
	}
	return pg.Exec(ctx, tx, "store the progress of a simulation", `
		update separation_simulation
		   set state = @to, position = @last, done = done + @n, impact = @impact, violations_new = @new,
		       violations_closed = @closed, violations_unchanged = violations_unchanged + @unchanged
		 where id = @id`,
		pgx.NamedArgs{"id": s.ID, "to": to, "last": last, "n": n, "impact": c.part(), "new": c.ViolationsNew,
			"closed": c.ViolationsClosed, "unchanged": k.unchanged})
}

// complete stores the figures of a simulation that has met everybody.
func (s SeparationSimulation) complete(
	ctx context.Context,
	tx *pg.Tx,
	c *comparison,
	unsaved string,
	now time.Time,
) (err error) {
	if c.PeopleTotal, err = countPeople(ctx, tx); err != nil {
		return err
	}
	c.finish(unsaved)
	if err := pg.Exec(ctx, tx, "store the figures of a simulation",
		`update separation_simulation set impact = $2 where id = $1`, s.ID, c.SeparationImpact); err != nil {
		return err
	}
	return s.end(ctx, tx, Finish, "", now)
}
