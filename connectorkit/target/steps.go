package target

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/connectorkit/target/internal/teststeps"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Reach does the steps dns, tcp and tls for this target, and the step token where it needs an OAuth2 token: the token
// endpoint is asked even when a token is known.
func (c *Client) Reach(ctx context.Context, s *teststeps.Steps) error {
	conf := c.tls
	if c.base.Scheme == "http" {
		conf = nil
	}
	if err := s.Reach(ctx, c.host, conf, c.opts.ConnectTimeout); err != nil {
		return c.explain(err, c.host, Request{})
	}
	oauth, ok := c.auth.(ClientCredentials)
	if !ok {
		return nil
	}
	return s.Run("token", func(step *v1.TestStep) error {
		life, err := c.WithoutRetry().freshToken(ctx, oauth)
		if err == nil {
			step.Detail = fmt.Sprintf("the token endpoint gave a token for %s", life.Round(time.Second))
		}
		return err
	})
}

// Step does one request as a step of a test, without a second try. use, which may be nil, reads the answer
// and may set the step's Detail; the answer's status and the beginning of its body are shown either way.
func (c *Client) Step(
	ctx context.Context, s *teststeps.Steps, name string, r Request, use func(*Response, *v1.TestStep) error,
) error {
	return s.Run(name, func(step *v1.TestStep) error {
		resp, err := c.WithoutRetry().Do(ctx, r)
		if err != nil {
			return err
		}
		defer resp.Close()
		if use != nil {
			err = use(resp, step)
		} else {
			resp.Drain()
		}
		step.HTTP = resp.Result()
		return err
	})
}
