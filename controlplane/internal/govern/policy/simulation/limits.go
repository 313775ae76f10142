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
	if hit, over := impact.ShareOfPeople(s.IdentitiesAffected, s.PeopleTotal); over {
		s.LimitsHit = append(s.LimitsHit, hit)
	}
}
