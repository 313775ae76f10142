package session

import (
	"context"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// KeyAttributes are tried in this order where the kind of directory does not tell the key.
var KeyAttributes = []string{"objectGUID", "entryUUID", "nsUniqueId", "ipaUniqueID", "GUID"}

// ResolveKeys decides which attributes hold the key and the user name. A kind of directory that is not known
// is asked for an entry, to see which of the usual keys it has.
func (se *Session) ResolveKeys(ctx context.Context) error {
	if se.UsernameAttribute == "" && se.Flavor.ActiveDirectory {
		se.UsernameAttribute = "sAMAccountName"
	}
	if se.IdAttribute == "" {
		se.IdAttribute = se.Flavor.KeyAttribute
	}
	if se.IdAttribute != "" {
		return nil
	}
	users, groups := settings.Filters(se.Settings, se.Flavor)
	empty := true
	for _, req := range []wire.Request{se.UserSearch(users, KeyAttributes), se.GroupSearch(groups, KeyAttributes)} {
		present, seen, err := se.keysOfFirst(req)
		if err != nil {
			return se.SearchError(ctx, "keys", err)
		}
		empty = empty && seen == 0
		for _, name := range KeyAttributes {
			if present[strings.ToLower(name)] {
				se.IdAttribute = name
				return nil
			}
		}
	}
	if empty {
		se.IdAttribute = KeyAttributes[0] // there is no entry to identify
		return nil
	}
	return &v1.ErrorDetail{
		Class: v1.ClassConfig, Code: "no_key_attribute", Phase: "users",
		Message: "the entries have none of the usual immutable keys (objectGUID, entryUUID, nsUniqueId, " +
			"ipaUniqueID, GUID)",
		Hint: "Set id_attribute to an attribute that every entry has and that never changes, and check that the " +
			"login may read it.",
	}
}

// keysOfFirst returns which of the usual keys the first entry of a search has, in lower case.
func (se *Session) keysOfFirst(req wire.Request) (present map[string]bool, seen int, err error) {
	present = map[string]bool{}
	seen, _, err = se.SearchFirst(req, 1, func(e *wire.Entry) {
		for _, a := range e.Attributes {
			if len(a.Values) > 0 {
				present[strings.ToLower(string(a.Name))] = true
			}
		}
	})
	return present, seen, err
}

// UserSearch is the search for people below their base, with the configured scope and time limit.
func (se *Session) UserSearch(filter string, attributes []string) wire.Request {
	return wire.Request{
		Base: se.UserBaseDN, Scope: se.Scope, Filter: filter, Attributes: attributes, TimeLimit: se.TimeLimit,
	}
}

// GroupSearch is the search for groups below their base, with the configured scope and time limit.
func (se *Session) GroupSearch(filter string, attributes []string) wire.Request {
	return wire.Request{
		Base: se.GroupBaseDN, Scope: se.Scope, Filter: filter, Attributes: attributes, TimeLimit: se.TimeLimit,
	}
}
