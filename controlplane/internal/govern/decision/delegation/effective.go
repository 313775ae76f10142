package delegation

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/delegate"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// EffectiveDelegation says who decides for somebody, and for whom they decide, at an instant.
type EffectiveDelegation struct {
	// ID of the identity whose delegations are returned.
	IdentityID string `json:"identity_id"`
	// Time for which the delegations were evaluated.
	At time.Time `json:"at"`
	// Who decides for them, by kind of task.
	DecidedBy []DelegationPath `json:"decided_by" nullable:"false"`
	// For whom they decide, through one delegation or several.
	DecidesFor []DelegationPath `json:"decides_for" nullable:"false"`
	// The ids of the delegations that make it so.
	Delegations []string `json:"delegations" nullable:"false"`
}

// DelegationPath is a way of delegations.
type DelegationPath struct {
	// The kinds of task that it is for; none: all that are not named elsewhere.
	Kinds []string `json:"kinds" nullable:"false"`
	// Systems of the tasks, by the IDs of their connectors; none: all.
	SystemIDs []string `json:"system_ids" nullable:"false"`
	// Risk levels of the tasks; none: all.
	RiskLevels []string `json:"risk_levels" nullable:"false"`
	// Whether a delegation of the way has a condition for the person of the task.
	Conditional bool `json:"conditional"`
	// Identity that delegates its tasks.
	From decision.Ref `json:"from"`
	// Who decides.
	To decision.Ref `json:"to"`
	// From the one to the other.
	Chain []decision.Ref `json:"chain" nullable:"false"`
}

// Effective tells who decides for somebody now: people ask about themselves, and those who see the whole tenant about
// anybody.
func (s *Service) Effective(ctx context.Context, v viewer.Viewer, identity string) (e EffectiveDelegation, err error) {
	if identity == "" {
		identity = v.Identity
	}
	missing := fault.New(fault.NotFound, "Identity %s was not found.", identity)
	if identity == "" {
		return e, fault.Coded(fault.Malformed, "invalid_parameter", "Set identity_id. Your user is not linked to an "+
			"identity.").
			With(fault.Field{Parameter: "identity_id", Code: "required", Detail: "an identity"})
	}
	if !v.SeesAll() && v.Identity != identity {
		return e, missing
	}
	e = EffectiveDelegation{
		IdentityID:  identity,
		At:          s.Now().UTC().Truncate(time.Microsecond),
		DecidedBy:   []DelegationPath{},
		DecidesFor:  []DelegationPath{},
		Delegations: []string{},
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		names, err := nameOf(ctx, tx, []string{identity})
		if err != nil {
			return err
		}
		if _, there := names[identity]; !there {
			return missing
		}
		return e.fill(ctx, tx)
	})
	return e, err
}

// fill follows the delegations from somebody, and from those who lead to them.
func (e *EffectiveDelegation) fill(ctx context.Context, tx *pg.Tx) error {
	before, err := leadingTo(ctx, tx, e.IdentityID, e.At)
	if err != nil {
		return err
	}
	known, err := delegate.Load(ctx, tx, append(before, e.IdentityID), e.At)
	if err != nil {
		return err
	}
	used := map[string]bool{}
	var paths [][]delegate.InForce
	for _, person := range append([]string{e.IdentityID}, before...) {
		for _, path := range known.Paths(person) {
			if person == e.IdentityID || path[len(path)-1].Delegate == e.IdentityID {
				paths = append(paths, path)
			}
		}
	}
	var people []string
	for _, path := range paths {
		for _, d := range path {
			people, used[d.ID] = append(people, d.Delegator, d.Delegate), true
		}
	}
	names, err := nameOf(ctx, tx, people)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if p := shownPath(path, names); p.From.ID == e.IdentityID {
			e.DecidedBy = append(e.DecidedBy, p)
		} else {
			e.DecidesFor = append(e.DecidesFor, p)
		}
	}
	e.Delegations = slices.Sorted(maps.Keys(used))
	return nil
}

func shownPath(path []delegate.InForce, names map[string]string) DelegationPath {
	person := func(id string) decision.Ref { return decision.Ref{Type: "identity", ID: id, Display: names[id]} }
	p := DelegationPath{
		From:  person(path[0].Delegator),
		To:    person(path[len(path)-1].Delegate),
		Chain: []decision.Ref{person(path[0].Delegator)},
	}
	var tasks delegate.Scope
	for _, d := range path {
		p.Chain = append(p.Chain, person(d.Delegate))
		tasks, _ = tasks.Common(d.Scope)
		p.Conditional = p.Conditional || len(d.Scope.Condition) > 0
	}
	p.Kinds, p.SystemIDs, p.RiskLevels = tidy(tasks.Kinds), tidy(tasks.Systems), tidy(tasks.Risks)
	return p
}

// leadingTo are the people whose delegations lead to somebody.
func leadingTo(ctx context.Context, tx *pg.Tx, identity string, at time.Time) ([]string, error) {
	const sql = `
		with recursive before (id, steps) as (
		    select d.delegator_id, 1
		      from decision_delegation d
		     where d.tenant_id = current_tenant() and d.delegate_id = @identity
		       and d.state in ('scheduled', 'active') and d.starts_at <= @at and (d.ends_at is null or d.ends_at > @at)
		     union
		    select d.delegator_id, b.steps + 1
		      from before b
		      join decision_delegation d on d.delegate_id = b.id
		     where d.tenant_id = current_tenant() and b.steps < @most
		       and d.state in ('scheduled', 'active') and d.starts_at <= @at and (d.ends_at is null or d.ends_at > @at))
		select distinct id::text from before where id <> @identity order by 1`
	return pg.All[string](
		ctx,
		tx,
		"find who has delegated",
		sql,
		pgx.NamedArgs{"identity": identity, "at": at, "most": delegate.MaxChain},
	)
}

// nameOf are people's names by their ids.
func nameOf(ctx context.Context, tx *pg.Tx, ids []string) (map[string]string, error) {
	const sql = `select id::text, display_name from identity where tenant_id = current_tenant()
		and id = any(@ids::text[]::uuid[])`
	names := map[string]string{}
	var id, name string
	if err := pg.Each(
		ctx,
		tx,
		"find names",
		[]any{&id, &name},
		func() error { names[id] = name; return nil },
		sql,
		pgx.NamedArgs{"ids": decision.NonNil(ids)},
	); err != nil {
		return nil, err
	}
	return names, nil
}
