package stream

import (
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// KindNames gives the kind of rows for each row type.
var KindNames = map[string]v1.ObjectKind{
	ObjectIdentity:    v1.Identities,
	ObjectAccount:     v1.Accounts,
	ObjectEntitlement: v1.Entitlements,
	ObjectGrant:       v1.Grants,
}

// withArticle is the object's name with its indefinite article.
func withArticle(object string) string {
	if strings.ContainsRune("aeio", rune(object[0])) {
		return "an " + object
	}
	return "a " + object
}

// RowTypes are the row types that a record of an object becomes.
func RowTypes(object string) []string {
	if object == ObjectUser {
		return []string{ObjectIdentity, ObjectAccount}
	}
	return []string{object}
}

// What a record of a stream is.
const (
	ObjectIdentity    = "identity"
	ObjectAccount     = "account"
	ObjectUser        = "user" // an identity and an account in one
	ObjectEntitlement = "entitlement"
	ObjectGrant       = "grant"
)

// objects are the kinds of record that a stream can list.
var objects = []string{ObjectIdentity, ObjectAccount, ObjectUser, ObjectEntitlement, ObjectGrant}

// Kinds are the kinds of record a stream gives, in the order of v1.
func (st *Stream) Kinds() []v1.ObjectKind {
	set := map[v1.ObjectKind]bool{}
	switch st.Object {
	case ObjectIdentity:
		set[v1.Identities] = true
	case ObjectAccount:
		set[v1.Accounts] = true
	case ObjectUser:
		set[v1.Identities], set[v1.Accounts] = true, true
	case ObjectEntitlement:
		set[v1.Entitlements] = true
	case ObjectGrant:
		set[v1.Grants] = true
	}
	for _, e := range st.Expansions {
		set[v1.Grants] = set[v1.Grants] || e.As != "entitlement"
		set[v1.Entitlements] = set[v1.Entitlements] || e.As != "grant"
	}
	var out []v1.ObjectKind
	for _, k := range AllKinds {
		if set[k] {
			out = append(out, k)
		}
	}
	return out
}

// AllKinds are the kinds of rows in the order of protocol v1.
var AllKinds = []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}

// OwnKinds are the kinds that the records of a stream are themselves.
func OwnKinds(st *Stream) []v1.ObjectKind {
	var out []v1.ObjectKind
	for _, object := range RowTypes(st.Object) {
		out = append(out, rowKinds[object])
	}
	return out
}

// rowKinds are the kinds of row that a record becomes; a user becomes two.
var rowKinds = map[string]v1.ObjectKind{
	ObjectIdentity:    v1.Identities,
	ObjectAccount:     v1.Accounts,
	ObjectEntitlement: v1.Entitlements,
	ObjectGrant:       v1.Grants,
}
