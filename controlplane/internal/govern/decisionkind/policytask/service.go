package policytask

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
)

// Service asks about requirement gaps, reviews and circuit breakers of access policies, and carries out the answers.
type Service struct {
	Now func() time.Time
}

// Kinds are the kinds of decision task about access policies.
func (s *Service) Kinds() []kind.Kind {
	return []kind.Kind{s.breakers(), s.requirementGaps(), s.policyReviews()}
}
