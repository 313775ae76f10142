package scan_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// benchPeople is how many people the benchmark scans: 10,000, or GRANTWRIGHT_BENCH_PEOPLE. Each has ten grants.
func benchPeople() int {
	if n, err := strconv.Atoi(os.Getenv("GRANTWRIGHT_BENCH_PEOPLE")); err == nil {
		return n
	}
	return 10_000
}

// fill makes people with ten grants each among 4,000 entitlements, and 50 policies between duties of 20 entitlements
// each. Everybody has entitlements of one side of a policy, and one person in a hundred of both.
func (h *house) fill(people int) {
	h.T.Helper()
	h.Exec(`insert into entitlement (tenant_id, id, connector_id, external_id, name, row_hash)
		select current_tenant(), gen_random_uuid(), $1, 'e' || n, 'e' || n, '' from generate_series(0, 3999) n`, h.System)
	h.Exec(`insert into identity (tenant_id, id, external_id, email, first_name, last_name, display_name)
		select current_tenant(), gen_random_uuid(), 'b' || n, 'b' || n || '@example.com', 'b' || n, 'Person', 'b' || n
		  from generate_series(1, $1::int) n`, people)
	h.Exec(`insert into account (tenant_id, id, connector_id, external_id, username, identity_id, row_hash)
		select current_tenant(), gen_random_uuid(), $1, i.external_id, i.external_id, i.id, ''
		  from identity i where i.external_id like 'b%'`, h.System)
	// Policy p has e(40p) to e(40p+19) on one side, and the next twenty on the other. No policy names e2000 and above.
	h.Exec(`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id)
		select current_tenant(), gen_random_uuid(), $1, a.id, e.id
		  from (select a.id, row_number() over (order by a.id) as n from account a where a.username like 'b%') a
		 cross join generate_series(0, 9) g
		  join entitlement e on e.external_id = 'e' || case
		       when g = 0 then a.n % 50 * 40 + a.n / 50 % 20
		       when g = 1 then a.n % 50 * 40 + (a.n / 50 + 7) % 20 + case when a.n % 100 = 0 then 20 else 0 end
		       else 2000 + (a.n * 7 + g * 211) % 2000 end
		    on conflict do nothing`, h.System)
	for p := range 50 {
		sides := []string{"", ""}
		for s := range 2 {
			name := fmt.Sprintf("duty %d-%d", p, s)
			h.Duty(name)
			sides[s] = name
			h.Exec(`insert into duty_member (tenant_id, duty_id, group_number, position, kind, entitlement_id)
				select current_tenant(), $1, 0, row_number() over (), 'entitlement', e.id from entitlement e
				 where e.external_id = any(array(select 'e' || n from generate_series($2::int, $2::int + 19) n))`,
				h.Duties[name], p*40+s*20)
		}
		h.Policy(fmt.Sprint("policy ", p), "shadow", "block", sides[0], sides[1])
	}
	h.Exec(`delete from work_item`)
	h.Analyze()
}

func BenchmarkFullScan(b *testing.B) {
	h := open(b)
	h.fill(benchPeople())
	grants := h.Count(`select count(*) from access_grant`)
	for b.Loop() {
		b.StopTimer()
		h.Exec(`delete from violation`)
		h.Must(202, "admin", "POST", path, nil)
		b.StartTimer()
		h.settle()
	}
	a := h.Must(200, "admin", "GET", path, nil)
	b.ReportMetric(float64(grants), "grants")
	b.ReportMetric(a.Body["found"].(float64), "violations")
	start := time.Now()
	h.Must(202, "admin", "POST", path, nil)
	h.settle()
	b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms/repeated")
}

func BenchmarkScanAfterASyncThatTouched500People(b *testing.B) {
	h := open(b)
	h.fill(benchPeople())
	for b.Loop() {
		b.StopTimer()
		h.Exec(`insert into work_item (tenant_id, kind, subject)
			select current_tenant(), 'separation', i.id from identity i where i.external_id like 'b%' limit 500`)
		b.StartTimer()
		h.settle()
	}
}

// BenchmarkOneCheck checks one entitlement for one person in each round, as the preview of a request does, by 50
// enforced policies.
func BenchmarkOneCheck(b *testing.B) {
	h := open(b)
	h.fill(benchPeople())
	h.Exec(`update separation_policy set mode = 'enforce', version = version + 1`)
	people := h.Strings(`select id::text from identity where external_id like 'b%' order by id limit 2000`)
	asked := h.Strings(`select id::text from entitlement where external_id ~ '^e[0-9]+$' order by id limit 2000`)
	var took []time.Duration
	blocked := 0
	b.ResetTimer()
	for i := range b.N {
		h.As(func(ctx context.Context, tx *pg.Tx) error {
			began := time.Now()
			id := asked[i*7%len(asked)]
			v, err := check.Person(ctx, tx, people[i%len(people)], effective.Changes{
				Add: []effective.Addition{{ID: id, EntitlementID: id}}}, time.Now())
			if took = append(took, time.Since(began)); v.Effect == check.Block {
				blocked++
			}
			return err
		})
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(blocked), "blocked")
}
