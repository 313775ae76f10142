package fieldmap

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/proposal"
)

// Proposals are what could be done with each field of a snapshot.
type Proposals struct {
	// ID of the connector that the proposals are for.
	ConnectorID string `json:"connector_id"`
	// ID of the schema snapshot whose fields the proposals map.
	SnapshotID string `json:"schema_snapshot_id"`
	// Proposed mapping of each field of the snapshot.
	Mappings []mapping.Mapping `json:"mappings" nullable:"false"`
	// Fields of ours that nothing would fill.
	Unfilled TargetFields `json:"unfilled"`
}

func (s *Service) suggest(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[Proposals], error) {
	var out Proposals
	err := s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = s.Suggest(ctx, tx, in.ID)
		return err
	})
	return &httpapi.One[Proposals]{Body: out}, err
}

// Suggest proposes what to do with each field of a connector's current snapshot. Its fault is of kind Conflict where
// there is none.
func (s *Service) Suggest(ctx context.Context, tx *pg.Tx, connectorID string) (Proposals, error) {
	c, err := connector.Find(ctx, tx, connectorID)
	if err != nil {
		return Proposals{}, err
	}
	snap, err := Current(ctx, tx, connectorID)
	if err != nil {
		return Proposals{}, err
	}
	rules, err := s.Propose(ctx, tx, c, snap)
	if err != nil {
		return Proposals{}, err
	}
	left := targetFields(func(object string) []mapping.Field { return unfilled(object, rules) })
	return Proposals{ConnectorID: c.ID, SnapshotID: snap.ID, Mappings: rules, Unfilled: left}, nil
}

// Propose are the proposals for the fields of a snapshot, with what the catalog knows of the connector's vendor and
// what the tenant's sector packs offer.
func (s *Service) Propose(
	ctx context.Context,
	tx *pg.Tx,
	c connector.Connector,
	snap SchemaSnapshot,
) ([]mapping.Mapping, error) {
	var template []catalog.FieldMapping
	if c.VendorKey != nil {
		if e, ok := catalog.Find(*c.VendorKey); ok {
			template = e.Mapping
		}
	}
	proposals := proposal.Suggest(snap.Discovered(), template)
	if s.Offers == nil {
		return proposals, nil
	}
	offered, err := s.Offers(ctx, tx, c)
	if err != nil {
		return nil, err
	}
	return proposal.Offer(proposals, offered), nil
}

func unfilled(object string, rules []mapping.Mapping) []mapping.Field {
	filled := map[mapping.Field]bool{}
	seen := false
	for _, r := range rules {
		if r.Object == object {
			seen, filled[r.Target] = true, true
		}
	}
	out := []mapping.Field{}
	for _, f := range mapping.FieldsOf(object) {
		if seen && !filled[f] {
			out = append(out, f)
		}
	}
	return out
}
