package matter

import (
	"log/slog"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/onboard"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision"
)

// Service looks at what has to be decided, and carries out what was. All exported fields are needed.
type Service struct {
	DB      *pg.DB
	Guide   *onboard.Service   // decides about changed fields
	Changes *provision.Service // makes changes of target systems
	Packs   *pack.Service      // resolves conflicts
	Log     *slog.Logger
	Now     func() time.Time

	listening sync.Once
	wake      chan struct{}
}

// Wake has matters looked at at once.
func (s *Service) Wake() {
	select {
	case s.woken() <- struct{}{}:
	default:
	}
}

func (s *Service) woken() chan struct{} {
	s.listening.Do(func() { s.wake = make(chan struct{}, 1) })
	return s.wake
}

// Answers carry out what was decided, by kind of task.
func (s *Service) Answers() map[string]decision.Answer {
	all := map[string]decision.Answer{}
	for _, k := range s.kinds() {
		all[k.name] = s.answering(k)
	}
	return all
}
