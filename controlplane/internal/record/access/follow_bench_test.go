package access_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// deep is 100,000 people with an account each, in a thousand groups that lie ten deep in others: a million grants
// follow from nesting.
const deep = `
	create function pg_temp.number(kind text, n bigint) returns uuid language sql immutable
	as $$ select (kind || '700000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
	insert into identity (tenant_id, id, external_id, email, display_name)
	select current_tenant(), pg_temp.number('01', n), 'p' || n, 'p' || n || '@example.com', 'Person ' || n from generate_series(0, 99999) n;
	insert into account (tenant_id, id, connector_id, external_id, username, identity_id, correlation_state, row_hash)
	select current_tenant(), pg_temp.number('02', n), '0197a000-0000-7000-8000-000000000001', 'a' || n, 'u' || n, pg_temp.number('01', n), 'linked', ''
	  from generate_series(0, 99999) n;
	insert into entitlement (tenant_id, id, connector_id, external_id, name, row_hash)
	select current_tenant(), pg_temp.number('03', n), '0197a000-0000-7000-8000-000000000001', 'e' || n, 'group ' || n, ''
	  from generate_series(0, 10999) n;
	insert into entitlement_edge (tenant_id, member_id, parent_id, connector_id)
	select current_tenant(), pg_temp.number('03', level * 1000 + g), pg_temp.number('03', (level + 1) * 1000 + g / (level + 1)), '0197a000-0000-7000-8000-000000000001'
	  from generate_series(0, 9) level, generate_series(0, 999) g;
	insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id)
	select current_tenant(), pg_temp.number('04', n), '0197a000-0000-7000-8000-000000000001', pg_temp.number('02', n), pg_temp.number('03', n % 1000)
	  from generate_series(0, 99999) n`

// BenchmarkEffectiveAccess is how long it takes until inherited grants are true: all of them from nothing, all of them
// when there is nothing to do, those of one account whose membership has changed, and those of a group's hundred
// holders when it is nested elsewhere.
func BenchmarkEffectiveAccess(b *testing.B) {
	h := open(b)
	h.Exec(deep)
	h.Analyze()
	ctx := context.Background()
	bulk := func(b *testing.B, fn func(tx *pg.Tx) (nesting.Inherited, error)) (n nesting.Inherited) {
		b.Helper()
		err := h.DB.AsBulk(ctx, h.Tenant, func(tx *pg.Tx) (err error) { n, err = fn(tx); return err })
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	all := func(tx *pg.Tx) (nesting.Inherited, error) { return nesting.Expand(ctx, tx, ldap) }
	b.Run("rebuilt", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			h.Exec(`delete from access_grant where directness = 'inherited'`)
			h.Analyze()
			b.StartTimer()
			if n := bulk(b, all); n.Added != 1_000_000 {
				b.Fatalf("%+v", n)
			}
		}
	})
	h.Analyze()
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			if n := bulk(b, all); n != (nesting.Inherited{}) {
				b.Fatalf("%+v", n)
			}
		}
	})
	b.Run(
		"one-membership",
		func(b *testing.B) { changed(b, h, func(i int) func(*pg.Tx) error { return member(ctx, i) }) },
	)
	b.Run("one-nesting", func(b *testing.B) { changed(b, h, func(i int) func(*pg.Tx) error { return nest(ctx, i) }) })
}

// changed measures a change from its beginning to its commit.
func changed(b *testing.B, h *recordtest.House, change func(i int) func(*pg.Tx) error) {
	var took []time.Duration
	for i := 0; i < 50 || b.Loop(); i++ {
		fn := change(i)
		began := time.Now()
		if err := h.DB.As(b.Context(), h.Tenant, fn); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}

// member takes a membership away and gives it back in turn.
func member(ctx context.Context, i int) func(tx *pg.Tx) error {
	return func(tx *pg.Tx) error {
		var id string
		if err := tx.QueryRow(ctx, `select id::text from access_grant where account_id = $1 and entitlement_id = $2`,
			numbered("02", i/2*701), numbered("03", i/2*701%1000)).Scan(&id); err != nil {
			return err
		}
		state := grantstatus.State{ID: id, Status: "revoked"}
		if i%2 == 1 {
			state = grantstatus.State{ID: id, Status: "active", Held: true}
		}
		return grantstatus.Set(ctx, tx, []grantstatus.State{state})
	}
}

// nest puts a group with a hundred members into one more group and takes it out in turn, as a reading of changes does.
func nest(ctx context.Context, i int) func(tx *pg.Tx) error {
	run := uuid.NewString()
	return func(tx *pg.Tx) error {
		member, parent := numbered("03", i/2*7%1000), numbered("03", 10_999-i/2%100)
		if i%2 == 1 {
			if _, err := tx.Exec(
				ctx,
				`delete from entitlement_edge where member_id = $1 and parent_id = $2`,
				member,
				parent,
			); err != nil {
				return err
			}
			_, err := nesting.FollowHolders(ctx, tx, ldap, member)
			return err
		}
		const sql = `insert into entitlement_edge (tenant_id, member_id, parent_id, connector_id, changed_run_id)
			values (current_tenant(), $1, $2, $3, $4)`
		if _, err := tx.Exec(ctx, sql, member, parent, ldap, run); err != nil {
			return err
		}
		_, err := nesting.FollowHolders(ctx, tx, ldap, member)
		return err
	}
}

// numbered is the id that deep gives to a record of a kind.
func numbered(kind string, n int) string {
	return fmt.Sprintf("%s700000-0000-7000-8000-%012x", kind, n)
}
