package access

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/entitlement"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/explain"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/order"
)

// Service answers for entitlements and grants. All fields but Say, Rows, Conditions and Admit are
// needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time

	Conditions entitlement.Reader // nil: no condition can be written
	// describes whom a rule is for; empty when it cannot. Without it, explanations leave that out
	Say func(condition []byte) string
	// Rows returns which rows of a decision table give a person a role or an entitlement. Without it that is
	Rows func(table []byte, facts map[string]any, role, entitlement string) string
	// Admit is a fault if a person must not be given an entitlement directly. Nil: nothing is refused.
	Admit func(ctx context.Context, tx *pg.Tx, identityID, entitlementID string) error
}

// Entitlements reads and changes entitlements.
func (s *Service) Entitlements() *entitlement.Service {
	return &entitlement.Service{DB: s.DB, Cursors: s.Cursors, Now: s.Now, Conditions: s.Conditions}
}

// Orders assigns, revokes and extends access.
func (s *Service) Orders() *order.Service {
	return &order.Service{DB: s.DB, Now: s.Now, Admit: s.Admit}
}

// Explanations explains why access is there, or is not.
func (s *Service) Explanations() *explain.Service {
	return &explain.Service{DB: s.DB, Say: s.Say, Rows: s.Rows}
}
