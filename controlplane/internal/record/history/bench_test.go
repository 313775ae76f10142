package history_test

import (
	"testing"

	"github.com/google/uuid"
)

// BenchmarkWhoHadWhat asks of 20,000 people with 200,000 grants, of which a tenth has changed since, how it was before.
func BenchmarkWhoHadWhat(b *testing.B) {
	h := open(b)
	connector, staff := uuid.NewString(), uuid.NewString()
	h.Exec(`insert into identity (tenant_id, id, external_id, email, display_name, department)
		select current_tenant(), gen_random_uuid(), 'p' || n, 'p' || n || '@x.test', 'Person ' || n,
		    'D' || n % 50 from generate_series(1, 20000) n`)
	h.Exec(
		`insert into account (tenant_id, id, connector_id, external_id, username, identity_id, correlation_state,
		    row_hash)
		select current_tenant(), gen_random_uuid(), $1, external_id, external_id, id, 'linked', '' from identity`,
		connector,
	)
	h.Exec(`insert into entitlement (tenant_id, id, connector_id, external_id, name, row_hash)
		select current_tenant(), case when n = 1 then $2::uuid else gen_random_uuid() end, $1, 'g' || n, 'Group ' || n,
		    '' from generate_series(1, 1000) n`, connector, staff)
	h.Exec(`insert into access_grant (tenant_id, id, connector_id, account_id, entitlement_id)
		select current_tenant(), gen_random_uuid(), $1, a.id, e.id
		  from (select id, row_number() over (order by id) as n from account) a
		  join (select id, row_number() over (order by id) as n from entitlement) e
		      on (a.n * 7 + e.n * 13) % 100 = 0`, connector)
	h.Analyze()
	at := h.now()
	b.Run("Changes", func(b *testing.B) {
		for b.Loop() {
			h.Exec(
				`update identity set department = department || 'x' where id in (select id from identity order by id
					limit 2000)`,
			)
			h.Exec(
				`update access_grant set status = case status when 'active' then 'revoked' else 'active' end
					where id in (select id from access_grant order by id limit 20000)`,
			)
		}
	})
	h.Analyze()
	person := h.Strings(`select id::text from identity order by id limit 1`)[0]
	for name, path := range map[string]string{
		"People": "/identities?department=D7&as_of=", "GrantsOfAll": "/entitlements/grants?as_of=",
		"GrantsOfOne": "/identities/" + person + "/grants?as_of=",
		"Members":     "/entitlements/" + staff + "/members?effective=true&as_of=", "Timeline": "/identities/" +
			person +
			"/timeline?to=",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				h.Must(200, "admin", "GET", path+at, nil)
			}
		})
	}
}
