package onboard

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/sse"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/onboard/schemadiff"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// RediscoverOptions say how to look. All kinds of object are looked at: a part would show the others as removed.
type RediscoverOptions struct {
	// The number of records to sample. The default is 10.
	SampleSize int `json:"sample_size,omitempty" minimum:"1" maximum:"50"`
	// Show the shape of values in place of the values.
	MaskSamples bool `json:"mask_samples,omitempty"`
}

// Rediscovery is what another look at a target gave.
type Rediscovery struct {
	// Whether the discovery succeeded.
	Success bool `json:"success"`
	// The look as it was kept; null when it did not succeed.
	SnapshotID *string `json:"schema_snapshot_id"`
	// What differs; null where nothing does.
	Diff *schemadiff.SchemaDiff `json:"diff"`
	// Problems that did not stop the discovery.
	Warnings []v1.Warning `json:"warnings" nullable:"false"`
	// What the target, the network or an agent answered.
	Error *v1.ErrorDetail `json:"error"`
}

type rediscoverIn struct {
	ID string `path:"id"`
	// Answer in server-sent events.
	Stream bool `query:"stream"`
	Body   *RediscoverOptions
}

func (in *rediscoverIn) streams() bool { return in.Stream }

func (in *rediscoverIn) options() connector.DiscoverOptions {
	if in.Body == nil {
		return connector.DiscoverOptions{}
	}
	return connector.DiscoverOptions{SampleSize: in.Body.SampleSize, MaskSamples: in.Body.MaskSamples}
}

func (s *Service) rediscover(ctx context.Context, v viewer.Viewer, in *rediscoverIn) (*Rediscovery, error) {
	if err := s.comparable(ctx, v, in.ID); err != nil {
		return nil, err
	}
	out, err := s.Rediscover(ctx, v, in.ID, in.options(), nil)
	return &out, err
}

func (s *Service) streamRediscover(
	ctx context.Context,
	v viewer.Viewer,
	in *rediscoverIn,
) (func(context.Context, *sse.Events) error, error) {
	err := s.comparable(ctx, v, in.ID)
	return func(ctx context.Context, e *sse.Events) error {
		look := func(tell func(v1.Progress)) (Rediscovery, error) {
			return s.Rediscover(ctx, v, in.ID, in.options(), tell)
		}
		return sse.Relay(ctx, e, "progress", look, s.Fields.LogFailure(in.ID))
	}, err
}

// comparable is a fault of kind Conflict where there is nothing to compare with.
func (s *Service) comparable(ctx context.Context, v viewer.Viewer, id string) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		_, err := fieldmap.Current(ctx, tx, id)
		return err
	})
}

// Rediscover looks at a connector's target again and compares with the snapshot that its mappings are about. What the
// target, the network or an agent answers is part of the result.
func (s *Service) Rediscover(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	o connector.DiscoverOptions,
	report connectorkit.Report,
) (Rediscovery, error) {
	out := Rediscovery{Warnings: []v1.Warning{}}
	answer, err := s.Connectors.Discover(
		ctx,
		v,
		id,
		o,
		report,
		func(ctx context.Context, tx *pg.Tx, answer v1.DiscoverResponse) error {
			if !answer.Success || ctx.Err() != nil {
				return nil
			}
			snap, err := s.Fields.Take(ctx, tx, id, fieldmap.SourceRediscover, answer)
			if err != nil {
				return err
			}
			out.SnapshotID = &snap.ID
			out.Diff, err = s.keepDiff(ctx, tx, id, snap)
			return err
		},
	)
	if err != nil {
		return out, err
	}
	out.Success, out.Error = answer.Success, answer.Error
	if answer.Warnings != nil {
		out.Warnings = answer.Warnings
	}
	return out, nil
}

// keepDiff keeps what differs between a new snapshot and the current one, in the place of a diff that is open; nil
// where nothing does.
func (s *Service) keepDiff(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	after fieldmap.SchemaSnapshot,
) (*schemadiff.SchemaDiff, error) {
	if err := lock(ctx, tx, id); err != nil {
		return nil, err
	}
	c, err := connector.Find(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	before, err := fieldmap.Current(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	rules, _, err := s.inUse(ctx, tx, c, before)
	if err != nil {
		return nil, err
	}
	proposals, err := s.Fields.Propose(ctx, tx, c, after)
	if err != nil {
		return nil, err
	}
	d := schemadiff.Compare(before.Discovered(), after.Discovered(), rules, proposals)
	d.ConnectorID, d.FromSnapshotID, d.BaseID, d.ToSnapshotID = before.ConnectorID, before.ID, before.ID, after.ID
	replaced, err := schemadiff.CloseOpen(ctx, tx, id)
	if err != nil || len(d.Fields()) == 0 {
		return nil, err
	}
	d.ID = uuid.Must(uuid.NewV7()).String()
	if err := schemadiff.Insert(ctx, tx, d); err != nil {
		return nil, err
	}
	if err := schemadiff.Replace(ctx, tx, replaced, d.ID); err != nil {
		return nil, err
	}
	if d, err = findDiff(ctx, tx, id, d.ID, ""); err != nil {
		return nil, err
	}
	return &d, audit.Record(ctx, tx, audit.Entry{
		Action:  "connector.schema_changed",
		Subject: audit.Subject{Type: "connector", ID: c.ID, Display: c.BusinessID},
		Context: map[string]any{
			"schema_diff_id": d.ID,
			"added":          len(d.Added),
			"removed":        len(d.Removed),
			"type_changed":   len(d.TypeChanged),
		},
	})
}

// inUse are the rules that a connector's records are mapped by: the stored ones, or if there are none, what
// would be proposed for the fields of a snapshot. Entitlements and grants are then what the connector makes of them,
// and no proposal is in use.
func (s *Service) inUse(
	ctx context.Context,
	tx *pg.Tx,
	c connector.Connector,
	snap fieldmap.SchemaSnapshot,
) (rules []mapping.Mapping, version int, err error) {
	stored, version, err := fieldmap.Rules(ctx, tx, c.ID)
	if err != nil {
		return nil, 0, err
	}
	if version == 0 {
		rules, err = s.Fields.Propose(ctx, tx, c, snap)
		return slices.DeleteFunc(rules, ofAccess), 0, err
	}
	for _, m := range stored {
		rules = append(rules, m.Mapping)
	}
	return rules, version, nil
}

func ofAccess(r mapping.Mapping) bool {
	return r.Object == mapping.ObjectEntitlement || r.Object == mapping.ObjectGrant
}

// lock keeps others from comparing, deciding and mapping until the transaction ends. Its fault is of kind NotFound
// where there is no such connector.
func lock(ctx context.Context, tx *pg.Tx, connectorID string) error {
	if _, err := connector.Find(ctx, tx, connectorID); err != nil {
		return err
	}
	return pg.Exec(ctx, tx, "lock connector", `select from connector c where c.id = $1 for update`, connectorID)
}
