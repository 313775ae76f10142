package backup

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/app/database"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/manager"
)

// references are those that no foreign key guards, because a check a row would double the price of a sync.
var references = []struct{ name, sql string }{
	{"identity.manager_id", `select count(*) from identity i where i.manager_id is not null
		and not exists (select from identity m where m.tenant_id = i.tenant_id and m.id = i.manager_id)`},
	{"identity_source.identity_id", `select count(*) from identity_source s
		where not exists (select from identity i where i.tenant_id = s.tenant_id and i.id = s.identity_id)`},
	{"account.identity_id", `select count(*) from account a where a.identity_id is not null
		and not exists (select from identity i where i.tenant_id = a.tenant_id and i.id = a.identity_id)`},
	{"access_grant.account_id", `select count(*) from access_grant g
		where not exists (select from account a where a.tenant_id = g.tenant_id and a.id = g.account_id)`},
	{"access_grant.entitlement_id", `select count(*) from access_grant g
		where not exists (select from entitlement e where e.tenant_id = g.tenant_id and e.id = g.entitlement_id)`},
}

// CheckReferences looks, tenant by tenant, for references to what is not there, and whether the reports that are kept
// for managers are those whom a walk finds. It returns an error that names each kind.
func CheckReferences(ctx context.Context, db *pg.DB) error {
	tenants, err := database.TenantIDs(ctx, db)
	if err != nil {
		return err
	}
	var found []string
	for _, t := range tenants {
		err := db.AsBulk(ctx, viewer.System(t), func(tx *pg.Tx) error {
			for _, r := range references {
				var n int64
				if err := tx.QueryRow(ctx, r.sql).Scan(&n); err != nil {
					return fmt.Errorf("check %s: %w", r.name, err)
				}
				if n > 0 {
					found = append(found, fmt.Sprintf("tenant %s: %d rows of %s point to nothing", t, n, r.name))
				}
			}
			n, err := manager.CheckReports(ctx, tx)
			if err == nil && n > 0 {
				found = append(
					found,
					fmt.Sprintf("tenant %s: %d pairs of manager and report are kept, or missing, wrongly", t, n),
				)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("the store contradicts itself: %s", strings.Join(found, "; "))
	}
	return nil
}
