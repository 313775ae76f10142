package rule

import (
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resource"
)

// Ways in which a rule is the one for something, the narrowest first.
const (
	itself = iota
	forItem
	forConnector
	forTrait
	forKind
	ByDefault
	fromProduct
	notAtAll
)

// Choose finds the rule for an item and a kind of request, how specifically it matches, and why, in words.
func (b *Book) Choose(it resource.Item, kind string) (chosen *Rule, level int, why string, log []approval.Step) {
	if it.RuleID != "" {
		switch r, known := b.ByID[it.RuleID]; {
		case known && r.Enabled:
			return r, itself, fmt.Sprintf("the %s %s names this rule", it.Type, it.Name), nil
		case known:
			log = append(
				log,
				approval.Step{
					Step:   "rule",
					Detail: fmt.Sprintf("the %s %s names the rule %s, which is switched off", it.Type, it.Name, r.Name),
				},
			)
		default:
			log = append(
				log,
				approval.Step{
					Step:   "rule",
					Detail: fmt.Sprintf("the %s %s names a rule that is not there any more", it.Type, it.Name),
				},
			)
		}
	}
	level = notAtAll
	for _, r := range b.Rules {
		if !r.Enabled {
			continue
		}
		if l, because := r.match(it, kind); l < level {
			chosen, level, why = r, l, because
		}
	}
	return chosen, level, why, log
}

// match says how narrowly a rule is for something, and why.
func (r *Rule) match(it resource.Item, kind string) (level int, why string) {
	a := r.Applies
	if len(a.RequestKinds) > 0 && !slices.Contains(a.RequestKinds, kind) {
		return notAtAll, ""
	}
	ids := a.RoleIDs
	if it.Type == "entitlement" {
		ids = a.EntitlementIDs
	}
	tag := slices.IndexFunc(it.Tags, func(t string) bool { return slices.Contains(a.Tags, t) })
	switch {
	case slices.Contains(ids, it.ID):
		return forItem, fmt.Sprintf("it is for the %s %s", it.Type, it.Name)
	case slices.ContainsFunc(it.Connectors, func(c string) bool { return slices.Contains(a.ConnectorIDs, c) }):
		return forConnector, "it is for a system that this is in"
	case tag >= 0:
		return forTrait, "it is for what has the tag " + it.Tags[tag]
	case slices.Contains(a.RiskLevels, it.Risk):
		return forTrait, fmt.Sprintf("it is for what has %s risk", it.Risk)
	case a.Default && len(a.RequestKinds) == 0:
		if r.ID == "" {
			return fromProduct, "no rule of the tenant is for it"
		}
		return ByDefault, "no narrower rule is for it"
	case a.Default, len(a.RequestKinds) > 0 && a.targets() == 0:
		return forKind, "it is for requests to " + kind
	}
	return notAtAll, ""
}

// targets is how many targets the scope names.
func (a ApprovalScope) targets() int {
	return len(a.RoleIDs) + len(a.EntitlementIDs) + len(a.ConnectorIDs) + len(a.RiskLevels) + len(a.Tags)
}
