package owners

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate/matching"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// owned is one kind of object whose target system names owners.
type owned struct {
	objects  string // selects the objects x to resolve: id, connector_id, refs
	accounts string // limits the accounts p to which a reference may point
}

// ownedAccounts are the accounts of a run's connector with the owners that the target names. Only
// accounts of no person have such owners.
var ownedAccounts = owned{
	objects: `
		select a.id, a.connector_id, case when ` + account.NonHuman + ` then a.owner_refs else '[]' end as refs
		  from account a
		 where a.tenant_id = current_tenant()
		   and (a.owner_refs <> '[]' or a.correlation -> 'rule_ids' ->> 0 = '` + matching.SourceOwner + `')
		   and a.status not in ('deleted', 'disconnected')`,
	// An account that has its owner from a reference itself names no one, or two accounts could keep each other's owner
	// for ever.
	accounts: ` and coalesce(p.correlation -> 'rule_ids' ->> 0, '') <> '` + matching.SourceOwner + `'`,
}

// ownedEntitlements are the entitlements with the owners that the target names.
var ownedEntitlements = owned{objects: `
		select e.id, e.connector_id, e.owner_refs as refs
		  from entitlement e
		 where e.tenant_id = current_tenant()
		   and (e.owner_refs <> '[]' or e.source_owner_ids <> '{}')
		   and e.removed_at is null
		   and e.lifecycle <> 'disconnected'`}

// way is one way in which a reference r may point to an identity. Of several the one with the smaller rank is the
// better.
type way struct {
	rank  int
	kind  v1.RefKind
	who   string
	found string
}

const (
	byRecord = `select r.ref, %d, p.identity_id from reference r join identity_source p
		on p.tenant_id = current_tenant() and p.connector_id = r.connector_id and `
	byAccount = `select r.ref, %d, p.identity_id from reference r join account p on p.tenant_id = current_tenant()
		and p.connector_id = r.connector_id and p.identity_id is not null and p.status not in ('deleted',
		'disconnected') and `
	byIdentity = `select r.ref, %d, p.id from reference r join identity p on p.tenant_id = current_tenant() and `
)

// ways are the ways of each kind of reference, in the order of the protocol: the connector's own people and accounts
// come before those of others, since only its own keys are known to be meant.
var ways = []way{
	{1, v1.RefExternalID, byRecord, "p.external_id = r.value"},
	{2, v1.RefExternalID, byAccount, "p.external_id = r.value"},
	{
		3,
		v1.RefExternalID,
		byIdentity,
		"p.external_id = r.value and p.source_connector_id is not distinct from r.connector_id",
	},
	{4, v1.RefExternalID, byIdentity, "p.external_id = r.value"},
	{5, v1.RefNative, byRecord, "p.native_ref = r.value"},
	{6, v1.RefNative, byAccount, "p.native_ref = r.value"},
	{7, v1.RefEmail, byIdentity, "p.email_lc = lower(r.value) and p.kind = 'human'"},
	{8, v1.RefUsername, byAccount, "p.username_lc = lower(r.value)"},
	{9, v1.RefUsername, byIdentity, "lower(p.username) = lower(r.value)"},
	{10, v1.RefEmployeeNumber, byIdentity, "p.employee_number = r.value"},
}

// found is the statement's beginning: named are the references of all objects, and sole whom a reference means. Where
// the best way finds several it means none of them: an owner sees who holds an entitlement and decides, so a guess
// would be wrong.
func (o owned) found(kinds []string) string {
	candidates := []string{`select null::bigint as ref, null::int as rank, null::uuid as identity_id where false`}
	for _, w := range ways {
		if !slices.Contains(kinds, string(w.kind)) && !slices.Contains(kinds, string(v1.RefAny)) {
			continue
		}
		limit := ""
		if w.who == byAccount {
			limit = o.accounts
		}
		candidates = append(candidates, fmt.Sprintf(w.who, w.rank)+w.found+limit+
			fmt.Sprintf(` where r.kind in ('%s', '%s')`, w.kind, v1.RefAny))
	}
	return `
		with object as materialized (` + o.objects + `),
		named as materialized (
		    select x.id, x.connector_id, n.nth, n.ref ->> 'kind' as kind, n.ref ->> 'value' as value
		      from object x
		     cross join lateral jsonb_array_elements(x.refs) with ordinality n (ref, nth)
		), reference as materialized (
		    select row_number() over () as ref, d.connector_id, d.kind, d.value
		      from (select distinct connector_id, kind, value from named) d
		), candidate as (
		    ` + strings.Join(candidates, `
		     union
		    `) + `
		), sole as materialized (
		    select c.ref, min(c.identity_id::text)::uuid as identity_id
		      from (select c.ref, c.identity_id, c.rank, min(c.rank) over (partition by c.ref) as best
		              from candidate c
		              join identity i
		                on i.tenant_id = current_tenant()
		               and i.id = c.identity_id
		               and i.status <> 'archived') c
		     where c.rank = c.best
		     group by c.ref
		    having count(*) = 1
		), owner as materialized (
		    select n.id, n.connector_id, n.nth, n.value, s.identity_id
		      from named n
		      join reference r
		        on r.connector_id = n.connector_id
		       and r.kind = n.kind
		       and r.value = n.value
		      left join sole s on s.ref = r.ref
		)`
}
