package requestcatalog_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// offers are 20,000 entitlements that can be asked for, by forty audiences, with words as directories have them, and
// 300 roles.
const offers = `
	insert into entitlement (tenant_id, id, connector_id, external_id, name, display_name, description,
	                         business_description, resource, risk_level, compliance_tags, requestable, visible_to,
	                             row_hash)
	select current_tenant(), ('01970000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
	       '0197a000-0000-7000-8000-000000000001', 'cn=g' || n, 'GRP-' || w.word || '-' || n,
	       initcap(w.word) || ' ' || (array['readers', 'editors', 'operators', 'owners',
	       'approvers'])[1 + n % 5] || ' of ' || u.word || ' ' || n / 900, 'Members of ' || u.word,
	       'Lets ' || w.word || ' people work with ' || u.word || ' of the ' || v.word || ' area',
	           jsonb_build_object('type', 'share', 'display_name', v.word || ' share ' || n % 300),
	           (array['low', 'medium', 'high', 'critical'])[1 + n % 4],
	           case when n % 9 = 0 then '{SOX}'::text[] else '{}' end, true,
	           case when n % 3 = 0 then jsonb_build_object('match', 'all', 'rules',
	           jsonb_build_array(jsonb_build_object('field', 'department', 'op', 'eq', 'value',
	           'Department ' || n % 40))) end, ''
	  from generate_series(1, 20000) n
	 cross join lateral (select (array['finance', 'sales', 'payroll', 'engineering', 'support', 'legal', 'marketing',
	     'purchasing', 'logistics', 'research'])[1 + n * 7 % 10] as word) w
	 cross join lateral (select (array['invoices', 'contracts', 'orders', 'tickets', 'designs', 'reports', 'budgets',
	     'shipments', 'campaigns', 'archives', 'projects'])[1 + n * 3 % 11] as word) u
	 cross join lateral (select (array['berlin', 'paris', 'madrid', 'vienna', 'oslo', 'rome',
	     'lisbon'])[1 + n % 7] as word) v;
	insert into role (tenant_id, id, key, name, description, requestable)
	select current_tenant(), ('01980000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'role-' || n, 'Role ' || n,
	    'for people of area ' || n % 20, true from generate_series(1, 300) n;
	insert into role_entitlement (tenant_id, role_id, entitlement_id)
	select current_tenant(), ('01980000-0000-7000-8000-' || lpad(to_hex(r), 12, '0'))::uuid,
	    ('01970000-0000-7000-8000-' || lpad(to_hex(r * 60 + k), 12, '0'))::uuid
	  from generate_series(1, 300) r, generate_series(1, 10) k`

// BenchmarkCatalogOfAPerson looks through a person's catalog of 20,000 entitlements: pages of all of it, and
// searches for one word or several, whole ones and their beginnings, common ones and rare ones.
func BenchmarkCatalogOfAPerson(b *testing.B) { benchmark(b, "") }

// limits are 200 policies that say who can request 50 entitlements each; every fifth is about the person.
const limits = `
	insert into access_policy (tenant_id, id, name, mode, effect, subject, resources, lifecycle)
	select current_tenant(), gen_random_uuid(), 'Policy ' || n, 'enforce', 'eligible',
	       jsonb_build_object('match', 'all', 'rules', jsonb_build_array(jsonb_build_object('field', 'department',
	           'op', 'eq', 'value', 'Department ' || case when n % 5 = 0 then 12 else 13 end))),
	       jsonb_build_object('entitlement_ids', (select jsonb_agg('01970000-0000-7000-8000-'
	           || lpad(to_hex(n * 50 + k), 12, '0')) from generate_series(1, 50) k)), '{"when": ["active"]}'
	  from generate_series(1, 200) n`

// BenchmarkCatalogLimitedByPolicies does the same where policies say who can request half of it.
func BenchmarkCatalogLimitedByPolicies(b *testing.B) { benchmark(b, limits) }

// benchmark looks through the catalog after more was executed.
func benchmark(b *testing.B, more string) {
	b.Helper()
	h := open(b)
	h.Exec(offers)
	if more != "" {
		h.Exec(more)
	}
	ada := h.Person("ada", "")
	h.Exec(`update identity set department = 'Department 12' where id = $1`, ada)
	h.Let("ada", h.Tenant.Tenant, ada)
	h.Analyze()
	paths := []string{"", "?offset=9000", "?risk_level=high", "?tag=SOX", "?kind=role"}
	for i, word := range []string{"finance", "payroll", "payr", "e", "re", "share+madrid", "invoices+readers",
		"budgets+of+legal", "oslo+approv", "17", "grp-sales-43", "role+12", "zzz"} {
		paths = append(paths, "/search?q="+word, fmt.Sprintf("/search?q=%s+%d", word, i))
	}
	var took []time.Duration
	slowest := map[string]time.Duration{}
	for range 6 { // each connection plans a statement when it first sees it
		h.Must(200, "ada", "GET", catalog+paths[5], nil)
	}
	for i := 0; b.Loop(); i++ {
		path := paths[i%len(paths)]
		began := time.Now()
		h.Must(200, "ada", "GET", catalog+path, nil)
		one := time.Since(began)
		took, slowest[path] = append(took, one), max(slowest[path], one)
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	for path, d := range slowest {
		b.Logf("%-40s at most %v", path, d)
	}
}
