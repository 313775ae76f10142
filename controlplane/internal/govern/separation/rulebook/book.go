package rulebook

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
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
	OnRequest   string // block, exception, warn or record
	OnAssign    string // block, exception or record
	OnDetect    string // task, revoke_lower_risk or record
	OwnerIDs    []string
	Remediation string
	ControlIDs  []string // mitigating controls that requests can propose
	BlindSides  []int    // positions of sides that no person can perform at present
	// ExceptionRuleID is the approval rule whose approvers allow exceptions. Empty: none.
	ExceptionRuleID string
	// MaxMitigation is the longest ISO 8601 duration of a mitigation or an exception. Empty: no limit.
	MaxMitigation string
	// Exempts says whether Exempt is about anybody: people to whom the policy does not apply.
	Exempts bool
	Exempt  condition.Condition
}

// Blind reports whether a side of the policy can be performed by nobody at present.
func (p Policy) Blind() bool { return len(p.BlindSides) > 0 }

// EffectOnRequest is what the policy does about access that is requested. In shadow mode it only records.
func (p Policy) EffectOnRequest() string { return p.inForce(p.OnRequest) }

// EffectOnAssignment is what the policy does about access that is assigned without a request. In shadow mode it only
// records.
func (p Policy) EffectOnAssignment() string { return p.inForce(p.OnAssign) }

// WouldBlock reports whether the policy is in shadow mode and would refuse requests if it were enforced.
func (p Policy) WouldBlock() bool {
	return p.Mode == separationpolicy.Shadow && p.OnRequest == separationpolicy.Block
}

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
	duties, err := b.resolve(ctx, tx)
	if err != nil {
		return nil, err
	}
	rules := make([]conflict.Policy, len(policies))
	for i, p := range policies {
		rules[i] = p.Rule(p.ID, p.Version)
		effects := p.Effects.Complete()
		exempt, problems := p.Exemptions.Condition()
		policy := Policy{
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
			BlindSides:  p.SidesWithin(duties.blind),
			Exempts:     p.Exemptions != nil && len(problems) == 0,
			Exempt:      exempt,
		}
		if p.ExceptionRuleID != nil {
			policy.ExceptionRuleID = *p.ExceptionRuleID
		}
		if p.MaxMitigation != nil {
			policy.MaxMitigation = *p.MaxMitigation
		}
		b.Policies[p.ID] = policy
	}
	if b.Rules, err = conflict.CompileNumbered(rules, duties.entitlements, duties.list); err != nil {
		return nil, fmt.Errorf("compile separation-of-duties policies: %w", err)
	}
	return b, nil
}
