package rule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

// group checks a group of approvers. A quorum that the group can never reach is refused.
func (c *checker) group(at string, g approval.ApproverGroup) {
	if len(g.Approvers) == 0 || len(g.Approvers) > 50 {
		c.Refuse(at+"/approvers", "required", "one to fifty resolvers")
	}
	c.resolvers(at+"/approvers", g.Approvers)
	c.OneOf(at+"/mode", g.Mode, approval.ModeAny, approval.ModeAll, approval.ModeQuorum)
	switch {
	case g.Mode != approval.ModeQuorum && g.Quorum != 0:
		c.Refuse(at+"/quorum", "unexpected", "only the mode quorum has one")
	case g.Mode == approval.ModeQuorum && g.Quorum < 1:
		c.Refuse(at+"/quorum", "required", "set the number of approvals")
	case g.Mode == approval.ModeQuorum:
		if possible, bounded := possible(g); bounded && g.Quorum > possible {
			c.Refuse(
				at+"/quorum",
				"quorum_impossible",
				"these approvers are %d at most, so that %d can never agree",
				possible,
				g.Quorum,
			)
		}
	}
}

// possible is how many people a group can have at most, when that is known.
func possible(g approval.ApproverGroup) (n int, bounded bool) {
	seen := map[string]bool{}
	for _, r := range g.Approvers {
		switch r.Kind {
		case approval.ByManager, approval.BySponsor, approval.ByIdentity, approval.ByAppRole, approval.ByOnCall:
			seen[fmt.Sprint(r.Kind, max(1, r.Level), r.IdentityID, r.AppRole, r.ScheduleID)] = true
		case approval.ByConnectorOwner:
		default:
			return 0, false
		}
	}
	return len(seen), true
}

// resolvers checks a list of resolvers.
func (c *checker) resolvers(at string, list []approval.ApproverResolver) {
	for i, r := range list {
		c.resolver(fmt.Sprintf("%s/%d", at, i), r)
	}
}

// kinds are those of resolvers that can be used.
var kinds = []string{
	approval.ByManager,
	approval.ByRoleOwner,
	approval.ByEntitlementOwner,
	approval.ByConnectorOwner,
	approval.ByResourceOwner,
	approval.BySponsor,
	approval.ByIdentity,
	approval.ByGroup,
	approval.ByAppRole,
	approval.ByExpression,
	approval.ByChoice,
	approval.ByOnCall,
}

// resolver checks that a resolver has the members of its kind and no others. Webhooks are refused:
// approvers are found without calls to other systems, so that a plan depends only on the tenant's
// own data.
func (c *checker) resolver(at string, r approval.ApproverResolver) {
	switch {
	case r.Kind == approval.ByWebhook:
		c.Refuse(at+"/kind", "unsupported_resolver", "approvers are resolved without calls to other systems; "+
			"keep the result in an attribute of the person, and use it in an expression")
		return
	case !slices.Contains(kinds, r.Kind):
		c.Refuse(at+"/kind", "unknown_resolver", "one of %s", strings.Join(kinds, ", "))
		return
	}
	for _, m := range []struct {
		name, of string
		given    bool
	}{{"level", approval.ByManager, r.Level != 0}, {"identity_id", approval.ByIdentity, r.IdentityID != ""},
		{"role_id", approval.ByGroup, r.RoleID != ""},
		{"app_role", approval.ByAppRole, r.AppRole != ""}, {"schedule_id", approval.ByOnCall, r.ScheduleID != ""},
		{"text", approval.ByExpression, r.Text != ""},
		{"from", approval.ByChoice, r.From != nil}} {
		if m.given && m.of != r.Kind {
			c.Refuse(at+"/"+m.name, "unexpected", "a resolver of the kind %s has no %s", r.Kind, m.name)
		}
	}
	switch r.Kind {
	case approval.ByManager:
		if r.Level < 0 || r.Level > approval.MaxManagerLevel {
			c.Refuse(at+"/level", "invalid", "1 for the manager, up to %d for those above", approval.MaxManagerLevel)
		}
	case approval.ByIdentity:
		c.Mention("identity", r.IdentityID, at+"/identity_id")
	case approval.ByGroup:
		c.Mention("role", r.RoleID, at+"/role_id")
	case approval.ByOnCall:
		c.Mention("on_call_schedule", r.ScheduleID, at+"/schedule_id")
	case approval.ByAppRole:
		c.OneOf(at+"/app_role", r.AppRole, approval.Admin, "auditor", "manager", "resource_owner")
	case approval.ByExpression:
		c.expression(at+"/text", r.Text)
	case approval.ByChoice:
		if m, ok := r.From.(map[string]any); ok {
			c.condition(at+"/from", m)
		} else if r.From != nil {
			c.Refuse(at+"/from", "malformed", "a condition is an object")
		}
	}
}

// expression checks an expression that finds approvers.
func (c *checker) expression(at, text string) {
	if strings.TrimSpace(text) == "" || strings.ContainsRune(text, 0) {
		c.Refuse(at, "required", "an expression that gives an id, external id or address, or a list of them")
		return
	}
	if _, err := Vocabulary.Expression(text); err != nil {
		c.Refuse(at, "invalid_expression", "%s", err)
	}
}
