package connector

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
	v1 "github.com/grantwright/grantwright/protocol/v1"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
)

// call is one connection to be tried out: a connector's, or one that is not saved yet.
type call struct {
	saved      *row // nil when not saved
	businessID string
	target     dispatch.Target
	connection map[string]any // the settings as somebody wrote them
	auth       v1.AuthConfig
	scrub      *connectorkit.Scrubber
}

func savedCall(tenant string, r row, secrets map[string]any) call {
	o := r.open(tenant, secrets)
	return call{
		saved:      &r,
		businessID: r.BusinessID,
		target:     o.Target,
		connection: r.Connection,
		auth:       o.Auth,
		scrub:      scrubber(secrets),
	}
}

// unsavedCall goes under an id of its own, so that nothing which is kept by connector mixes with another's.
func unsavedCall(tenant string, s Settings) call {
	secrets := given(s.Credentials)
	engine, auth := catalog.Resolve(s.key(), together(given(s.Connection), secrets))
	return call{
		businessID: "unsaved",
		connection: given(s.Connection),
		auth:       auth,
		scrub:      scrubber(secrets),
		target: dispatch.Target{
			Tenant:      tenant,
			ConnectorID: uuid.NewString(),
			Type:        engine,
			Mode:        s.Mode,
			AgentID:     s.AgentID,
			AgentGroup:  s.AgentGroup,
		},
	}
}

// scrubber masks every secret: connectors do so themselves, this is the net beneath them.
func scrubber(secrets map[string]any) *connectorkit.Scrubber {
	var fields []connectorkit.Field
	for key := range secrets {
		fields = append(fields, connectorkit.Field{Key: key, Secret: true})
	}
	return connectorkit.ScrubberFor(secrets, fields)
}

// grace is how long a connector may take to notice that its time is over.
const grace = 500 * time.Millisecond

// within runs fn for at most limit and then goes on without it: no connector holds a request longer. A panic in it is
// an error, for it would otherwise end the process.
func within[T any](
	ctx context.Context,
	limit time.Duration,
	scrub *connectorkit.Scrubber,
	fn func(ctx context.Context) (T, error),
) (T, error) {
	type outcome struct {
		answer T
		err    error
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if cause := recover(); cause != nil {
				o.err = fmt.Errorf("the connector panicked: %s\n%s", scrub.Clean(fmt.Sprint(cause)), debug.Stack())
			}
			done <- o
		}()
		o.answer, o.err = fn(ctx)
	}()
	select {
	case o := <-done:
		return o.answer, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.answer, o.err
	case <-time.After(grace):
		return *new(T), ctx.Err()
	}
}

// probe tests a connection and tells each step as it ends. Whatever the target, the network or an agent does is part of
// the answer; the error is for faults of our own.
func (s *Service) probe(ctx context.Context, c call, tell func(v1.TestStep)) (TestResponse, error) {
	began := time.Now()
	steps := &steps{scrub: c.scrub, tell: tell}
	limit := s.TestLimit
	if limit == 0 {
		limit = 30 * time.Second
	}
	answer, err := within(ctx, limit, c.scrub, func(ctx context.Context) (v1.TestResponse, error) {
		return s.Dispatch.Test(
			ctx,
			c.target,
			v1.TestRequest{ConnectorBusinessID: c.businessID, AuthConfig: c.auth},
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
		answer.ExecutedBy = &v1.ExecutedBy{Mode: c.target.Mode, AgentID: c.target.AgentID}
	}
	answer, err = scrubbed(answer, c.scrub)
	return c.pointed(answer), err
}

// discoverLimit bounds the reading of a schema with its samples.
const discoverLimit = time.Minute

func (s *Service) look(
	ctx context.Context,
	c call,
	o DiscoverOptions,
	report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	answer, err := within(ctx, discoverLimit, c.scrub, func(ctx context.Context) (v1.DiscoverResponse, error) {
		req := v1.DiscoverRequest{
			ConnectorBusinessID: c.businessID,
			AuthConfig:          c.auth,
			Objects:             o.Objects,
			SampleSize:          o.SampleSize,
			MaskSamples:         o.MaskSamples,
		}
		return s.Dispatch.Discover(ctx, c.target, req, report)
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
	return scrubbed(answer, c.scrub)
}

// detail is what the answer says about err, or err itself where it is a fault of our own. What nobody foresaw goes to
// the log.
func (s *Service) detail(ctx context.Context, c call, err error) (*v1.ErrorDetail, error) {
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
			c.businessID,
			"type",
			c.target.Type,
			"err",
			c.scrub.Clean(err.Error()),
		)
	}
	return d, nil
}

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
	clean, err := scrubbed(*p.Step, s.scrub)
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

// scrubbed masks secrets in every text of an answer.
func scrubbed[T any](answer T, scrub *connectorkit.Scrubber) (T, error) {
	var clean T
	b, err := json.Marshal(answer)
	if err != nil {
		return clean, fmt.Errorf("encode connector's answer: %w", err)
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return clean, fmt.Errorf("decode connector's answer: %w", err)
	}
	if b, err = json.Marshal(mask(tree, scrub)); err != nil {
		return clean, fmt.Errorf("encode connector's answer: %w", err)
	}
	if err := json.Unmarshal(b, &clean); err != nil {
		return clean, errors.New("a connector's answer is unreadable once its secrets are masked")
	}
	return clean, nil
}

func mask(value any, scrub *connectorkit.Scrubber) any {
	switch value := value.(type) {
	case string:
		return scrub.Clean(value)
	case []any:
		for i := range value {
			value[i] = mask(value[i], scrub)
		}
	case map[string]any:
		for key := range value {
			value[key] = mask(value[key], scrub)
		}
	}
	return value
}
