package member

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// HeldRole is a role that a person has.
type HeldRole struct {
	// ID of the role.
	RoleID string `json:"role_id" db:"id"`
	// Stable key of the role for files and sector packs.
	Key string `json:"key" db:"key"`
	// Display name of the role.
	Name string `json:"name" db:"name"`
	// Type of the role: birthright, business, application, emergency or technical.
	RoleType string `json:"role_type" db:"role_type"`
	// Lifecycle of the role: draft, proposed, active, deprecated or retired.
	Lifecycle string `json:"lifecycle" db:"lifecycle"`
	// The risk level that was set for the role, or the highest of its entitlements and nested roles.
	RiskLevel string `json:"effective_risk_level" db:"risk"`
	RoleHolding
}

// heldRow is a HeldRole before it is known how the person has it.
type heldRow struct {
	RoleID    string `db:"id"`
	Key       string `db:"key"`
	Name      string `db:"name"`
	RoleType  string `db:"role_type"`
	Lifecycle string `db:"lifecycle"`
	RiskLevel string `db:"risk"`
}

// Held gives the roles that a person has, and how. A person whom the viewer may not see is a fault of kind NotFound.
func (s *Service) Held(
	ctx context.Context,
	v viewer.Viewer,
	identityID string,
	page pg.Page,
) (items []HeldRole, total int64, err error) {
	q := &listing.Query{
		Columns: `r.id, r.key, r.name, r.role_type, r.lifecycle, coalesce(r.risk_level, role_risk(r.id)) as risk`,
		From:    "role r",
		ID:      "r.id",
		Order:   listing.Order{Column: "r.name", Type: "text"},
	}
	q.Where(`r.id in (select a.role_id from role_assignment a where a.identity_id = @person and a.state <> 'ended'
		union select x.role_id from access_reason x where x.identity_id = @person and x.state <> 'ended'
		  and x.effect = 'allow')`, pgx.NamedArgs{"person": identityID})
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := readable(ctx, tx, v, identityID); err != nil {
			return err
		}
		rows, n, err := listing.Fetch[heldRow](ctx, tx, q, page)
		if err != nil {
			return err
		}
		var roles []string
		for _, r := range rows {
			roles = append(roles, r.RoleID)
		}
		how, err := holdings(ctx, tx, roles, []string{identityID})
		if err != nil {
			return err
		}
		total = n
		for _, r := range rows {
			h := HeldRole{r.RoleID, r.Key, r.Name, r.RoleType, r.Lifecycle, r.RiskLevel, RoleHolding{Ways: []RoleWay{}}}
			if found := how[pair{r.RoleID, identityID}]; found != nil {
				h.RoleHolding = *found
			}
			items = append(items, h)
		}
		return nil
	})
	return items, total, err
}

// readable is a fault of kind NotFound unless the viewer may read about the person.
func readable(ctx context.Context, tx *pg.Tx, v viewer.Viewer, identityID string) error {
	missing := fault.New(fault.NotFound, "Identity %s was not found.", identityID)
	if !listing.IsID(identityID) {
		return missing
	}
	var there bool
	if err := tx.QueryRow(ctx, `select exists (select from `+listing.Readable(v, "identity", "i")+` where i.id = $1)`,
		identityID).
		Scan(&there); err != nil {
		return fmt.Errorf("look for identity: %w", err)
	}
	if !there {
		return missing
	}
	return nil
}
