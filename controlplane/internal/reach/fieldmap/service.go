package fieldmap

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/mapper"
)

// Service keeps snapshots and mappings.
type Service struct {
	DB         *pg.DB
	Connectors *connector.Service
	Cursors    *httpapi.Cursors
	Compile    mapping.Compiler // of transforms
	Log        *slog.Logger
	// Offers are the mappings that the tenant's sector packs offer for a connector; nil: there are none.
	Offers func(ctx context.Context, tx *pg.Tx, c connector.Connector) ([]mapping.Mapping, error)
	Now    func() time.Time
}

// Mapper is what maps a connector's records now, with the version of the mappings it was made of. Version 0 are the
// heuristics.
func (s *Service) Mapper(ctx context.Context, tx *pg.Tx, connectorID string) (*mapper.Mapper, int, error) {
	stored, version, err := Rules(ctx, tx, connectorID)
	if err != nil {
		return nil, 0, err
	}
	m, err := mapper.With(rulesOf(stored), s.Compile)
	return m, version, err
}
