package safety

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Find reads a connector's safety; what is not decided there is the standard.
func Find(ctx context.Context, tx *pg.Tx, connector string) (Safety, error) {
	s := defaultSafety()
	var own, deletion []byte
	if err := tx.QueryRow(ctx, `select safety, deletion from connector where id = $1`, connector).
		Scan(&own, &deletion); err != nil {
		return s, fmt.Errorf("read safety of connector: %w", err)
	}
	if err := json.Unmarshal(own, &s); err != nil {
		return s, fmt.Errorf("read safety of connector: %w", err)
	}
	if err := json.Unmarshal(deletion, &s.Deletion); err != nil {
		return s, fmt.Errorf("read deletion of connector: %w", err)
	}
	if s.Limits == nil {
		s.Limits = []SafetyLimit{}
	}
	return s, nil
}

// connectorVersion reads the version of a connector that is not deleted; otherwise it is a
// not_found fault. locking is empty or "for update".
func connectorVersion(ctx context.Context, tx *pg.Tx, id, locking string) (version int, err error) {
	missing := fault.New(fault.NotFound, "Connector %s was not found.", id)
	if uuid.Validate(id) != nil {
		return 0, missing
	}
	err = tx.QueryRow(ctx, `select version from connector where id = $1 and deleted_at is null `+locking, id).
		Scan(&version)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, missing
	case err != nil:
		return 0, fmt.Errorf("find connector: %w", err)
	}
	return version, nil
}

// store writes the safety and raises the connector's version. Members of deletion that this package
// does not know are kept.
func store(ctx context.Context, tx *pg.Tx, connector string, s Safety) error {
	deletion, err := json.Marshal(s.Deletion)
	if err != nil {
		return fmt.Errorf("write safety: %w", err)
	}
	safety, err := json.Marshal(struct {
		Limits    []SafetyLimit `json:"limits"`
		Window    string        `json:"window"`
		TotalLoss bool          `json:"total_loss"`
		HoldScope string        `json:"hold_scope"`
		HoldTTL   string        `json:"hold_ttl"`
	}{s.Limits, s.Window, s.TotalLoss, s.HoldScope, s.HoldTTL})
	if err != nil {
		return fmt.Errorf("write safety: %w", err)
	}
	const sql = `
		update connector
		   set safety = $2, deletion = deletion || $3::jsonb, updated_at = now(), version = version + 1
		 where id = $1`
	return pg.Exec(ctx, tx, "write safety", sql, connector, safety, deletion)
}
