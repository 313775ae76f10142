package policy

import (
	"log/slog"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Service keeps policies and does what they say. All exported fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Log     *slog.Logger
	Now     func() time.Time

	listening sync.Once
	wake      chan struct{}
}

// Wake has the evaluation look at once whether there is something to do.
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
