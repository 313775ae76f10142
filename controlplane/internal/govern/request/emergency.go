package request

import (
	"context"

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

// Jobs is the periodic work of requests.
func (s *Service) Jobs() []queue.Job { return s.reviews().Jobs() }

// Look escalates what is due in all tenants, and says how many it were.
func (s *Service) Look(ctx context.Context) (int, error) { return s.reviews().Look(ctx) }
