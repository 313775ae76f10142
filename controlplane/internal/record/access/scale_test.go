package access_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// large fills the tenant with 100,000 people, of whom 10,000 are beneath the one with the number 2 and the rest beneath
// the one with the number 10003, with an account and a half each and two grants an account. 10,000 hold the first
// entitlement. Ids rise, as they do in use, and whoever is beneath somebody is scattered among them.
const large = `
	create function pg_temp.number(kind text, n bigint) returns uuid language sql immutable
	as $$ select (kind || '700000-0000-7000-8000-' || lpad(to_hex(n * 7919 % 1000003), 12, '0'))::uuid $$;
	insert into identity (tenant_id, id, external_id, email, display_name, last_name, department, manager_id)
	select current_tenant(), pg_temp.number('01', n), 'p' || n, 'p' || n || '@example.com', 'Person ' || n, 'Person' || n % 977, 'D' || n % 40,
	       case when n between 3 and 10002 then pg_temp.number('01', (n - 3) / 5 + 2)
	            when n > 10003 then pg_temp.number('01', 10003 + (n - 10004) / 7) end
	  from generate_series(0, 99999) n
	 order by 2;
	insert into account (tenant_id, id, connector_id, external_id, username, identity_id, correlation_state, row_hash)
	select current_tenant(), pg_temp.number('02', n), '0197a000-0000-7000-8000-000000000001', 'a' || n, 'u' || n, pg_temp.number('01', n % 100000), 'linked', ''
	  from generate_series(0, 149999) n
	 order by 2;
	insert into entitlement (tenant_id, id, connector_id, external_id, name, display_name, owner_ids, row_hash)
	select current_tenant(), pg_temp.number('03', n), '0197a000-0000-7000-8000-000000000001', 'e' || n, 'group ' || n, 'Group ' || n,
	       case when n = 0 then array[pg_temp.number('01', 1), pg_temp.number('01', 2)] else '{}' end, ''
	  from generate_series(0, 1999) n;
	insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id)
	select current_tenant(), pg_temp.number('04', n), '0197a000-0000-7000-8000-000000000001', pg_temp.number('02', n % 150000),
	       pg_temp.number('03', 1 + (n / 150000 * 991 + n) % 1999)
	  from generate_series(0, 299999) n
	 order by 2;
	insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id)
	select current_tenant(), pg_temp.number('05', n), '0197a000-0000-7000-8000-000000000001', pg_temp.number('02', 50000 + n * 9), pg_temp.number('03', 0)
	  from generate_series(0, 9999) n
	 order by 2;
	insert into app_user (tenant_id, id, email, identity_id, roles)
	values (current_tenant(), gen_random_uuid(), 'm@example.com', pg_temp.number('01', 2), '{manager}')`

// BenchmarkListsOfWhoSeesMany measures the first page with its total, for a manager of 10,000 indirect reports and for
// the owner of something that 10,000 hold, among 100,000 people.
func BenchmarkListsOfWhoSeesMany(b *testing.B) {
	h := open(b)
	h.Exec(large)
	h.Analyze()
	h.Let("manager", h.Tenant.Tenant, person(2), viewer.Manager)
	h.Let("owner", h.Tenant.Tenant, person(1), viewer.ResourceOwner)
	h.Let("both", h.Tenant.Tenant, person(2), viewer.ResourceOwner, viewer.Manager)
	for _, path := range []string{
		"/identities", "/identities?sort=display_name", "/identities?q=son%2042", "/accounts", "/entitlements/grants",
		"/entitlements",
		"/identities/" + person(9000), "/identities/" + person(50009), "/identities/" + person(2) +
			"/reports?indirect=true",
	} {
		for _, who := range []string{"manager", "owner", "both"} {
			b.Run(who+path, func(b *testing.B) { timed(b, h, who, path) })
		}
	}
}

func timed(b *testing.B, h *recordtest.House, who, path string) {
	var took []time.Duration
	var seen any
	for range 6 { // each connection plans a statement when it first sees it
		h.Call(who, "GET", path, nil)
	}
	for b.Loop() {
		began := time.Now()
		a := h.Call(who, "GET", path, nil)
		took = append(took, time.Since(began))
		if seen = a.Body["total"]; a.Status >= 500 {
			b.Fatalf("%d %v", a.Status, a.Body)
		}
	}
	slices.Sort(took)
	total, _ := seen.(float64)
	b.ReportMetric(total, "rows")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// person is the id that large gives to the one with this number.
func person(n int) string { return fmt.Sprintf("01700000-0000-7000-8000-%012x", n*7919%1000003) }
