// Package owners finds the people whom target systems name as owners of accounts and entitlements (owner_refs), and
// makes them owners.
//
// It updates account.identity_id and entitlement.owner_ids, and keeps what a person has decided. A reference is a kind
// and a value; each kind has ways in which it may point to an identity, the better before the worse, and a value that
// the best way finds several people for means none of them: an owner sees who holds an entitlement and decides, so
// a guess would be wrong.
//
//	{"kind": "email", "value": "ann@x.test"} on the group "admins"
//	The only identity with this address becomes its owner.
//
// Package conclusion calls it at the end of every sync run, under Lock, before and after correlation.
package owners
