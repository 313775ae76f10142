package connector

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connectorstate"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/deletion"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
)

// Service makes, changes, tries out and removes connectors.
type Service struct {
	DB       *pg.DB
	Seal     *seal.Keyring
	Dispatch *dispatch.Dispatcher
	Now      func() time.Time
	Log      *slog.Logger
	Cursors  *httpapi.Cursors

	TestLimit      time.Duration // how long a connection test may take; 0: 30 s
	TestsPerMinute int           // connection tests in a tenant; 0: 60
}

// Create makes a connector, which can be tested and read at once unless it is a draft that lacks settings yet. It
// returns a fault of kind Invalid that lists all that is wrong, or of kind Conflict when the business id is taken.
func (s *Service) Create(ctx context.Context, v viewer.Viewer, n NewConnector) (c Connector, err error) {
	r := n.row(uuid.Must(uuid.NewV7()).String())
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		wrong := append(n.check(r.BusinessID), n.Settings.Check()...)
		if err := agentExists(ctx, tx, n.Settings, &wrong); err != nil {
			return err
		}
		if n.Draft {
			wrong = r.drafted(wrong)
		}
		if err := wrong.Fault(); err != nil {
			return err
		}
		if err := s.seal(ctx, tx, &r, connection.Given(n.Credentials)); err != nil {
			return err
		}
		if err := insert(ctx, tx, r); err != nil {
			return err
		}
		if c, err = Find(ctx, tx, r.ID); err != nil {
			return err
		}
		return recordCreated(ctx, tx, c)
	})
	return c, taken(err, r.BusinessID)
}

func taken(err error, businessID string) error {
	if !pg.Violates(err, "connector_business_id_unique") {
		return err
	}
	return fault.Coded(fault.Conflict, "duplicate_business_id", "there is a connector %s already", businessID).
		With(fault.Field{Pointer: "#/business_id", Code: "duplicate_business_id", Detail: "give another business_id"})
}

// Patch changes a connector. Its fault is of kind Precondition when match fails, and Invalid with the code
// credentials_required when the change has secrets sent elsewhere that are neither given again nor released.
func (s *Service) Patch(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	p ConnectorPatch,
) (c Connector, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, err := lock(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := match.Check(before.Version); err != nil {
			return err
		}
		if err := s.change(ctx, tx, before, p); err != nil {
			return err
		}
		c, err = Find(ctx, tx, id)
		return err
	})
	return c, err
}

func (s *Service) change(ctx context.Context, tx *pg.Tx, before row, p ConnectorPatch) error {
	after, err := p.apply(before)
	if err != nil {
		return err
	}
	var let release
	if p.touchesSettings() {
		if let, err = s.changeSettings(ctx, tx, before, &after, p); err != nil {
			return err
		}
	}
	changes, err := differences(before, after, p.Credentials)
	if err != nil || len(changes) == 0 {
		return err
	}
	if err := update(ctx, tx, after); err != nil {
		return err
	}
	if err := recordUpdated(ctx, tx, after.Connector, changes); err != nil || len(let.moved) == 0 {
		return err
	}
	return recordReleased(ctx, tx, after, let)
}

// changeSettings holds new settings and secrets against the rules and seals the secrets anew where they changed.
func (s *Service) changeSettings(
	ctx context.Context,
	tx *pg.Tx,
	before row,
	after *row,
	p ConnectorPatch,
) (let release, err error) {
	secrets, err := s.unseal(ctx, tx, before)
	if err != nil {
		return let, err
	}
	if let, err = askAgain(tx.Viewer, before, *after, secrets, p); err != nil {
		return let, err
	}
	secrets = connection.Merged(secrets, p.Credentials)
	settings := after.settings(secrets)
	wrong := settings.Check()
	if err := agentExists(ctx, tx, settings, &wrong); err != nil {
		return let, err
	}
	if before.Status == connectorstate.Draft {
		wrong = after.drafted(wrong)
	}
	if err := wrong.Fault(); err != nil {
		return let, err
	}
	if len(p.Credentials) == 0 {
		return let, nil
	}
	return let, s.seal(ctx, tx, after, secrets)
}

// Delete removes a connector and erases its secrets. What was read of it is disconnected: it leaves lists, figures and
// effective access, and comes back when the connector is restored within 30 days. It returns a fault of kind Conflict
// while a run is active.
func (s *Service) Delete(ctx context.Context, v viewer.Viewer, id string, match httpapi.IfMatch) error {
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		r, err := lock(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := match.Check(r.Version); err != nil {
			return err
		}
		run, err := activeRun(ctx, tx, id)
		if err != nil {
			return err
		}
		if run != "" {
			return fault.Coded(fault.Conflict, "sync_running", "a run of this connector is active; cancel it or wait "+
				"for its end").
				Also("run_id", run)
		}
		if err := erase(ctx, tx, id); err != nil {
			return err
		}
		gone, err := deletion.Disconnect(ctx, tx, id)
		if err != nil {
			return err
		}
		return recordDeleted(ctx, tx, r.Connector, gone)
	})
}

func (s *Service) place(id string) seal.Place {
	return seal.Place{Table: "connector", Column: "credentials", Row: id}
}

// seal puts the secrets into the row. A connector without secrets keeps nothing.
func (s *Service) seal(ctx context.Context, tx *pg.Tx, r *row, secrets map[string]any) error {
	r.Sealed, r.Keys, r.SealedAt = nil, connection.SortedKeys(secrets), nil
	if len(secrets) == 0 {
		return nil
	}
	plain, err := json.Marshal(secrets)
	if err != nil {
		return fmt.Errorf("encode credentials: %w", err)
	}
	if r.Sealed, err = s.Seal.Seal(ctx, tx, s.place(r.ID), plain); err != nil {
		return fmt.Errorf("seal credentials: %w", err)
	}
	now := s.Now().UTC().Truncate(time.Microsecond)
	r.SealedAt = &now
	return nil
}

func (s *Service) unseal(ctx context.Context, tx *pg.Tx, r row) (map[string]any, error) {
	secrets := map[string]any{}
	if len(r.Sealed) == 0 {
		return secrets, nil
	}
	plain, err := s.Seal.Open(ctx, tx, s.place(r.ID), r.Sealed)
	if err != nil {
		return nil, fmt.Errorf("open credentials of connector %s: %w", r.ID, err)
	}
	if json.Unmarshal(plain, &secrets) != nil {
		// The decoder's own words could repeat a part of a secret.
		return nil, fmt.Errorf("the credentials of connector %s are no JSON object", r.ID)
	}
	return secrets, nil
}
