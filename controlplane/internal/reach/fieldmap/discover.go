package fieldmap

import (
	"context"
	"errors"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
)

// Discover looks at a connector's target and keeps what it showed. Until the connector's first sync the mappings are about it.
// What the target, the network or an agent answers is part of the result.
func (s *Service) Discover(ctx context.Context, v viewer.Viewer, id, source string, o connector.DiscoverOptions, report connectorkit.Report) (Discovery, error) {
	out := Discovery{Warnings: []v1.Warning{}, Objects: []SchemaObject{}}
	answer, err := s.Connectors.Discover(ctx, v, id, o, report, func(ctx context.Context, tx *pg.Tx, answer v1.DiscoverResponse) error {
		if !answer.Success || len(o.Objects) > 0 || ctx.Err() != nil {
			return nil // a part of the fields is no base for mappings
		}
		snap, err := s.Take(ctx, tx, id, source, answer)
		if err != nil {
			return err
		}
		out.SnapshotID = &snap.ID
		c, err := connector.Find(ctx, tx, id)
		if err != nil || source != SourceWizard || c.FunnelState == connector.Connected {
			return err
		}
		return Adopt(ctx, tx, id, snap.ID)
	})
	if err != nil {
		return out, err
	}
	out.Success, out.SchemaDigest, out.Error, out.Objects = answer.Success, answer.SchemaDigest, answer.Error, shownObjects(answer.Objects)
	if answer.Warnings != nil {
		out.Warnings = answer.Warnings
	}
	return out, nil
}

func (in *discoverIn) options() connector.DiscoverOptions {
	if in.Body == nil {
		return connector.DiscoverOptions{}
	}
	return *in.Body
}

func (s *Service) discover(ctx context.Context, v viewer.Viewer, in *discoverIn) (*Discovery, error) {
	out, err := s.Discover(ctx, v, in.ID, SourceWizard, in.options(), nil)
	return &out, err
}

// streamDiscover tells the same as it happens.
func (s *Service) streamDiscover(ctx context.Context, v viewer.Viewer, in *discoverIn) (func(context.Context, *httpapi.Events) error, error) {
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		_, err := connector.Find(ctx, tx, in.ID)
		return err
	})
	return func(ctx context.Context, e *httpapi.Events) error {
		return Stream(ctx, e, func(report connectorkit.Report) (any, error) {
			return s.Discover(ctx, v, in.ID, SourceWizard, in.options(), report)
		})
	}, err
}

// Stream runs fn and sends what it reports as events of the kind progress, then its result, or error.
func Stream(ctx context.Context, e *httpapi.Events, fn func(report connectorkit.Report) (any, error)) error {
	type outcome struct {
		answer any
		err    error
	}
	told, done := make(chan v1.Progress, 64), make(chan outcome, 1)
	go func() {
		answer, err := fn(func(p v1.Progress) {
			select {
			case told <- p:
			default: // a reader this slow gets the result alone
			}
		})
		done <- outcome{answer, err}
	}()
	alive := time.NewTicker(10 * time.Second)
	defer alive.Stop()
	if err := e.Ping(); err != nil {
		return err
	}
	for {
		select {
		case p := <-told:
			if err := e.Send("progress", "", p); err != nil {
				return err
			}
		case <-alive.C:
			if err := e.Ping(); err != nil {
				return err
			}
		case o := <-done:
			if err := drain(e, told); err != nil {
				return err
			}
			if o.err != nil {
				return e.Send("error", "", problem(o.err))
			}
			return e.Send("result", "", o.answer)
		}
	}
}

// drain sends what was told before the end.
func drain(e *httpapi.Events, told <-chan v1.Progress) error {
	for {
		select {
		case p := <-told:
			if err := e.Send("progress", "", p); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

func problem(err error) map[string]string {
	var f *fault.Fault
	if !errors.As(err, &f) {
		f = fault.New(fault.Internal, "something went wrong on our side; the request id finds it in the log")
	}
	return map[string]string{"code": f.Code, "detail": f.Message}
}
