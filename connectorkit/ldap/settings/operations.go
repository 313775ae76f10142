package settings

import (
	"slices"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Operations says which changes can be made with settings.
func Operations(s *Settings) connectorkit.Writes {
	if s.Anonymous {
		return connectorkit.Writes{Why: "an anonymous login changes nothing: give a bind DN and a password"}
	}
	out := connectorkit.Writes{Ops: []v1.ProvisionOp{
		v1.OpAccountCreate, v1.OpAccountUpdate, v1.OpAccountRename, v1.OpAccountEnable, v1.OpAccountDisable,
		v1.OpAccountUnlock,
		v1.OpAccountDelete, v1.OpAccountPassword, v1.OpEntitlementGrant, v1.OpEntitlementRevoke,
	}}
	if flavorNames()[0] != s.Flavor && FlavorNamed(s.Flavor).ActiveDirectory && s.Security == SecurityNone {
		out.Ops = slices.DeleteFunc(out.Ops, func(op v1.ProvisionOp) bool { return op == v1.OpAccountPassword })
		out.Why = "Active Directory takes passwords over TLS only, and new accounts stay disabled without one: set " +
			"security to ldaps or starttls"
	}
	return out
}
