package settings

import (
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Operations are the changes that the connector can make.
var Operations = []v1.ProvisionOp{
	v1.OpAccountCreate,
	v1.OpAccountUpdate,
	v1.OpAccountRename,
	v1.OpAccountEnable,
	v1.OpAccountDisable,
	v1.OpAccountUnlock,
	v1.OpAccountDelete,
	v1.OpAccountPassword,
	v1.OpEntitlementGrant,
	v1.OpEntitlementRevoke,
}

// Unsupported returns why a change is not made with these settings; empty if it is.
func (s *Settings) Unsupported(op v1.ProvisionOp) string {
	w := s.Write
	switch op {
	case v1.OpAccountEnable, v1.OpAccountDisable:
		if w.Disable == quirks.DisableNever {
			return "users of " + s.Profile.Name + " cannot be disabled and enabled again"
		}
	case v1.OpAccountUnlock:
		if w.Unlock == "" {
			return "SCIM knows no locks, and unlock_attribute names none"
		}
	case v1.OpAccountDelete:
		switch w.Delete {
		case quirks.DeleteDeletes:
		case quirks.DeleteDeactivates:
			return "DELETE of a user only deactivates at " + s.Profile.Name
		default:
			return "it is unknown whether DELETE of a user deletes the user at " + s.Profile.Name + "; set delete_means"
		}
	case v1.OpAccountPassword:
		if w.Password == quirks.No {
			return "passwords of " + s.Profile.Name + " are not set by SCIM"
		}
	case v1.OpEntitlementGrant, v1.OpEntitlementRevoke:
		if w.NoGroups {
			return s.Profile.Name + " has no groups"
		}
	case v1.OpAccountCreate, v1.OpAccountUpdate, v1.OpAccountRename:
	default:
		return "there is no such change"
	}
	return ""
}
