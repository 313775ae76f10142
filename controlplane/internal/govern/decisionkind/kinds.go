package decisionkind

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/held"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/native"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/policytask"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/separationtask"
)

// kinds are all kinds of decision task that this package asks for.
func (s *Service) kinds() []kind.Kind {
	kinds := []kind.Kind{
		(&held.Service{Now: s.Now}).Kind(),
		s.disputes(),
		s.orphans(),
		s.schemaDiffs(),
		s.manualTasks(),
		s.failedTasks(),
		s.heldTasks(),
		s.conflicts(),
		bounces(),
		(&native.Service{Now: s.Now}).Kind(),
	}
	kinds = append(kinds, (&separationtask.Service{Now: s.Now}).Kinds()...)
	return append(kinds, (&policytask.Service{Now: s.Now}).Kinds()...)
}
