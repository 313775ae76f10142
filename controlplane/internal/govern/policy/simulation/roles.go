package simulation

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// PlanRoles says what would come of a change of roles: change makes it within a savepoint, and gives the ids of the
// roles; the evaluation looks at whom they, and all that they are nested in, give something by a rule, a policy or an
// assignment, and then it is as if nothing had been. change writes what roles say, and ends no reasons.
func (s *Service) PlanRoles(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	change func(tx *pg.Tx) ([]string, error),
	each func(impact.PersonImpact) error,
) (impact.Impact, error) {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return impact.Impact{}, fmt.Errorf("begin plan of roles: %w", err)
	}
	defer func() { _ = inner.Rollback(context.WithoutCancel(ctx)) }()
	within := &pg.Tx{Tx: inner, Viewer: tx.Viewer}
	before, err := around(ctx, within, ids)
	if err != nil {
		return impact.Impact{}, err
	}
	more, err := change(within)
	if err != nil {
		return impact.Impact{}, err
	}
	after, err := around(ctx, within, append(slices.Clone(ids), more...))
	if err != nil {
		return impact.Impact{}, err
	}
	sim, err := s.planAround(ctx, within, append(before, after...), each)
	if err != nil {
		return impact.Impact{}, err
	}
	if err := inner.Rollback(ctx); err != nil {
		return impact.Impact{}, fmt.Errorf("end plan of roles: %w", err)
	}
	sim.limits(accesspolicy.Fields{})
	return sim.PolicyImpact, nil
}

// around are these roles and all that they are nested in.
func around(ctx context.Context, tx *pg.Tx, ids []string) ([]string, error) {
	return pg.All[string](
		ctx,
		tx,
		"find what roles are nested in",
		`select id::text from roles_around($1::text[]::uuid[]) id`,
		ids,
	)
}

// planAround is what the evaluation would do by these roles, as they are in the transaction.
func (s *Service) planAround(
	ctx context.Context,
	tx *pg.Tx,
	roles []string,
	each func(impact.PersonImpact) error,
) (*simulation, error) {
	b, err := evaluation.Load(ctx, tx, s.Now())
	if err != nil {
		return nil, err
	}
	b.Around = map[string]bool{}
	for _, id := range roles {
		b.Around[id] = true
	}
	all := b.Rules
	b.Rules, b.ByID = nil, map[string]*evaluation.Rule{}
	for _, r := range all {
		if slices.ContainsFunc(r.Policy.Resources.RoleIDs, func(id string) bool { return b.Around[id] }) {
			b.Rules, b.ByID[r.Policy.ID] = append(b.Rules, r), r
		}
	}
	if len(b.Rules) > 0 {
		return simulate(ctx, tx, b, each)
	}
	ids, err := having(ctx, tx, accesspolicy.Distinct(roles))
	if err != nil {
		return nil, err
	}
	return simulateFor(ctx, tx, b, ids, each)
}

// having are the people who have one of these roles by an assignment, or something by a rule that is no more.
func having(ctx context.Context, tx *pg.Tx, roles []string) ([]string, error) {
	const sql = `
		select a.identity_id::text
		  from role_assignment a
		 where a.role_id = any(@roles::text[]::uuid[])
		   and a.state <> 'ended'
		 union
		select x.identity_id::text
		  from access_reason x
		 where x.role_id = any(@roles::text[]::uuid[])
		   and x.state <> 'ended'
		 order by 1`
	return pg.All[string](ctx, tx, "find who has roles", sql, pgx.NamedArgs{"roles": roles})
}

// simulateFor is simulate for these people alone, in the order of their ids: no one else is concerned.
func simulateFor(
	ctx context.Context,
	tx *pg.Tx,
	b *evaluation.Rulebook,
	ids []string,
	each func(impact.PersonImpact) error,
) (*simulation, error) {
	s := newSimulation(each)
	for part := range slices.Chunk(ids, evaluation.Batch) {
		if err := s.part(ctx, tx, b, part); err != nil {
			return nil, err
		}
	}
	const everybody = `select count(*) from identity i where i.status not in ('deactivated', 'archived')`
	if err := tx.QueryRow(ctx, everybody).Scan(&s.PeopleTotal); err != nil {
		return nil, fmt.Errorf("count people: %w", err)
	}
	s.finish()
	return s, nil
}
