package access_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// BenchmarkGrantsWithReasons lists the grants of 4,000 people who hold 25 each, 15 of them by a reason.
func BenchmarkGrantsWithReasons(b *testing.B) {
	h := recordtest.Open(b, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&access.Service{DB: db, Cursors: cursors, Now: time.Now}).Routes()
	})
	h.Exec(`insert into identity (tenant_id, id, external_id, email, display_name)
		select current_tenant(), gen_random_uuid(), 'p' || n, 'p' || n || '@example.com',
		    'p' || n from generate_series(1, 4000) n`)
	h.Exec(
		`insert into account (tenant_id, id, connector_id, external_id, username, identity_id, correlation_state,
		    row_hash)
		select current_tenant(), gen_random_uuid(), $1, i.external_id, i.external_id, i.id, 'linked',
		    '' from identity i`,
		ldap,
	)
	h.Exec(`insert into entitlement (tenant_id, id, connector_id, external_id, name, row_hash)
		select current_tenant(), gen_random_uuid(), $1, 'g' || n, 'g' || n, '' from generate_series(1, 100) n`, ldap)
	h.Exec(`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id)
		select current_tenant(), gen_random_uuid(), $1, a.id, e.id
		  from account a join lateral (select id from entitlement order by md5(a.id::text || id::text) limit 25) e
		      on true`, ldap)
	h.Exec(
		`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, kind, source_type,
		    source_id)
		select current_tenant(), gen_random_uuid(), a.identity_id, a.connector_id, g.entitlement_id, 'birthright',
		    'policy', $1
		  from account a join lateral (select entitlement_id from access_grant g where g.account_id = a.id limit 15) g
		      on true`,
		uuid.NewString(),
	)
	h.Analyze()
	for _, path := range []string{"?limit=50", "?limit=500", "?limit=50&compliance_status=native",
		"?limit=50&reason_kind=birthright", "?limit=50&ends_before=2200-01-01T00:00:00Z"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				h.Must(200, "admin", "GET", "/entitlements/grants"+path, nil)
			}
		})
	}
}
