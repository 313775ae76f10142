package fieldmap

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/sse"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Discover looks at a connector's target and keeps what it showed. Until the connector's first sync the mappings are
// about it, and afterwards if there was none before. What the target, the network or an agent answers is part of
// the result.
func (s *Service) Discover(
	ctx context.Context,
	v viewer.Viewer,
	id, source string,
	o connector.DiscoverOptions,
	report connectorkit.Report,
) (Discovery, error) {
	out := Discovery{Warnings: []v1.Warning{}, Objects: []SchemaObject{}}
	answer, err := s.Connectors.Discover(
		ctx,
		v,
		id,
		o,
		report,
		func(ctx context.Context, tx *pg.Tx, answer v1.DiscoverResponse) error {
			if !answer.Success || len(o.Objects) > 0 || ctx.Err() != nil {
				return nil // a part of the fields is no base for mappings
			}
			snap, err := s.Take(ctx, tx, id, source, answer)
			if err != nil {
				return err
			}
			out.SnapshotID = &snap.ID
			c, err := connector.Find(ctx, tx, id)
			if err != nil || source != SourceWizard {
				return err
			}
			if settled, err := settled(ctx, tx, c); err != nil || settled {
				return err
			}
			return Adopt(ctx, tx, id, snap.ID)
		},
	)
	if err != nil {
		return out, err
	}
	out.Success, out.SchemaDigest, out.Error, out.Objects = answer.Success, answer.SchemaDigest, answer.Error,
		shownObjects(answer.Objects)
	if answer.Warnings != nil {
		out.Warnings = answer.Warnings
	}
	return out, nil
}

// settled says whether only rediscover may change which look the mappings are about.
func settled(ctx context.Context, tx *pg.Tx, c connector.Connector) (settled bool, err error) {
	if c.FunnelState != connector.Connected {
		return false, nil
	}
	const sql = `select schema_snapshot_id is not null from connector where tenant_id = current_tenant() and id = $1`
	if err := tx.QueryRow(ctx, sql, c.ID).Scan(&settled); err != nil {
		return false, fmt.Errorf("find the look of a connector: %w", err)
	}
	return settled, nil
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

// streamDiscover sends the same as events.
func (s *Service) streamDiscover(
	ctx context.Context,
	v viewer.Viewer,
	in *discoverIn,
) (func(context.Context, *sse.Events) error, error) {
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		_, err := connector.Find(ctx, tx, in.ID)
		return err
	})
	return func(ctx context.Context, e *sse.Events) error {
		look := func(tell func(v1.Progress)) (Discovery, error) {
			return s.Discover(ctx, v, in.ID, SourceWizard, in.options(), tell)
		}
		return sse.Relay(ctx, e, "progress", look, s.LogFailure(in.ID))
	}, err
}

// LogFailure logs why a look at a connector's target failed, beyond what the target itself answered.
func (s *Service) LogFailure(connectorID string) func(ctx context.Context, err error) {
	return func(ctx context.Context, err error) {
		s.Log.ErrorContext(ctx, "discovery failed", "connector", connectorID, "err", err)
	}
}
