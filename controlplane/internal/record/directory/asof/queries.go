package asof

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Viewers who see a person today see how they were, and no one else does.
const (
	AllIdentities     = `(select * from identity_at(@as_of) where (select sees_all())) i`
	VisibleIdentities = `(select t.* from visible_identity() d cross join lateral (select x.*
		from identity_at(@as_of) x where x.id = d.id offset 0) t) i`
	readableIdentities = `(select t.* from identity_at(@as_of) t where exists (select
		from readable_identity(own => true) d where d.id = t.id)) i`
)

// Identities is the SQL of the identities i @as_of that the viewer may read.
func Identities(v viewer.Viewer) string {
	if v.SeesAll() {
		return AllIdentities
	}
	return readableIdentities
}

// ownedGrants is the SQL of the grants h @as_of, with the owners o of their accounts.
const ownedGrants = `owner_at(@as_of) o cross join lateral (select x.* from grant_at(@as_of) x
	where x.account_id = o.account_id offset 0) h`

// Grants is the SQL of the grants g @as_of, with the owner of the account as identity_id, that the viewer may read:
// those of their reports, their own, and those of entitlements they own if they see the identity today.
func Grants(v viewer.Viewer) string {
	if v.SeesAll() {
		return `(select h.*, o.identity_id, 'active' as status, false as reappeared
			from ` + ownedGrants + ` where (select sees_all())) g`
	}
	return `(select h.*, o.identity_id, 'active' as status, false as reappeared
	           from ` + ownedGrants + `
	          where exists (select from managed_identity() m where m.id = o.identity_id)
	             or o.identity_id = (select viewer_identity())
	             or exists (select from owned_entitlement() e where e.id = h.entitlement_id)
	            and exists (select from readable_identity(own => false) i where i.id = o.identity_id)) g`
}
