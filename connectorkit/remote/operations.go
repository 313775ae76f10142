package remote

import (
	"fmt"
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
		return changes
	}
	for _, name := range named {
		if !slices.Contains(changes, v1.ProvisionOp(name)) {
			s.Wrong("operations: there is no change %q; there are %s", name, joined(changes))
		}
	}
	return slices.DeleteFunc(
		slices.Clone(changes),
		func(op v1.ProvisionOp) bool { return !slices.Contains(named, string(op)) },
	)
}

// compare warns where the settings offer changes that the manifest does not list, or withhold some that it does.
func (p *probe) compare(m manifest) {
	if m.Operations == nil || !p.cfg.writes {
		return
	}
	var differ []string
	if beyond := without(p.cfg.ops, m.Operations); len(beyond) > 0 {
		differ = append(differ, "the service does not have "+joined(beyond))
	}
	had := slices.DeleteFunc(
		slices.Clone(changes),
		func(op v1.ProvisionOp) bool { return !slices.Contains(m.Operations, op) },
	)
	if unused := without(had, p.cfg.ops); len(unused) > 0 {
		differ = append(differ, "the setting does not list "+joined(unused))
	}
	if len(differ) > 0 {
		p.warnings = append(p.warnings, v1.Warning{Code: "operations_differ", Message: fmt.Sprintf(
			"the setting operations and the service's manifest differ: %s; set operations to %s",
			strings.Join(differ, "; "),
			joined(had),
		)})
	}
}

// without gives the operations of a list that are not in another.
func without(list, other []v1.ProvisionOp) []v1.ProvisionOp {
	return slices.DeleteFunc(slices.Clone(list), func(op v1.ProvisionOp) bool { return slices.Contains(other, op) })
}

func joined(ops []v1.ProvisionOp) string {
	out := make([]string, len(ops))
	for i, op := range ops {
		out[i] = string(op)
	}
	return strings.Join(out, ", ")
}
