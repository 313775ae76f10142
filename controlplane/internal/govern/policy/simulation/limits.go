package simulation

import (
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
)

// limits notes what a plan of one policy is beyond.
func (s *simulation) limits(f accesspolicy.Fields) {
	if b := f.CircuitBreaker; b != nil && s.ReasonsAdded+s.ReasonsEnded > b.MaxChanges {
		s.LimitsHit = append(s.LimitsHit, impact.LimitHit{
			Code:  "circuit_breaker",
			Limit: b.MaxChanges,
			Count: s.ReasonsAdded + s.ReasonsEnded,
			Detail: fmt.Sprintf(
				"%d changes, where its breaker lets %d pass within %s",
				s.ReasonsAdded+s.ReasonsEnded,
				b.MaxChanges,
				b.Window,
			),
		})
	}
	if most := s.PeopleTotal * mostShare / 100; s.IdentitiesAffected*100 > s.PeopleTotal*mostShare {
		s.LimitsHit = append(s.LimitsHit, impact.LimitHit{
			Code:  "share_of_people",
			Limit: most,
			Count: s.IdentitiesAffected,
			Detail: fmt.Sprintf(
				"%d of %d people gain or lose something, more than %d %%",
				s.IdentitiesAffected,
				s.PeopleTotal,
				mostShare,
			),
		})
	}
}
