package correlate

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Configuration reads a connector's settings with the connector's version.
func (s *Service) Configuration(
	ctx context.Context,
	v viewer.Viewer,
	connector string,
) (c matching.Correlation, version int, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err := matching.FindConnector(ctx, tx, connector, "")
		c, version = found.View(), found.Version
		return err
	})
	return c, version, err
}

// Configure replaces a connector's settings; empty ones mean the defaults. They take effect with the connector's next
// run, or with Correlate.
func (s *Service) Configure(
	ctx context.Context,
	v viewer.Viewer,
	connector string,
	match httpapi.IfMatch,
	g matching.NewCorrelation,
) (c matching.Correlation, version int, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := matching.FindConnector(ctx, tx, connector, "for update")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		after := before
		if after.Correlation, err = g.Canonical(); err != nil {
			return err
		}
		after.IsDefault = g == matching.NewCorrelation{}
		changes, err := audit.Diff(before.View(), after.View())
		if err != nil {
			return err
		}
		if len(changes) > 0 {
			if err := put(ctx, tx, &after, changes); err != nil {
				return err
			}
		}
		c, version = after.View(), after.Version
		return nil
	})
	return c, version, err
}

// put stores a connector's settings of correlation and records what changed. c.Version becomes the
// new version.
func put(ctx context.Context, tx *pg.Tx, c *matching.Connector, changes []audit.Change) error {
	const sql = `
		update connector
		   set correlation = $2, updated_at = now(), version = version + 1
		 where id = $1
		returning version`
	if err := tx.QueryRow(ctx, sql, c.ID, c.Correlation).Scan(&c.Version); err != nil {
		return fmt.Errorf("write correlation settings: %w", err)
	}
	return audit.Record(ctx, tx, audit.Entry{Action: "connector.correlation_updated", Changes: changes,
		Subject: audit.Subject{Type: "connector", ID: c.ID, Display: c.Name}})
}
