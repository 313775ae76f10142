package connector

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/sse"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/tryout"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// DiscoverOptions say what to look at in a target.
type DiscoverOptions struct {
	// The number of records to sample. The default is 10.
	SampleSize int `json:"sample_size,omitempty" minimum:"1" maximum:"50"`
	// Show the shape of values in place of the values.
	MaskSamples bool `json:"mask_samples,omitempty"`
	// The kinds of records to read. The default is all.
	Objects []v1.ObjectKind `json:"objects,omitempty" nullable:"false" enum:"identities,accounts,entitlements,grants"`
}

func (s *Service) tester() *tryout.Tester {
	return &tryout.Tester{Dispatch: s.Dispatch, Log: s.Log, TestLimit: s.TestLimit}
}

// Test tries a connector's connection out. A target that refuses, or an agent that is away, is an answer without
// success.
func (s *Service) Test(ctx context.Context, v viewer.Viewer, id string) (tryout.TestResponse, error) {
	c, err := s.saved(ctx, v, id)
	if err != nil {
		return tryout.TestResponse{}, err
	}
	return s.try(ctx, v, c, nil)
}

// TestUnsaved tries settings out before a connector is made of them. It returns a fault of kind Invalid that lists all
// that is wrong with them.
func (s *Service) TestUnsaved(
	ctx context.Context,
	v viewer.Viewer,
	settings connection.Settings,
) (tryout.TestResponse, error) {
	c, err := s.unsaved(ctx, v, settings)
	if err != nil {
		return tryout.TestResponse{}, err
	}
	return s.try(ctx, v, c, nil)
}

// Discover returns which fields a connector's target has, with samples. report, if not nil, receives the progress;
// keep, where not nil, is called in the transaction that notes the look.
func (s *Service) Discover(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	o DiscoverOptions,
	report connectorkit.Report,
	keep func(ctx context.Context, tx *pg.Tx, answer v1.DiscoverResponse) error,
) (v1.DiscoverResponse, error) {
	c, err := s.toCall(ctx, v, id)
	if err != nil {
		return v1.DiscoverResponse{}, err
	}
	answer, err := s.tester().Discover(ctx, c.Call, v1.DiscoverRequest{
		Objects:     o.Objects,
		SampleSize:  o.SampleSize,
		MaskSamples: o.MaskSamples,
	}, report)
	if err != nil {
		return answer, err
	}
	return answer, s.afterwards(ctx, v, func(ctx context.Context, tx *pg.Tx) error {
		if keep != nil {
			if err := keep(ctx, tx, answer); err != nil {
				return err
			}
		}
		return recordCall(ctx, tx, actionDiscovered, c.Call, answer.Success, answer.Error)
	})
}

func (s *Service) toCall(ctx context.Context, v viewer.Viewer, id string) (c savedConnection, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		c, err = s.load(ctx, tx, id)
		return err
	})
	return c, err
}

// saved prepares the test of a connector.
func (s *Service) saved(ctx context.Context, v viewer.Viewer, id string) (c savedConnection, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if c, err = s.load(ctx, tx, id); err != nil {
			return err
		}
		return s.notTooOften(ctx, tx)
	})
	return c, err
}

func (s *Service) load(ctx context.Context, tx *pg.Tx, id string) (savedConnection, error) {
	r, err := read(ctx, tx, id, "")
	if err != nil {
		return savedConnection{}, err
	}
	secrets, err := s.unseal(ctx, tx, r)
	if err != nil {
		return savedConnection{}, err
	}
	return savedConnection{Call: savedCall(tx.Viewer.Tenant, r, secrets), row: &r}, r.callable(secrets)
}

// unsaved prepares the test of settings.
func (s *Service) unsaved(ctx context.Context, v viewer.Viewer, settings connection.Settings) (savedConnection, error) {
	settings.FillDefaults()
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		wrong := settings.Check()
		if err := agentExists(ctx, tx, settings, &wrong); err != nil {
			return err
		}
		if err := wrong.Fault(); err != nil {
			return err
		}
		return s.notTooOften(ctx, tx)
	})
	return savedConnection{Call: unsavedCall(v.Tenant, settings)}, err
}

// notTooOften keeps tests from being used to try out passwords or to knock at doors. The audit log knows how many there
// were, in all processes together.
func (s *Service) notTooOften(ctx context.Context, tx *pg.Tx) error {
	limit := s.TestsPerMinute
	if limit == 0 {
		limit = 60
	}
	// The log is read from its end, so that its length does not matter.
	const sql = `
		select count(*)
		  from (select e.action, e.at from audit_event e where e.tenant_id = current_tenant() order by e.seq desc
		      limit 1000) e
		 where e.action = $1
		   and e.at > now() - interval '1 minute'`
	var n int
	if err := tx.QueryRow(ctx, sql, actionTested).Scan(&n); err != nil {
		return fmt.Errorf("count connection tests: %w", err)
	}
	if n < limit {
		return nil
	}
	f := fault.New(fault.TooMany, "there were %d connection tests within a minute; wait a little", n)
	f.RetryAfter = 15 * time.Second
	return f
}

// try tests a connection and keeps the verdict.
func (s *Service) try(
	ctx context.Context,
	v viewer.Viewer,
	c savedConnection,
	tell func(v1.TestStep),
) (tryout.TestResponse, error) {
	answer, err := s.tester().Probe(ctx, c.Call, tell)
	if err != nil {
		return answer, err
	}
	return answer, s.afterwards(ctx, v, func(ctx context.Context, tx *pg.Tx) error {
		if c.row != nil && ctx.Err() == nil {
			if err := s.keep(ctx, tx, *c.row, answer.TestResponse); err != nil {
				return err
			}
		}
		return recordCall(ctx, tx, actionTested, c.Call, answer.Success, answer.Error)
	})
}

// afterwards notes what was done even when the one who asked has gone away.
func (s *Service) afterwards(
	ctx context.Context,
	v viewer.Viewer,
	fn func(ctx context.Context, tx *pg.Tx) error,
) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return s.DB.As(ctx, v, func(tx *pg.Tx) error { return fn(ctx, tx) })
}

// keep stores a verdict with the settings it is about. It is no change of the connector, so its version stays.
func (s *Service) keep(ctx context.Context, tx *pg.Tx, r row, answer v1.TestResponse) error {
	if answer.Error != nil && answer.Error.Class == v1.ClassCancelled {
		return nil // a test that was broken off says nothing
	}
	verdict := tested{Digest: r.digest(), Operations: answer.Operations, LastTest: LastTest{
		At: s.Now().UTC(), Success: answer.Success, DurationMS: answer.DurationMS, ExecutedBy: r.Mode,
	}}
	if !answer.Success { // it says nothing about what the target offers: what was seen before still counts
		verdict.Operations = r.offers()
	}
	if e := answer.Error; e != nil {
		verdict.Error = &TestError{Class: e.Class, Code: e.Code, Message: e.Message}
	}
	b, err := json.Marshal(verdict)
	if err != nil {
		return fmt.Errorf("encode verdict: %w", err)
	}
	return pg.Exec(
		ctx,
		tx,
		"keep verdict",
		`update connector set last_test = $2 where id = $1 and deleted_at is null`,
		r.ID,
		b,
	)
}

// stream tests a connection in events: one step each, then the result.
func (s *Service) stream(v viewer.Viewer, c savedConnection) func(ctx context.Context, e *sse.Events) error {
	return func(ctx context.Context, e *sse.Events) error {
		test := func(tell func(v1.TestStep)) (tryout.TestResponse, error) { return s.try(ctx, v, c, tell) }
		return sse.Relay(ctx, e, "step", test, func(ctx context.Context, err error) {
			s.Log.ErrorContext(ctx, "connection test failed", "connector", c.BusinessID, "err", err)
		})
	}
}

// Sample reads a few records of a connector's target, by the same read that a run does.
func (s *Service) Sample(ctx context.Context, v viewer.Viewer, id string, want tryout.Sampling) (tryout.Sample, error) {
	c, err := s.toCall(ctx, v, id)
	if err != nil {
		return tryout.Sample{}, err
	}
	out, err := s.tester().Sample(ctx, c.Call, want)
	if err != nil {
		return out, err
	}
	return out, s.afterwards(ctx, v, func(ctx context.Context, tx *pg.Tx) error {
		return recordCall(ctx, tx, actionSampled, c.Call, out.Error == nil, out.Error)
	})
}
