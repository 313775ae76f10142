package tenant

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Links makes the one-time link by which a tenant's first admin sets a password.
type Links interface {
	IssueSignInLink(ctx context.Context, tx *pg.Tx, userID string) (token string, err error)
}

// Service is what the operators of the deployment do with tenants, and what a tenant's admins do with their own.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Links   Links
	BaseURL func(slug string) string // where the tenant is reached
	// Stop ends what is going on in the transaction's tenant, which is about to close.
	Stop func(ctx context.Context, tx *pg.Tx) error
	// Changed is called when a tenant stands otherwise than before, so that in this process it shows at once.
	Changed func()
	// KeepKeys drops from this process's memory the data keys of every tenant but these.
	KeepKeys func(tenantIDs []string)
	Packs    Packs // what a new tenant may begin with
	Now      func() time.Time
	Log      *slog.Logger
}

// atHome is an operator in their own tenant, wherever the request acts.
func atHome(v viewer.Viewer) viewer.Viewer {
	if v.Home != "" {
		v.Tenant, v.Home = v.Home, ""
	}
	return v
}

// visiting is an operator in another tenant, or at home when it is their own.
func visiting(v viewer.Viewer, id string) viewer.Viewer {
	v = atHome(v)
	if v.Tenant == id {
		return v
	}
	v.Home, v.Tenant, v.Identity, v.Roles = v.Tenant, id, "", []viewer.Role{viewer.Admin}
	return v
}

// recordBoth writes what an operator did in the transaction's tenant into its log, and into the operator's own.
func recordBoth(ctx context.Context, tx *pg.Tx, e audit.Entry) error {
	v := tx.Viewer
	if v.Home == "" {
		return audit.Record(ctx, tx, e)
	}
	said := map[string]any{"tenant_id": v.Tenant}
	for name, value := range e.Context {
		said[name] = value
	}
	e.Context = said
	if err := audit.Record(ctx, tx, e); err != nil {
		return err
	}
	return tx.InTenant(ctx, atHome(v), func(tx *pg.Tx) error { return audit.Record(ctx, tx, e) })
}

// subject is a tenant as the audit log names it.
func (t Tenant) subject() audit.Subject {
	return audit.Subject{Type: "tenant", ID: t.ID, Display: t.Slug}
}
