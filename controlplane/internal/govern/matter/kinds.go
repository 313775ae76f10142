package matter

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/matter/held"
	"github.com/grantwright/grantwright/controlplane/internal/govern/matter/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/matter/native"
)

// kinds are all kinds of decision task that this package asks for.
func (s *Service) kinds() []kind.Kind {
	return []kind.Kind{
		(&held.Service{Now: s.Now}).Kind(),
		s.disputes(),
		s.orphans(),
		s.schemaDiffs(),
		s.manualTasks(),
		s.failedTasks(),
		s.heldTasks(),
		s.blindPolicies(),
		s.conflicts(),
		(&native.Service{Now: s.Now}).Kind(),
		s.breakers(),
		s.violations(),
		s.mitigationApprovals(),
		s.mitigationEvidence(),
		s.mitigationReviews(),
	}
}
