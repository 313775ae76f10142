package reconcile_test

import (
	"testing"
	"time"
)

// large knows n accounts and persons, n/100 groups and two grants for each account, and stages all of it unchanged.
func large(t testing.TB, n int) *world {
	t.Helper()
	w := newWorld(t)
	w.exec(
		`insert into account (tenant_id, id, connector_id, external_id, native_ref, native_identity, username, email,
		    row_hash)
		select current_tenant(), gen_random_uuid(), $1, 'acc-' || i, 'uid=u' || i || ',ou=people,dc=x',
		    'uid=u' || i || ',ou=people,dc=x', 'u' || i, 'u' || i || '@x.test', sha256(i::text::bytea)
		  from generate_series(1, $2::int) i`,
		w.connector,
		n,
	)
	w.exec(`insert into identity (tenant_id, id, external_id, source_connector_id, email, status_source)
		select current_tenant(), gen_random_uuid(), 'acc-' || i, $1, 'u' || i || '@x.test',
		    'hr' from generate_series(1, $2::int) i`, w.connector, n)
	w.exec(`insert into identity_source (tenant_id, connector_id, external_id, identity_id, row_hash, match_rule)
		select current_tenant(), $1, external_id, id, sha256(substr(external_id, 5)::bytea),
		    'new' from identity`, w.connector)
	w.exec(`insert into entitlement (tenant_id, id, connector_id, external_id, native_ref, name, display_name, row_hash)
		select current_tenant(), gen_random_uuid(), $1, 'grp-' || i, 'cn=g' || i, 'g' || i, 'g' || i,
		    sha256(i::text::bytea) from generate_series(1, $2::int / 100) i`, w.connector, n)
	w.exec(`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id, row_hash)
		select current_tenant(), gen_random_uuid(), $1, a.id, e.id, 'h'
		  from generate_series(1, $2::int) i, generate_series(0, 1) k, account a, entitlement e
		 where a.external_id = 'acc-' || i and e.external_id = 'grp-' || (i + k) % ($2::int / 100) + 1`, w.connector, n)
	w.begin().complete(everything...)
	w.exec(
		`insert into stage_account (tenant_id, run_id, seq, ord, new_id, external_id, native_ref, native_identity, username, email, row_hash, account_type, attributes, deleted)
		select current_tenant(), $1, i / 500, i, gen_random_uuid(), 'acc-' || i, 'uid=u' || i || ',ou=people,dc=x', 'uid=u' || i || ',ou=people,dc=x', 'u' || i, 'u' || i || '@x.test',
		       sha256(i::text::bytea), 'person', '{"cn": "somebody", "telephoneNumber": "+41 44 000 00 00", "objectClass": ["top", "person", "inetOrgPerson"]}', false
		  from generate_series(1, $2::int) i`,
		w.run,
		n,
	)
	w.exec(
		`insert into stage_identity (tenant_id, run_id, seq, ord, new_id, external_id, email, row_hash, attributes,
		    deleted)
		select current_tenant(), $1, i / 500, i, gen_random_uuid(), 'acc-' || i, 'u' || i || '@x.test',
		    sha256(i::text::bytea), '{}', false from generate_series(1, $2::int) i`,
		w.run,
		n,
	)
	w.exec(
		`insert into stage_entitlement (tenant_id, run_id, seq, ord, new_id, external_id, native_ref, name,
		    display_name, kind, row_hash, attributes, deleted)
		select current_tenant(), $1, 1, i, gen_random_uuid(), 'grp-' || i, 'cn=g' || i, 'g' || i, 'g' || i, 'group',
		    sha256(i::text::bytea), '{}', false from generate_series(1, $2::int / 100) i`,
		w.run,
		n,
	)
	w.exec(
		`insert into stage_grant (tenant_id, run_id, seq, ord, new_id, entitlement_external_id, principal_ref_kind,
		    principal_ref_value, directness, row_hash, attributes, deleted)
		select current_tenant(), $1, i / 500, i * 2 + k, gen_random_uuid(), 'grp-' || (i + k) % ($2::int / 100) + 1,
		    'native', 'uid=u' || i || ',ou=people,dc=x', 'direct', 'h', '{}', false
		  from generate_series(1, $2::int) i, generate_series(0, 1) k`,
		w.run,
		n,
	)
	return w
}

func TestALargeRunWithoutChangesWritesNoChange(t *testing.T) {
	w := large(t, 5_000)
	began := time.Now()
	v := w.evaluate()
	t.Logf("5,000 people, accounts and 10,000 grants evaluated in %v", time.Since(began))
	if n := one[int](w, `select count(*) from sync_change`); n != 0 || len(v.Changes) != 0 || len(v.Holds) != 0 {
		t.Errorf("%d changes %v, holds %v; want none", n, v.Changes, v.Holds)
	}
}

func BenchmarkEvaluateUnchanged(b *testing.B) {
	w := large(b, 50_000)
	for b.Loop() {
		w.evaluate()
	}
}
