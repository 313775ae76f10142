package onboard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/onboard/schemadiff"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

type decideIn struct {
	ID     string `path:"id"`
	DiffID string `path:"diff_id"`
	httpapi.IfMatch
	Body schemadiff.SchemaDecisions
}

func (s *Service) decide(
	ctx context.Context,
	v viewer.Viewer,
	in *decideIn,
) (*httpapi.One[schemadiff.SchemaDiff], error) {
	var d schemadiff.SchemaDiff
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		d, err = s.Decide(ctx, tx, in.ID, in.DiffID, in.IfMatch, in.Body)
		return err
	})
	return shown(d, err)
}

// Decide takes decisions about a diff within a transaction.
func (s *Service) Decide(
	ctx context.Context,
	tx *pg.Tx,
	connectorID, id string,
	match httpapi.IfMatch,
	asked schemadiff.SchemaDecisions,
) (schemadiff.SchemaDiff, error) {
	if err := lock(ctx, tx, connectorID); err != nil {
		return schemadiff.SchemaDiff{}, err
	}
	d, err := findDiff(ctx, tx, connectorID, id, "for update")
	if err != nil {
		return d, err
	}
	if err := match.Check(d.Version); err != nil {
		return d, err
	}
	if err := s.carryOut(ctx, tx, d, asked); err != nil {
		return d, err
	}
	return findDiff(ctx, tx, connectorID, id, "")
}

// carryOut applies decisions to a diff, to the mappings and to the snapshot that these are about.
func (s *Service) carryOut(
	ctx context.Context,
	tx *pg.Tx,
	d schemadiff.SchemaDiff,
	asked schemadiff.SchemaDecisions,
) error {
	if d.ClosedAt != nil {
		return fault.Coded(
			fault.Conflict,
			"schema_diff_closed",
			"this diff is closed; rediscover to see what differs now",
		)
	}
	c, err := connector.Find(ctx, tx, d.ConnectorID)
	if err != nil {
		return err
	}
	base, err := fieldmap.Current(ctx, tx, c.ID)
	switch {
	case err != nil:
		return err
	case base.ID != d.BaseID:
		return fault.Coded(
			fault.Conflict,
			"schema_diff_outdated",
			"the fields were discovered again in the meantime; rediscover to see the current differences",
		)
	}
	decisions, err := asked.About(d)
	if err != nil {
		return err
	}
	if err := s.applyRules(ctx, tx, c, base, d, decisions); err != nil {
		return err
	}
	by, at := tx.Viewer.Display, s.Now().UTC()
	for _, n := range decisions {
		d.Decisions = append(
			d.Decisions,
			schemadiff.SchemaDecision{
				Object:   n.Object,
				Path:     n.Path,
				Decision: n.Decision,
				Mapping:  n.Rule(),
				By:       by,
				At:       at,
			},
		)
	}
	waiting := d.Waiting()
	if len(decisions) > 0 {
		if d.BaseID, err = s.adopt(ctx, tx, c, base, d, waiting); err != nil {
			return err
		}
	}
	d.State = schemadiff.StateAfter(d, asked.Dismiss, len(waiting))
	if len(waiting) == 0 || asked.Dismiss {
		d.ClosedAt = &at
	}
	if err := schemadiff.Update(ctx, tx, d); err != nil {
		return err
	}
	return note(ctx, tx, c, d, decisions, asked.Dismiss)
}

// adopt makes the later look the one that mappings are about, but for the fields that wait. It returns the snapshot's
// id.
func (s *Service) adopt(
	ctx context.Context,
	tx *pg.Tx,
	c connector.Connector,
	base fieldmap.SchemaSnapshot,
	d schemadiff.SchemaDiff,
	waiting []schemadiff.FieldKey,
) (string, error) {
	after, err := fieldmap.Snapshot(ctx, tx, c.ID, d.ToSnapshotID)
	if err != nil {
		return "", err
	}
	objects, whole := schemadiff.Merge(base.Discovered(), after.Discovered(), waiting)
	if !whole {
		answer := v1.DiscoverResponse{
			Success:      true,
			Objects:      objects,
			Warnings:     after.Warnings,
			SchemaDigest: digest(objects),
		}
		if after, err = s.Fields.Take(ctx, tx, c.ID, fieldmap.SourceRediscover, answer); err != nil {
			return "", err
		}
	}
	return after.ID, fieldmap.Adopt(ctx, tx, c.ID, after.ID)
}

// digest changes when names or types of fields change.
func digest(objects []v1.DiscoveredObject) string {
	var lines []string
	for _, o := range objects {
		for _, f := range o.Fields {
			b, _ := json.Marshal(
				[]any{o.Kind, o.NativeType, f.Name, f.Type, f.Format, f.Multi},
			) // texts and a boolean always encode
			lines = append(lines, string(b))
		}
	}
	slices.Sort(lines)
	b, _ := json.Marshal(lines)
	sum := sha256.Sum256(b)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func note(
	ctx context.Context,
	tx *pg.Tx,
	c connector.Connector,
	d schemadiff.SchemaDiff,
	decisions []schemadiff.NewSchemaDecision,
	dismissed bool,
) error {
	var changes []audit.Change
	for _, n := range decisions {
		changes = append(changes, audit.Change{Field: n.Object + ":" + n.Path, To: n.Decision})
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "connector.schema_decided",
		Subject: audit.Subject{Type: "connector", ID: c.ID, Display: c.BusinessID},
		Changes: changes,
		Context: map[string]any{"schema_diff_id": d.ID, "state": d.State, "dismissed": dismissed},
	})
}
