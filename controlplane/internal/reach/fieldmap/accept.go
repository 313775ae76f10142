package fieldmap

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/proposal"
)

// Accept takes the proposals for all fields of the current snapshot that are not decided; what was decided
// stays. If there is nothing to add, nothing is written. Its fault is of kind Conflict without a discovery of
// the fields yet.
func (s *Service) Accept(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (out Mappings, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if out, err = Read(ctx, tx, id); err != nil {
			return err
		}
		if err := match.Check(out.Version); err != nil {
			return err
		}
		snap, err := Current(ctx, tx, id)
		if err != nil {
			return err
		}
		proposals, err := s.Propose(ctx, tx, out.connectorState, snap)
		if err != nil {
			return err
		}
		rules, added := proposal.Complete(rulesOf(out.Mappings), proposals)
		if added == 0 && out.Version > 0 {
			return nil
		}
		if _, _, err := s.Replace(ctx, tx, out.connectorState, rules, "proposals accepted"); err != nil {
			return err
		}
		out, err = Read(ctx, tx, id)
		return err
	})
	return out, err
}

// CopySource is a connector whose mappings could be taken over.
type CopySource struct {
	// ID of the connector whose mappings can be copied.
	ID string `json:"connector_id" db:"id"`
	// Business ID of the connector whose mappings can be copied.
	BusinessID string `json:"business_id" db:"business_id"`
	// Display name of the connector whose mappings can be copied.
	Name string `json:"name" db:"name"`
	// Environment of the connector whose mappings can be copied.
	Environment string `json:"environment" db:"environment"`
	// Version number of that connector's mappings.
	Version int `json:"mapping_version" db:"mapping_version"`
	// How many of its mappings fit the fields of this source.
	Fitting int `json:"fitting" db:"-"`
	// Those that do not.
	Misfits []proposal.Misfit `json:"misfits" db:"-" nullable:"false"`
}

// maxSources bounds how many connectors are offered to copy from.
const maxSources = 10

// Sources are the connectors of the same type as c that have mappings of their own, the latest first, with what of them
// fits the fields of snap.
func Sources(ctx context.Context, tx *pg.Tx, c connector.Connector, snap SchemaSnapshot) ([]CopySource, error) {
	const sql = `
		select o.id, o.business_id, o.name, o.environment, o.mapping_version
		  from connector o
		 where o.deleted_at is null
		   and o.mapping_version > 0
		   and o.id <> $1
		   and o.type = $2
		   and o.vendor_key is not distinct from $3
		 order by o.updated_at desc, o.id
		 limit $4`
	sources, err := pg.All[CopySource](
		ctx,
		tx,
		"find connectors to copy from",
		sql,
		c.ID,
		c.Type,
		c.VendorKey,
		maxSources,
	)
	if err != nil {
		return nil, err
	}
	for i := range sources {
		if err := sources[i].fit(ctx, tx, snap); err != nil {
			return nil, err
		}
	}
	return sources, nil
}

func (o *CopySource) fit(ctx context.Context, tx *pg.Tx, snap SchemaSnapshot) error {
	stored, _, err := Rules(ctx, tx, o.ID)
	if err != nil {
		return err
	}
	there, err := Current(ctx, tx, o.ID)
	if err != nil && !fault.IsCode(err, "discovery_required") {
		return err
	}
	_, o.Misfits = proposal.Fit(rulesOf(stored), there.Discovered(), snap.Discovered(), nil)
	if o.Misfits == nil {
		o.Misfits = []proposal.Misfit{}
	}
	o.Fitting = len(stored) - len(o.Misfits)
	return nil
}
