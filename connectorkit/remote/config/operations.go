package config

import (
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// operationsOf reads the changes that a service has, in the order of the protocol; all of them where the setting names
// none.
func operationsOf(s *connectorkit.Settings) []v1.ProvisionOp {
	named := s.Strings("operations")
	if len(named) == 0 {
		return Changes
	}
	for _, name := range named {
		if !slices.Contains(Changes, v1.ProvisionOp(name)) {
			s.Wrong("operations: there is no change %q; there are %s", name, Joined(Changes))
		}
	}
	return slices.DeleteFunc(
		slices.Clone(Changes),
		func(op v1.ProvisionOp) bool { return !slices.Contains(named, string(op)) },
	)
}

func Joined(ops []v1.ProvisionOp) string {
	out := make([]string, len(ops))
	for i, op := range ops {
		out[i] = string(op)
	}
	return strings.Join(out, ", ")
}

// Changes are the operations that a service which writes is asked for. It says itself which of them it does not have.
var Changes = []v1.ProvisionOp{
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
