package tryout

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Tester calls targets to try them out. What it says of them it has scrubbed of secrets.
type Tester struct {
	Dispatch  *dispatch.Dispatcher
	Log       *slog.Logger
	TestLimit time.Duration // how long a connection test may take; 0: 30 s
}

// Probe tests a connection and reports each step as it ends. What the target, the network or an agent does is part of
// the answer; the error is for faults of our own.
func (s *Tester) Probe(ctx context.Context, c Call, tell func(v1.TestStep)) (TestResponse, error) {
	began := time.Now()
	steps := &steps{scrub: c.Scrub, tell: tell}
	limit := cmp.Or(s.TestLimit, 30*time.Second)
	answer, err := within(ctx, limit, c.Scrub, func(ctx context.Context) (v1.TestResponse, error) {
		return s.Dispatch.Test(
			ctx,
			c.Target,
			v1.TestRequest{ConnectorBusinessID: c.BusinessID, AuthConfig: c.Auth},
			steps.report,
		)
	})
	seen := steps.close()
	if err != nil {
		detail, err := s.detail(ctx, c, err)
		if err != nil {
			return TestResponse{}, err
		}
		answer = v1.TestResponse{Steps: seen, Error: detail, DurationMS: time.Since(began).Milliseconds()}
	}
	if answer.Steps == nil {
		answer.Steps = []v1.TestStep{}
	}
	if answer.ExecutedBy == nil {
		answer.ExecutedBy = &v1.ExecutedBy{Mode: c.Target.Mode, AgentID: c.Target.AgentID}
	}
	answer, err = Scrubbed(answer, c.Scrub)
	return c.pointed(answer), err
}

// discoverLimit bounds the reading of a schema with its samples.
const discoverLimit = time.Minute

// Discover reads which fields a target has, with samples.
func (s *Tester) Discover(
	ctx context.Context,
	c Call,
	want v1.DiscoverRequest,
	report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	want.ConnectorBusinessID, want.AuthConfig = c.BusinessID, c.Auth
	answer, err := within(ctx, discoverLimit, c.Scrub, func(ctx context.Context) (v1.DiscoverResponse, error) {
		return s.Dispatch.Discover(ctx, c.Target, want, report)
	})
	if err != nil {
		detail, err := s.detail(ctx, c, err)
		if err != nil {
			return answer, err
		}
		answer = v1.DiscoverResponse{Error: detail}
	}
	if answer.Objects == nil {
		answer.Objects = []v1.DiscoveredObject{}
	}
	return Scrubbed(answer, c.Scrub)
}

// detail is the text of the answer about err, or err itself if it is a fault of our own. Unforeseen errors go to
// the log.
func (s *Tester) detail(ctx context.Context, c Call, err error) (*v1.ErrorDetail, error) {
	var f *fault.Fault
	if errors.As(err, &f) {
		return nil, err
	}
	d := dispatch.Detail(err)
	if d.Class == v1.ClassInternal {
		s.Log.ErrorContext(
			ctx,
			"connector failed",
			"connector",
			c.BusinessID,
			"type",
			c.Target.Type,
			"err",
			c.Scrub.Clean(err.Error()),
		)
	}
	return d, nil
}
