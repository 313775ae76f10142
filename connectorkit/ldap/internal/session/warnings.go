package session

import (
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// NoEntries warns that no one is read. If there are people and the filter of the settings leaves them out,
// it says so.
func (se *Session) NoEntries() v1.Warning {
	if se.UserFilter != "" || len(se.UserClasses) > 0 {
		usual := *se.Settings
		usual.UserFilter, usual.UserClasses = "", nil
		filter, _ := settings.Filters(&usual, se.Flavor)
		seen, _, err := se.SearchFirst(se.UserSearch(filter, []string{"1.1"}), 1, func(*wire.Entry) {})
		if err == nil && seen > 0 {
			return v1.Warning{
				Code: "no_entries",
				Message: fmt.Sprintf(
					"there are people under %s, but none of them matches user_filter or user_object_classes: "+
						"correct the filter",
					se.UserBaseDN,
				),
			}
		}
	}
	return v1.Warning{
		Code:    "no_entries",
		Message: fmt.Sprintf("bind works but the search under %s found no entry (rights or base DN?)", se.UserBaseDN),
	}
}

// NoGroups warns that a search below base found no group.
func NoGroups(base string) v1.Warning {
	return v1.Warning{Code: "no_groups", Message: fmt.Sprintf("the search under %s found no group", base)}
}
