package separationtask

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
)

// Service asks about violations, blind policies and mitigations, and carries out the answers.
type Service struct {
	Now func() time.Time
}

// Kinds are the kinds of decision task about separation of duties.
func (s *Service) Kinds() []kind.Kind {
	return []kind.Kind{
		s.blindPolicies(),
		s.violations(),
		s.mitigationApprovals(),
		s.mitigationEvidence(),
		s.mitigationReviews(),
		s.mitigationEnds(),
	}
}
