package remote

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/remote/config"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// compare warns where the settings offer changes that the manifest does not list, or withhold some that it does.
func (p *probe) compare(m manifest) {
	if m.Operations == nil || !p.cfg.Writes {
		return
	}
	var differ []string
	if beyond := without(p.cfg.Ops, m.Operations); len(beyond) > 0 {
		differ = append(differ, "the service does not have "+config.Joined(beyond))
	}
	had := slices.DeleteFunc(
		slices.Clone(config.Changes),
		func(op v1.ProvisionOp) bool { return !slices.Contains(m.Operations, op) },
	)
	if unused := without(had, p.cfg.Ops); len(unused) > 0 {
		differ = append(differ, "the setting does not list "+config.Joined(unused))
	}
	if len(differ) > 0 {
		p.warnings = append(p.warnings, v1.Warning{Code: "operations_differ", Message: fmt.Sprintf(
			"the setting operations and the service's manifest differ: %s; set operations to %s",
			strings.Join(differ, "; "),
			config.Joined(had),
		)})
	}
}

// without gives the operations of a list that are not in another.
func without(list, other []v1.ProvisionOp) []v1.ProvisionOp {
	return slices.DeleteFunc(slices.Clone(list), func(op v1.ProvisionOp) bool { return slices.Contains(other, op) })
}
