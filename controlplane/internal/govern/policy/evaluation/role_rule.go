package evaluation

import (
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
)

// roleRule is the membership rule of a role as one more rule: people who meet it have the role, a pre-hire as early as
// they have birthrights, and who moves keeps it for as long as movers keep what no longer follows.
func roleRule(of role.Rule, usual rules.Lifecycle) *Rule {
	parsed, problems := accesspolicy.Subject(of.Condition).Parse()
	r := &Rule{
		Source:    assignment.RuleSource,
		condition: parsed,
		lead:      usual.PreHireLead,
		grace:     usual.MoverGrace,
		closed:    of.Closed,
		frozen:    len(problems) > 0,
		excluded:  map[string]*time.Time{},
	}
	r.Policy = accesspolicy.AccessPolicy{
		ID:        of.RoleID,
		UpdatedAt: of.Since,
		Version:   of.Version,
		Fields: accesspolicy.Fields{
			Name:    of.Name,
			Enabled: true,
			Mode:    accesspolicy.Enforce,
			Effect:  accesspolicy.Assign,
			Resources: accesspolicy.Resources{
				RoleIDs: []string{of.RoleID},
			},
			Lifecycle: accesspolicy.Lifecycle{When: accesspolicy.States, OnNoMatch: accesspolicy.Grace},
		},
	}
	for _, x := range of.Exclusions {
		r.excluded[x.IdentityID] = nil
		if x.Until == nil {
			continue
		}
		if until, err := time.Parse(time.DateOnly, *x.Until); err == nil {
			r.excluded[x.IdentityID] = &until
		}
	}
	return r
}

// excludes reports whether the rule does not count for a person today.
func (r *Rule) excludes(p *Person, b *Rulebook) bool {
	until, named := r.excluded[p.ID]
	return named && (until == nil || b.today().Before(*until))
}

// Returns reports whether an exclusion from a role's rule has ended since then, so that the rule counts for a person
// again.
func (b *Rulebook) Returns(since time.Time) bool {
	for _, r := range b.Rules {
		for _, until := range r.excluded {
			if until == nil {
				continue
			}
			day := time.Date(until.Year(), until.Month(), until.Day(), 0, 0, 0, 0, b.zone)
			if !day.Before(since) && !day.After(b.Now) {
				return true
			}
		}
	}
	return false
}

// has reports whether a person has something by the rule.
func (r *Rule) has(living []Reason) bool {
	return slices.ContainsFunc(living, func(x Reason) bool { return x.Key.Policy == r.Policy.ID })
}
