package delegation

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/delegate"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// scope is the tasks, and the time, for which delegations follow one another.
type scope struct {
	tasks    delegate.Scope
	from, to time.Time
}

// endOfTime is later than any time of a delegation.
var endOfTime = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

func (d DecisionDelegation) scope() scope {
	r := scope{tasks: d.tasks(), from: d.StartsAt, to: endOfTime}
	if d.EndsAt != nil {
		r.to = *d.EndsAt
	}
	return r
}

// tasks are the tasks of a delegation, but for its condition.
func (f DelegationFields) tasks() delegate.Scope {
	return delegate.Scope{Kinds: f.Kinds, Systems: f.SystemIDs, Risks: f.RiskLevels}
}

// and is where two of them hold, and whether that is ever.
func (r scope) and(o scope) (both scope, ever bool) {
	both = scope{from: r.from, to: r.to}
	if o.from.After(both.from) {
		both.from = o.from
	}
	if o.to.Before(both.to) {
		both.to = o.to
	}
	both.tasks, ever = r.tasks.Common(o.tasks)
	return both, ever && both.from.Before(both.to)
}

// check returns a fault if a delegation breaks the rules, alone or with the others of the tenant. Writers of
// delegations wait for each other, since two may break them together that each alone does not.
func (d DecisionDelegation) check(ctx context.Context, tx *pg.Tx, now time.Time) error {
	if err := d.checkTimes(now); err != nil {
		return err
	}
	if err := d.checkPeople(ctx, tx); err != nil {
		return err
	}
	if err := d.checkSystems(ctx, tx); err != nil {
		return err
	}
	if err := pg.Exec(
		ctx,
		tx,
		"lock delegations",
		`select pg_advisory_xact_lock(3101, hashtext(current_tenant()::text))`,
	); err != nil {
		return err
	}
	const sql = `select ` + columns + ` from ` + tables + `
		 where d.tenant_id = current_tenant() and d.state in ('scheduled', 'active') and (d.ends_at is null
		     or d.ends_at > @now) and d.id <> @id`
	others, err := pg.All[DecisionDelegation](
		ctx,
		tx,
		"find other delegations",
		sql,
		pgx.NamedArgs{"now": now, "id": d.ID},
	)
	if err != nil {
		return err
	}
	return d.checkAmong(others)
}

func (d DecisionDelegation) checkTimes(now time.Time) error {
	switch {
	case d.EndsAt == nil:
		return nil
	case !d.EndsAt.After(now):
		return fault.Coded(fault.Invalid, "ends_in_past", "The end date %s is in the past.",
			decision.FormatTime(*d.EndsAt)).
			With(fault.Field{Pointer: "#/ends_at", Code: "ends_in_past", Detail: "an instant to come, or null"})
	case !d.EndsAt.After(d.StartsAt):
		return fault.New(fault.Invalid, "a delegation ends after it begins").
			With(fault.Field{Pointer: "#/ends_at", Code: "invalid", Detail: "later than starts_at"})
	}
	return nil
}

// checkPeople returns a fault if one of the two cannot be who they are to be.
func (d DecisionDelegation) checkPeople(ctx context.Context, tx *pg.Tx) error {
	if d.DelegateID == "" {
		return fault.New(fault.Invalid, "set delegate_id to the person who decides").
			With(fault.Field{Pointer: "#/delegate_id", Code: "required", Detail: "an identity"})
	}
	if d.DelegatorID == d.DelegateID {
		return fault.Coded(fault.Invalid, "delegate_is_delegator",
			"You cannot delegate tasks to the person whose tasks they are.").
			With(fault.Field{Pointer: "#/delegate_id", Code: "delegate_is_delegator", Detail: "somebody else"})
	}
	const sql = `select id::text from identity where tenant_id = current_tenant() and id = any(@ids::text[]::uuid[])
		and status not in ('deactivated', 'archived')`
	there, err := pg.All[string](
		ctx,
		tx,
		"find delegate",
		sql,
		pgx.NamedArgs{"ids": decision.OnlyIDs(d.DelegatorID, d.DelegateID)},
	)
	if err != nil {
		return err
	}
	for _, p := range [][2]string{{"delegate_id", d.DelegateID}, {"delegator_id", d.DelegatorID}} {
		if !slices.Contains(there, p[1]) {
			return fault.Coded(fault.Invalid, "unknown_identity", "%s is not the id of an active identity", p[0]).
				With(fault.Field{Pointer: "#/" + p[0], Code: "unknown_identity",
					Detail: "an identity that is neither deactivated nor archived"})
		}
	}
	return nil
}

// checkAmong returns a fault if a delegation goes in a circle with others, makes a chain that is too long, or is one of
// two of the same person for the same tasks and time.
func (d DecisionDelegation) checkAmong(others []DecisionDelegation) error {
	for _, o := range others {
		if _, both := d.scope().and(o.scope()); both && o.DelegatorID == d.DelegatorID {
			return fault.Coded(fault.Conflict, "delegation_overlaps", "%s has delegated to %s for some of the same "+
				"time and tasks; end or change that one first", o.DelegatorDisplay, o.DelegateDisplay).
				Also("delegation_id", o.ID)
		}
	}
	for _, before := range chains(d, others, true) {
		for _, after := range chains(d, others, false) {
			if err := d.checkChain(before, after); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkChain judges the way through delegations before it, it, and those after it.
func (d DecisionDelegation) checkChain(before, after []DecisionDelegation) error {
	whole := slices.Clone(before)
	slices.Reverse(whole)
	whole = append(append(whole, d), after...)
	r := whole[0].scope()
	for _, next := range whole[1:] {
		both, ever := r.and(next.scope())
		if !ever {
			return nil // they do not hold together
		}
		r = both
	}
	names, seen := []string{whole[0].DelegatorDisplay}, map[string]bool{whole[0].DelegatorID: true}
	circle := false
	for _, next := range whole {
		names = append(names, next.DelegateDisplay)
		circle = circle || seen[next.DelegateID]
		seen[next.DelegateID] = true
	}
	chain := strings.Join(names, " → ")
	switch {
	case circle:
		return fault.Coded(fault.Invalid, "delegation_cycle", "The delegation would create a cycle: %s", chain).
			Also("chain", names).
			With(fault.Field{Pointer: "#/delegate_id", Code: "delegation_cycle", Detail: chain})
	case len(whole) > delegate.MaxChain:
		return fault.Coded(fault.Invalid, "delegation_chain_too_long", "The chain would have %d delegations. At most "+
			"%d are allowed: %s", len(whole), delegate.MaxChain, chain).
			Also("chain", names).
			With(fault.Field{Pointer: "#/delegate_id", Code: "delegation_chain_too_long", Detail: chain})
	}
	return nil
}

// chains are the ways of delegations that lead to one, nearest first, or on from it, with all their beginnings: the
// empty one too. None is longer than shows that it is too long.
func chains(d DecisionDelegation, others []DecisionDelegation, backwards bool) [][]DecisionDelegation {
	out := [][]DecisionDelegation{nil}
	for i := 0; i < len(out); i++ {
		last := d
		if n := len(out[i]); n > delegate.MaxChain {
			continue
		} else if n > 0 {
			last = out[i][n-1]
		}
		for _, o := range others {
			follows := o.DelegatorID == last.DelegateID
			if backwards {
				follows = o.DelegateID == last.DelegatorID
			}
			if _, both := o.scope().and(last.scope()); follows && both {
				out = append(out, append(slices.Clone(out[i]), o))
			}
		}
	}
	return out
}
