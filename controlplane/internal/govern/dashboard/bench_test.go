package dashboard_test

import (
	"slices"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// BenchmarkDashboard asks as an administrator, and as a manager of a fifth of 50,000 people with 100,000 accounts, 200
// connectors and 100 runs of each.
func BenchmarkDashboard(b *testing.B) {
	h := open(b)
	boss := h.Person("boss", "")
	for range 200 {
		h.Exec(`insert into connector (tenant_id, id, business_id, name, type, status, funnel_state)
			select current_tenant(), gen_random_uuid(), 'c' || n, 'c' || n, 'ldap', 'active',
			    'connected' from (select count(*) + 1 as n from connector) x`)
	}
	h.Exec(`insert into identity (tenant_id, id, external_id, display_name, status, manager_id)
		select current_tenant(), gen_random_uuid(), 'p' || n, 'Person ' || n,
		    case when n % 10 = 0 then 'deactivated' else 'active' end, case when n % 5 = 0 then $1::uuid end
		  from generate_series(1, 50000) n`, boss)
	h.Exec(
		`insert into account (tenant_id, id, connector_id, external_id, username, identity_id, correlation_state,
		    row_hash)
		select current_tenant(), gen_random_uuid(), (select id from connector order by id limit 1 offset k),
		       i.external_id || '-' || k, i.external_id, case when k = 1 or length(i.external_id) <> 4 then i.id end,
		           case when k = 1 then 'linked' else 'uncorrelated' end, ''
		  from identity i cross join generate_series(1, 2) k`,
	)
	h.Exec(
		`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status, created_at,
		    started_at, finished_at)
		select current_tenant(), gen_random_uuid(), c.id, 'ldap', false, 500,
		       case when n % 7 = 0 then 'failed' else 'succeeded' end, now() - n * interval '20 min',
		           now() - n * interval '20 min', now() - n * interval '19 min'
		  from connector c cross join generate_series(1, 100) n`,
	)
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	h.Analyze()
	for _, who := range []string{"admin", "boss"} {
		b.Run(who, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				h.sum(who)
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
