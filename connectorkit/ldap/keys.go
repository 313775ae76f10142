package ldap

import (
	"context"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// settleKeys decides which attributes hold the key and the user name. A kind of directory that is not known is asked for
// an entry, to see which of the usual keys it has.
func (se *session) settleKeys(ctx context.Context) error {
	if se.usernameAttribute == "" && se.flavor.activeDir {
		se.usernameAttribute = "sAMAccountName"
	}
	if se.idAttribute == "" {
		se.idAttribute = se.flavor.id
	}
	if se.idAttribute != "" {
		return nil
	}
	users, groups := filters(se.settings, se.flavor)
	empty := true
	for _, req := range []wire.Request{se.users(users, keyAttributes), se.groups(groups, keyAttributes)} {
		present, seen, err := se.keysOf(req)
		if err != nil {
			return se.searchError(ctx, "keys", err)
		}
		empty = empty && seen == 0
		for _, name := range keyAttributes {
			if present[strings.ToLower(name)] {
				se.idAttribute = name
				return nil
			}
		}
	}
	if empty {
		se.idAttribute = keyAttributes[0] // nothing is there to be told apart
		return nil
	}
	return &v1.ErrorDetail{
		Class: v1.ClassConfig, Code: "no_key_attribute", Phase: "users",
		Message: "the entries have none of the usual immutable keys (objectGUID, entryUUID, nsUniqueId, ipaUniqueID, GUID)",
		Hint:    "Set id_attribute to an attribute that every entry has and that never changes, and check that the login may read it.",
	}
}

// keysOf tells which of the usual keys the first entry of a search has, in lower case.
func (se *session) keysOf(req wire.Request) (present map[string]bool, seen int, err error) {
	present = map[string]bool{}
	seen, _, err = se.first(req, 1, func(e *wire.Entry) {
		for _, a := range e.Attributes {
			if len(a.Values) > 0 {
				present[strings.ToLower(string(a.Name))] = true
			}
		}
	})
	return present, seen, err
}

func (se *session) users(filter string, attributes []string) wire.Request {
	return wire.Request{Base: se.userBase, Scope: se.scope, Filter: filter, Attributes: attributes, TimeLimit: se.timeLimit}
}

func (se *session) groups(filter string, attributes []string) wire.Request {
	return wire.Request{Base: se.groupBase, Scope: se.scope, Filter: filter, Attributes: attributes, TimeLimit: se.timeLimit}
}
