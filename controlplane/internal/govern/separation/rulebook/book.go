package rulebook

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Book is all policies of a tenant that are evaluated: enabled, valid now, and not drafts. It is read-only and may be
// used by several goroutines.
type Book struct {
	Rules    *conflict.Rules
	Policies map[string]Policy // by ID
	Duties   map[string]string // names by ID, of the duties in Policies
	Traits   []string          // names of all traits that contexts compare, sorted; see conflict.Traits
	Revision string

	// expires is when the next policy becomes valid or invalid.
	expires *time.Time
}

// Policy is what a verdict says of a policy, beyond its rule.
type Policy struct {
	ID          string
	Name        string
	Version     int
	Kind        string
	Severity    string
	Mode        string // shadow or enforce
	OnRequest   string // block, warn or record
	OnAssign    string // block or record
	OnDetect    string // task or record
	OwnerIDs    []string
	Remediation string
	ControlIDs  []string // mitigating controls that requests can propose
	BlindSides  []int    // positions of sides that no person can perform at present
}

// Blind reports whether a side of the policy can be performed by nobody at present.
func (p Policy) Blind() bool { return len(p.BlindSides) > 0 }

// EffectOnRequest is what the policy does about access that is requested. In shadow mode it only records.
func (p Policy) EffectOnRequest() string { return p.inForce(p.OnRequest) }

// EffectOnAssignment is what the policy does about access that is assigned without a request. In shadow mode it only
// records.
func (p Policy) EffectOnAssignment() string { return p.inForce(p.OnAssign) }

func (p Policy) inForce(effect string) string {
	if p.Mode != separationpolicy.Enforce {
		return separationpolicy.Record
	}
	return effect
}

// Any reports whether any policy is one that is looked for.
func (b *Book) Any(match func(Policy) bool) bool {
	for _, p := range b.Policies {
		if match(p) {
			return true
		}
	}
	return false
}

// NeedsPast reports whether any policy asks what a person held before.
func (b *Book) NeedsPast() bool {
	return slices.ContainsFunc(b.Rules.Policies(), func(p *conflict.Policy) bool { return p.Kind == conflict.History })
}

// load reads and compiles the policies that are evaluated now.
func load(ctx context.Context, tx *pg.Tx) (*Book, error) {
	stored, err := separationpolicy.Evaluated(ctx, tx)
	if err != nil {
		return nil, err
	}
	b, err := Compile(ctx, tx, stored)
	if err != nil {
		return nil, err
	}
	b.expires, err = pg.One[*time.Time](ctx, tx, "find the next change of validity", nextValidity)
	return b, err
}

const nextValidity = `
	select min(at)
	  from separation_policy p,
	       lateral (values (p.valid_from), (p.valid_to)) v (at)
	 where p.deleted_at is null
	   and p.enabled
	   and p.mode <> 'draft'
	   and at > now()`

// Compile prepares these policies with the duties as they are stored. Simulations compile policies that are not stored.
func Compile(ctx context.Context, tx *pg.Tx, policies []separationpolicy.Policy) (*Book, error) {
	b := &Book{Policies: make(map[string]Policy, len(policies)), Duties: map[string]string{}}
	for _, p := range policies {
		b.Traits = append(b.Traits, p.Context.Traits()...)
		for _, s := range p.Sides {
			for _, id := range s.DutyIDs {
				b.Duties[id] = ""
			}
		}
	}
	slices.Sort(b.Traits)
	b.Traits = slices.Compact(b.Traits)
	duties, blind, err := b.resolve(ctx, tx)
	if err != nil {
		return nil, err
	}
	rules := make([]conflict.Policy, len(policies))
	for i, p := range policies {
		rules[i] = p.Rule(p.ID, p.Version)
		effects := p.Effects.Complete()
		b.Policies[p.ID] = Policy{
			ID:          p.ID,
			Name:        p.Name,
			Version:     p.Version,
			Kind:        p.Kind,
			Severity:    p.Severity,
			Mode:        p.Mode,
			OnRequest:   effects.OnRequest,
			OnAssign:    effects.OnAssign,
			OnDetect:    effects.OnDetect,
			OwnerIDs:    p.OwnerIDs,
			Remediation: p.Remediation,
			ControlIDs:  p.ControlIDs,
			BlindSides:  p.SidesWithin(blind),
		}
	}
	if b.Rules, err = conflict.Compile(rules, duties); err != nil {
		return nil, fmt.Errorf("compile separation-of-duties policies: %w", err)
	}
	return b, nil
}

// resolve reads the duties in the book with the entitlements of their members, and notes their names. Blind duties are
// those that blind_duties() returns; it is not called because that would resolve all members once more.
func (b *Book) resolve(ctx context.Context, tx *pg.Tx) (duties []conflict.Duty, blind map[string]bool, err error) {
	const sql = `
		with part as (
		    select x.duty_id, x.group_number, array_agg(x.entitlement_id::text) as entitlement_ids,
		           bool_or(e.removed_at is null and e.lifecycle <> 'disconnected') as sighted
		      from duty_entitlements(@ids::text[]::uuid[]) x
		      join entitlement e on e.id = x.entitlement_id
		     group by x.duty_id, x.group_number
		)
		select d.id::text, d.name, coalesce(p.entitlement_ids, '{}'), coalesce(p.sighted, false)
		  from duty d
		  left join (select distinct m.duty_id, m.group_number
		               from duty_member m
		              where m.duty_id = any(@ids::text[]::uuid[])) g on g.duty_id = d.id
		  left join part p on p.duty_id = g.duty_id and p.group_number = g.group_number
		 where d.id = any(@ids::text[]::uuid[])
		 order by d.id, g.group_number`
	ids := make([]string, 0, len(b.Duties))
	for id := range b.Duties {
		ids = append(ids, id)
	}
	blind = map[string]bool{}
	var id, name string
	var entitlements []string
	var sighted bool
	err = pg.Each(ctx, tx, "resolve duties", []any{&id, &name, &entitlements, &sighted}, func() error {
		if len(duties) == 0 || duties[len(duties)-1].ID != id {
			duties = append(duties, conflict.Duty{ID: id})
			b.Duties[id] = name
		}
		last := &duties[len(duties)-1]
		last.Groups = append(last.Groups, slices.Clone(entitlements))
		if !sighted {
			blind[id] = true
		}
		return nil
	}, sql, pgx.NamedArgs{"ids": ids})
	return duties, blind, err
}
