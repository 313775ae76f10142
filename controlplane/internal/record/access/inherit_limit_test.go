package access_test

import (
	"context"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
)

func TestNestingBringsNoMoreGrantsThanALimit(t *testing.T) {
	const members, groups = 400, 400
	h := open(t)
	s := newSystem(h, 2, 2)
	h.Nest(s.id, s.entitlements["e0"], s.entitlements["e1"])
	h.Grant(s.id, s.accounts["a0"], s.entitlements["e0"])
	all := func() (n nesting.Inherited) {
		s.do(func(ctx context.Context, tx *pg.Tx) (err error) {
			n, err = nesting.Expand(ctx, tx, s.id)
			return err
		})
		return n
	}
	if n := all(); n.Added != 1 || n.Limit != 0 {
		t.Fatalf("%+v follows; want one grant", n)
	}
	h.Exec(`insert into account (tenant_id, id, connector_id, external_id, username, row_hash)
		select current_tenant(), gen_random_uuid(), $1, 'm' || n, 'm' || n,
		    '' from generate_series(1, $2::int) n`, s.id, members)
	h.Exec(`insert into entitlement (tenant_id, id, connector_id, external_id, name, row_hash)
		select current_tenant(), gen_random_uuid(), $1, 'g' || n, 'g' || n,
		    '' from generate_series(1, $2::int) n`, s.id, groups)
	h.Exec(`insert into entitlement_edge (tenant_id, member_id, parent_id, connector_id)
		select current_tenant(), $2::text::uuid, e.id,
		    $1 from entitlement e where e.connector_id = $1 and e.external_id like 'g%'`, s.id, s.entitlements["e0"])
	h.Exec(`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id)
		select current_tenant(), gen_random_uuid(), $1, a.id,
		    $2::text::uuid from account a where a.connector_id = $1
		    and a.external_id like 'm%'`, s.id, s.entitlements["e0"])
	inherited := func() int {
		return h.Count(`select count(*) from access_grant where connector_id = $1 and directness = 'inherited'`, s.id)
	}
	const limit = 100_000 + 25*(members+1)
	if n := all(); n.Limit != limit || n.Added != 0 || n.Removed != 0 || inherited() != 1 {
		t.Errorf("%+v, and %d are inherited; want the limit %d and nothing changed", n, inherited(), limit)
	}
	h.Exec(`delete from access_grant where connector_id = $1 and directness = 'direct'
		and account_id in (select id from account where connector_id = $1 and external_id like 'm%'
		    and external_id > 'm2')`, s.id)
	left := h.Count(`select count(*) from access_grant where connector_id = $1 and directness = 'direct'`, s.id)
	if n := all(); n.Limit != 0 || inherited() != left*(groups+1) {
		t.Errorf("%+v, and %d are inherited by %d; want all", n, inherited(), left)
	}
}
