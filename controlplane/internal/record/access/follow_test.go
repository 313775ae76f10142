package access_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// paper is a system as somebody would keep it on paper: who holds what directly, and what lies in what.
type paper struct {
	direct map[[2]string]bool // account, entitlement
	in     map[[2]string]bool // member, parent
}

// effective is what everybody holds, found in the plainest way: look at all nesting again until nothing more follows.
func (p paper) effective() map[string]string {
	has := map[[2]string]string{}
	for pair := range p.direct {
		has[pair] = "direct"
	}
	for more := true; more; {
		more = false
		for edge := range p.in {
			for pair := range maps.Clone(has) {
				up := [2]string{pair[0], edge[1]}
				if _, there := has[up]; pair[1] == edge[0] && !there {
					has[up], more = "inherited", true
				}
			}
		}
	}
	named := map[string]string{}
	for pair, how := range has {
		named[pair[0]+" "+pair[1]] = how
	}
	return named
}

// system is the same in the database.
type system struct {
	*recordtest.House
	id                     string
	accounts, entitlements map[string]string // ids by name
}

func newSystem(h *recordtest.House, accounts, entitlements int) *system {
	s := &system{House: h, id: uuid.NewString(), accounts: map[string]string{}, entitlements: map[string]string{}}
	h.Exec(
		`insert into connector (tenant_id, id, business_id, name, type) values (current_tenant(), $1, $2, $2, 'ldap')`,
		s.id,
		s.id,
	)
	for i := range accounts {
		name := fmt.Sprint("a", i)
		s.accounts[name] = h.Account(s.id, name, "")
	}
	for i := range entitlements {
		name := fmt.Sprint("e", i)
		s.entitlements[name] = h.Entitlement(s.id, name)
	}
	return s
}

func (s *system) do(fn func(ctx context.Context, tx *pg.Tx) error) {
	ctx := context.Background()
	if err := s.DB.As(ctx, s.Tenant, func(tx *pg.Tx) error { return fn(ctx, tx) }); err != nil {
		s.T.Fatal(err)
	}
}

// stand says how a grant stands, as provisioning does after it has changed the target.
func (s *system) stand(account, entitlement, status string) {
	s.do(func(ctx context.Context, tx *pg.Tx) error {
		_, err := grantstatus.Await(
			ctx,
			tx,
			[]grantstatus.Awaited{
				{
					ID:            uuid.NewString(),
					ConnectorID:   s.id,
					AccountID:     s.accounts[account],
					EntitlementID: s.entitlements[entitlement],
				},
			},
		)
		if err != nil || status == "pending" {
			return err
		}
		var id string
		const sql = `select id::text from access_grant where account_id = $1 and entitlement_id = $2`
		if err := tx.QueryRow(ctx, sql, s.accounts[account], s.entitlements[entitlement]).Scan(&id); err != nil {
			return err
		}
		return grantstatus.Set(ctx, tx, []grantstatus.State{{ID: id, Status: status, Held: status == "active"}})
	})
}

// read makes one change of nesting and one of a grant, as a reading of changes does.
func (s *system) read(member, parent string, in bool, account, entitlement string, holds bool) {
	run := uuid.NewString()
	s.Exec(
		`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status)
			values (current_tenant(), $1, $2, 'ldap', true, 100, 'succeeded')`,
		run,
		s.id,
	)
	s.do(func(ctx context.Context, tx *pg.Tx) error {
		const (
			nest = `insert into entitlement_edge (tenant_id, member_id, parent_id, connector_id, changed_run_id)
				values (current_tenant(), $1, $2, $3, $4) on conflict do nothing`
			part = `
				with gone as (delete from entitlement_edge where member_id = $1 and parent_id = $2)
				insert into sync_change (tenant_id, connector_id, run_id, object, change, object_id, parent_id, state)
				values (current_tenant(), $3, $4, 'nesting', 'remove', $1, $2, 'applied')`
			give = `
				insert into access_grant as g (tenant_id, id, connector_id, account_id, entitlement_id, changed_run_id)
				    values (current_tenant(), gen_random_uuid(), $3, $1, $2, $4)
				    on conflict (tenant_id, account_id, entitlement_id) do update set directness = 'direct',
				        status = 'active', changed_run_id = excluded.changed_run_id`
			take = `
				update access_grant set status = 'revoked', changed_run_id = $4
				 where account_id = $1 and entitlement_id = $2 and connector_id = $3 and directness = 'direct'`
		)
		edge, grant := part, take
		if in {
			edge = nest
		}
		if holds {
			grant = give
		}
		if _, err := tx.Exec(ctx, edge, s.entitlements[member], s.entitlements[parent], s.id, run); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, grant, s.accounts[account], s.entitlements[entitlement], s.id, run); err != nil {
			return err
		}
		_, err := nesting.FollowRun(ctx, tx, s.id, run)
		return err
	})
}

func (s *system) effective() map[string]string {
	has := map[string]string{}
	for _, row := range s.Strings(`
		select a.external_id || ' ' || e.external_id || ' ' || g.directness
		  from access_grant g join account a on a.id = g.account_id join entitlement e on e.id = g.entitlement_id
		 where g.connector_id = $1 and g.status in ('active', 'ending', 'revoking', 'missing')`, s.id) {
		var account, entitlement, how string
		_, _ = fmt.Sscan(row, &account, &entitlement, &how)
		has[account+" "+entitlement] = how
	}
	return has
}

// TestWhatFollowsFromNestingIsTrueAfterEveryChange changes memberships and nesting at random, cycles among it, and
// compares the grants after each change with what follows on paper, and with what a look at everybody makes of them.
func TestWhatFollowsFromNestingIsTrueAfterEveryChange(t *testing.T) {
	h := open(t)
	rapid.Check(t, func(r *rapid.T) {
		s, p := newSystem(h, 3, 5), paper{map[[2]string]bool{}, map[[2]string]bool{}}
		accounts, entitlements := slices.Sorted(maps.Keys(s.accounts)), slices.Sorted(maps.Keys(s.entitlements))
		put := func(set map[[2]string]bool, pair [2]string, in bool) {
			if delete(set, pair); in {
				set[pair] = true
			}
		}
		pick := func(from []string) string { return rapid.SampledFrom(from).Draw(r, "name") }
		for range rapid.IntRange(1, 12).Draw(r, "changes") {
			pair, edge := [2]string{
				pick(accounts),
				pick(entitlements),
			}, [2]string{
				pick(entitlements),
				pick(entitlements),
			}
			switch status := rapid.SampledFrom([]string{"active", "active", "revoked", "failed", "pending",
				"read"}).Draw(r, "what"); {
			case status == "read" && edge[0] != edge[1]:
				in, holds := rapid.Bool().Draw(r, "in"), rapid.Bool().Draw(r, "holds")
				s.read(edge[0], edge[1], in, pair[0], pair[1], holds)
				put(p.in, edge, in)
				put(p.direct, pair, holds)
			case status == "active" || (status == "revoked" || status == "failed") && p.direct[pair]:
				s.stand(pair[0], pair[1], status)
				put(p.direct, pair, status == "active")
			case status == "pending":
				s.stand(pair[0], pair[1], status) // nothing is held by that
			}
			want := p.effective()
			for key, how := range s.effective() {
				if want[key] != how {
					r.Fatalf("%s is %s; on paper it is %q", key, how, want[key])
				}
				delete(want, key)
			}
			for key, how := range want {
				if got := h.Strings(
					`select g.status from access_grant g join account a on a.id = g.account_id join entitlement e
					    on e.id = g.entitlement_id
					where g.connector_id = $1 and a.external_id || ' ' || e.external_id = $2`,
					s.id,
					key,
				); how == "direct" ||
					!slices.Equal(got, []string{"pending"}) {
					r.Fatalf("%s is not held; on paper it is %s", key, how)
				}
			}
			var again nesting.Inherited
			s.do(func(ctx context.Context, tx *pg.Tx) (err error) {
				again, err = nesting.Expand(ctx, tx, s.id)
				return err
			})
			if again != (nesting.Inherited{}) {
				r.Fatalf("a look at everybody changes %+v", again)
			}
		}
	})
}

func TestWhatIsGivenInATargetBringsItsNestingAtOnceAndTakesItAlong(t *testing.T) {
	h := open(t)
	s := newSystem(h, 1, 4)
	h.Nest(s.id, s.entitlements["e0"], s.entitlements["e1"])
	h.Nest(s.id, s.entitlements["e1"], s.entitlements["e2"])
	ada := h.Person("ada", "")
	h.Exec(`update account set identity_id = $2, correlation_state = 'linked' where id = $1`, s.accounts["a0"], ada)
	h.Exec(
		`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, kind, source_type,
		    source_id)
		values (current_tenant(), gen_random_uuid(), $1, $2, $3, 'manual', 'user', gen_random_uuid())`,
		ada,
		s.id,
		s.entitlements["e2"],
	)
	s.stand("a0", "e0", "active")
	s.stand("a0", "e1", "pending")
	if diff := cmp.Diff(
		map[string]string{"a0 e0": "direct", "a0 e1": "inherited", "a0 e2": "inherited"},
		s.effective(),
	); diff != "" {
		t.Errorf("given: -want +got\n%s", diff)
	}
	h.Exec(`delete from work_item where kind = 'provisioning'`)
	s.stand("a0", "e0", "revoked")
	if got := s.effective(); len(got) != 0 {
		t.Errorf("revoked, and still there: %v", got)
	}
	if n := h.Count(`select count(*) from work_item where kind = 'provisioning' and subject = $1`, ada); n != 1 {
		t.Errorf("she is to hold what has gone with it, and is looked at %d times; want once", n)
	}
}

func TestAChainOfTenThousandGroupsEnds(t *testing.T) {
	h := open(t)
	s := newSystem(h, 2, 0)
	h.Exec(`insert into entitlement (tenant_id, id, connector_id, external_id, name, row_hash)
		select current_tenant(), ('01700000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, 'g' || n, 'g' || n,
		    '' from generate_series(0, 9999) n`, s.id)
	h.Exec(`insert into entitlement_edge (tenant_id, member_id, parent_id, connector_id)
		select current_tenant(), ('01700000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
		       ('01700000-0000-7000-8000-' || lpad(to_hex((n + 1) % 10000), 12, '0'))::uuid,
		           $1 from generate_series(0, 9999) n`, s.id)
	bottom := h.Strings(`select id::text from entitlement where external_id = 'g0'`)[0]
	s.entitlements["g0"] = bottom
	h.Grant(s.id, s.accounts["a0"], bottom)
	var n nesting.Inherited
	s.do(func(ctx context.Context, tx *pg.Tx) (err error) {
		n, err = nesting.Expand(ctx, tx, s.id)
		return err
	})
	if n.Added != 9999 {
		t.Errorf("%+v follow; want 9999", n)
	}
	s.stand("a1", "g0", "active")
	s.stand("a0", "g0", "revoked")
	if got := h.Count(
		`select count(*) from access_grant where connector_id = $1 and status = 'active' and account_id = $2`,
		s.id,
		s.accounts["a1"],
	); got != 10000 {
		t.Errorf("the second holds %d; want all", got)
	}
	if got := h.Count(
		`select count(*) from access_grant where connector_id = $1 and status = 'active' and account_id = $2`,
		s.id,
		s.accounts["a0"],
	); got != 0 {
		t.Errorf("the first holds %d; want none", got)
	}
}
