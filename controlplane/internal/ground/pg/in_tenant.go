package pg

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// InTenant runs fn as v, who is in another tenant, and comes back: what an operator does in a tenant is written into
// that tenant's log and into the operator's own, both or neither. What the viewer may see within a tenant stays as it
// was. Callers are listed by a test. After an error the transaction can only be rolled back.
func (tx *Tx) InTenant(ctx context.Context, v viewer.Viewer, fn func(tx *Tx) error) error {
	if _, err := uuid.Parse(v.Tenant); err != nil {
		return fmt.Errorf("a transaction needs a tenant: %w", err)
	}
	if err := tx.enter(ctx, v.Tenant); err != nil {
		return err
	}
	if err := fn(&Tx{Tx: tx.Tx, Viewer: v}); err != nil {
		return err
	}
	return tx.enter(ctx, tx.Viewer.Tenant)
}

func (tx *Tx) enter(ctx context.Context, tenant string) error {
	if _, err := tx.Exec(ctx, `select set_config('app.tenant_id', $1, true)`, tenant); err != nil {
		return fmt.Errorf("enter tenant: %w", err)
	}
	return nil
}
