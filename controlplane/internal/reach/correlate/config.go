package correlate

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// Correlation are a connector's settings as they are shown.
type Correlation struct {
	ConnectorID string `json:"connector_id"`
	IsDefault   bool   `json:"is_default" doc:"The connector has no settings of its own."`
	Settings
}

// saved is a connector as far as this package knows it.
type saved struct {
	ID, Name    string
	Version     int
	Correlation NewCorrelation
	IsDefault   bool
}

func (c saved) shown() Correlation { return Correlation{c.ID, c.IsDefault, c.Correlation.settings()} }

// findConnector reads a connector. Its fault is of kind NotFound when there is none, or no longer.
func findConnector(ctx context.Context, tx *pg.Tx, connector, locking string) (c saved, err error) {
	missing := fault.New(fault.NotFound, "there is no connector %s", connector)
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

// Configuration reads a connector's settings with the connector's version.
func (s *Service) Configuration(
	ctx context.Context,
	v viewer.Viewer,
	connector string,
) (c Correlation, version int, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		found, err := findConnector(ctx, tx, connector, "")
		c, version = found.shown(), found.Version
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
	g NewCorrelation,
) (c Correlation, version int, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := findConnector(ctx, tx, connector, "for update")
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		after := before
		if after.Correlation, err = g.canonical(); err != nil {
			return err
		}
		after.IsDefault = g == NewCorrelation{}
		changes, err := mergepatch.Diff(before.shown(), after.shown())
		if err != nil {
			return err
		}
		if len(changes) > 0 {
			if err := put(ctx, tx, &after, changes); err != nil {
				return err
			}
		}
		c, version = after.shown(), after.Version
		return nil
	})
	return c, version, err
}

// canonical checks settings and writes them in their one way.
func (g NewCorrelation) canonical() (NewCorrelation, error) {
	p, err := compile(g.settings())
	if err != nil {
		return g, err
	}
	if g.Rules != nil {
		g.Rules = &p.Rules
	}
	return g, nil
}

func put(ctx context.Context, tx *pg.Tx, c *saved, changes []audit.Change) error {
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
