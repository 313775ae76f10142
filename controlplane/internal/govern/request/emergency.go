package request

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/emergency"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

// Answers are the kinds of decision task that this package asks itself.
func (s *Service) Answers() map[string]decision.Answer {
	return map[string]decision.Answer{emergency.KindReview: s.reviews().Answer}
}

// reviews makes the service that asks for reviews of emergency access.
func (s *Service) reviews() *emergency.Reviews {
	return &emergency.Reviews{DB: s.DB, Log: s.Log, Now: s.Now}
}

// Kinds are the work of requests on the queue.
func (s *Service) Kinds() []queue.Kind { return s.reviews().Kinds() }
