package matching

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Correlation are a connector's settings as they are shown.
type Correlation struct {
	// ID of the connector whose accounts the settings apply to.
	ConnectorID string `json:"connector_id"`
	// The connector has no settings of its own.
	IsDefault bool `json:"is_default"`
	Settings
}

// Connector is a connector as far as correlation needs it.
type Connector struct {
	ID, Name    string
	Version     int
	Correlation NewCorrelation
	IsDefault   bool
}

// View is how the API shows its settings.
func (c Connector) View() Correlation {
	return Correlation{c.ID, c.IsDefault, c.Correlation.Settings()}
}

// FindConnector reads a connector. Its fault is of kind NotFound when there is none, or no longer.
func FindConnector(ctx context.Context, tx *pg.Tx, connector, locking string) (c Connector, err error) {
	missing := fault.New(fault.NotFound, "Connector %s was not found.", connector)
	if !listing.IsID(connector) {
		return c, missing
	}
	const sql = `
		select c.id, c.name, c.version, c.correlation, c.correlation = '{}'
		  from connector c
		 where c.id = $1
		   and c.deleted_at is null `
	err = tx.QueryRow(ctx, sql+locking, connector).Scan(&c.ID, &c.Name, &c.Version, &c.Correlation, &c.IsDefault)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return c, missing
	case err != nil:
		return c, fmt.Errorf("find connector: %w", err)
	}
	return c, nil
}
