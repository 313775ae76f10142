package tryout

import (
	"sync"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// steps gathers the steps of a test. What a connector reports after its time is over is not heard any more.
type steps struct {
	scrub *connectorkit.Scrubber
	tell  func(v1.TestStep)

	mu     sync.Mutex
	seen   []v1.TestStep
	closed bool
}

func (s *steps) report(p v1.Progress) {
	if p.Step == nil {
		return
	}
	clean, err := Scrubbed(*p.Step, s.scrub)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || s.closed {
		return
	}
	s.seen = append(s.seen, clean)
	if s.tell != nil {
		s.tell(clean)
	}
}

func (s *steps) close() []v1.TestStep {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return s.seen
}
