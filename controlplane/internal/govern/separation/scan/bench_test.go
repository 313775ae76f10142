package scan_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// benchPeople is how many people the benchmark scans: 10,000, or GRANTWRIGHT_BENCH_PEOPLE. Each has ten grants.
func benchPeople() int { return benchNumber("GRANTWRIGHT_BENCH_PEOPLE", 10_000) }

func benchNumber(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
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

// fillMany makes people with ten grants each, and policies between two duties with so many members each. Each duty names
// members of its own. There are twenty entitlements of each side for each policy, so that many policies name the same
// ones. Everybody has three entitlements of first sides, and one person in a hundred has one of a second side.
func (h *house) fillMany(policies, members, people int) {
	h.T.Helper()
	sets := []string{`
		insert into entitlement (tenant_id, id, connector_id, external_id, name, row_hash)
		select $1, md5('e' || n)::uuid, $2, 'e' || n, 'e' || n, ''
		  from generate_series(0, 2 * 20 * $3::int + 3999) n`, `
		insert into duty (tenant_id, id, name)
		select $1, md5('d' || n)::uuid, 'duty ' || n from generate_series(0, 2 * $3::int - 1) n`, `
		insert into duty_member (tenant_id, duty_id, group_number, position, kind, entitlement_id)
		select $1, md5('d' || d)::uuid, 0, n, 'entitlement', md5('e' || d % 2 * 20 * $3::int
		       + ((case d % 2 when 0 then d / 2 else d / 2 * 7919 % $3::int end) * 20 + n) % (20 * $3::int))::uuid
		  from generate_series(0, 2 * $3::int - 1) d, generate_series(0, $4::int - 1) n`, `
		insert into separation_policy (tenant_id, id, name, mode, severity, kind, sides, duty_ids, effects)
		select $1, md5('p' || n)::uuid, 'policy ' || n, 'shadow', 'high', 'pair', jsonb_build_array(
		       jsonb_build_object('label', 'a', 'duty_ids', jsonb_build_array(md5('d' || 2 * n)::uuid)),
		       jsonb_build_object('label', 'b', 'duty_ids', jsonb_build_array(md5('d' || 2 * n + 1)::uuid))),
		       array[md5('d' || 2 * n)::uuid, md5('d' || 2 * n + 1)::uuid], '{}'
		  from generate_series(0, $3::int - 1) n`, `
		insert into identity (tenant_id, id, external_id, email, first_name, last_name, display_name)
		select $1, md5('i' || n)::uuid, 'b' || n, 'b' || n || '@example.com', 'b' || n, 'Person', 'b' || n
		  from generate_series(1, $5::int) n`, `
		insert into account (tenant_id, id, connector_id, external_id, username, identity_id, row_hash)
		select $1, md5('a' || n)::uuid, $2, 'b' || n, 'b' || n, md5('i' || n)::uuid, ''
		  from generate_series(1, $5::int) n`, `
		insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id)
		select $1, gen_random_uuid(), $2, md5('a' || n)::uuid, md5('e' || case
		       when g < 3 then (n::bigint * 37 + g * 33331) % (20 * $3::int)
		       when g = 3 and n % 100 = 0 then 20 * $3::int + n::bigint / 100 * 7853 % (20 * $3::int)
		       else 2 * 20 * $3::int + (n * 7 + g * 211) % 4000 end)::uuid
		  from generate_series(1, $5::int) n, generate_series(0, 9) g
		    on conflict do nothing`}
	// As a superuser without triggers and foreign keys: tens of millions of rows take minutes otherwise.
	h.Administer(`set session_replication_role = replica; set maintenance_work_mem = '1GB';
		drop index duty_member_by_entitlement; alter table duty_member drop constraint duty_member_pk;` +
		h.filled(sets, policies, members, people) + `
		alter table duty_member add constraint duty_member_pk primary key (tenant_id, duty_id, group_number, position);
		create index duty_member_by_entitlement on duty_member (tenant_id, entitlement_id)
		    where entitlement_id is not null;`)
	h.Analyze()
}

// filled are statements with their parameters in the text, so that they can be sent together.
func (h *house) filled(statements []string, policies, members, people int) string {
	values := strings.NewReplacer("$1", "'"+h.Tenant.Tenant+"'::uuid", "$2", "'"+h.System+"'::uuid",
		"$3", fmt.Sprint(policies), "$4", fmt.Sprint(members), "$5", fmt.Sprint(people))
	return values.Replace(strings.Join(statements, ";\n") + ";\n")
}

// BenchmarkFullScan evaluates everybody by 50 policies.
func BenchmarkFullScan(b *testing.B) {
	h := open(b)
	h.fill(benchPeople())
	h.fullScan(b)
}

// BenchmarkFullScanOfManyPolicies evaluates everybody by 5,000 policies (GRANTWRIGHT_BENCH_POLICIES) with 2,000 members
// on each side. Each scan loads the policies from the database, as after a change of one.
func BenchmarkFullScanOfManyPolicies(b *testing.B) {
	h := open(b)
	h.fillMany(benchNumber("GRANTWRIGHT_BENCH_POLICIES", 5000), 2000, benchPeople())
	h.fullScan(b)
}

// fullScan measures scans of everybody, the first with the loading of the policies, and the memory that they need.
func (h *house) fullScan(b *testing.B) {
	grants := h.Count(`select count(*) from access_grant`)
	for b.Loop() {
		b.StopTimer()
		h.Exec(`delete from violation`)
		h.Exec(`select note_separation_change()`) // the policies are loaded again
		h.Exec(`delete from work_item`)
		h.Must(202, "admin", "POST", path, nil)
		runtime.GC()
		b.StartTimer()
		h.settle()
	}
	b.StopTimer()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.Sys>>20), "MB-taken")
	runtime.GC()
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.HeapAlloc>>20), "MB-kept")
	a := h.Must(200, "admin", "GET", path, nil)
	b.ReportMetric(float64(grants), "grants")
	b.ReportMetric(a.Body["found"].(float64), "violations")
	start := time.Now()
	h.Must(202, "admin", "POST", path, nil)
	h.settle()
	b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms/repeated")
	h.Exec(`select note_separation_change()`)
	h.As(func(ctx context.Context, tx *pg.Tx) error {
		start = time.Now()
		_, err := rulebook.For(ctx, tx)
		return err
	})
	b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms/load")
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
