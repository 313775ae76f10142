package approval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
)

// Kinds of resolver.
const (
	byManager          = "manager"
	byRoleOwner        = "role_owner"
	byEntitlementOwner = "entitlement_owner"
	byConnectorOwner   = "connector_owner"
	byResourceOwner    = "resource_owner"
	bySponsor          = "sponsor"
	byIdentity         = "identity"
	byGroup            = "group"
	byAppRole          = "app_role"
	byExpression       = "expression"
	byWebhook          = "webhook"
	byChoice           = "requester_choice"
	byOnCall           = "on_call"
)

// admin is the role that answers where nobody else can.
const admin = "admin"

// maxLevel is how many managers above somebody can be asked.
const maxLevel = 5

// named is whom a resolver names.
type named struct {
	ids     []string
	reserve []string // who stands in for them, before the stage's fallback does
	role    string   // of the tenant: whoever has it
	because string
	none    string // why there is nobody
	manager bool   // they are managers of whom the access is for
}

// name says whom a resolver names for a subject.
func (o *org) name(c *asked, r ApproverResolver) named {
	switch r.Kind {
	case byManager:
		return o.nameManager(c, max(1, r.Level))
	case byRoleOwner:
		if c.item.Type != "role" {
			return named{because: "owner of the role", none: "the requested resource is not a role"}
		}
		return owners("owner of the role "+c.item.Name, c.item.Owners, c.item.Backups)
	case byEntitlementOwner:
		if c.item.Type == "role" {
			return owners("owner of what the role "+c.item.Name+" holds", c.item.InnerOwners, nil)
		}
		return owners("owner of the entitlement "+c.item.Name, c.item.Owners, c.item.Backups)
	case byResourceOwner:
		return owners("owner of "+c.item.Name, c.item.Owners, c.item.Backups)
	case byConnectorOwner:
		return named{because: "owner of the system", none: "systems have no owners"}
	case bySponsor:
		return o.nameSponsor(c)
	case byIdentity:
		return named{ids: []string{r.IdentityID}, because: "named by the rule"}
	case byGroup:
		return orNone(
			named{ids: o.members[r.RoleID], because: "holder of a role that the rule names"},
			"the role has no members",
		)
	case byAppRole:
		return named{role: r.AppRole, because: "the rule asks " + display(r.AppRole)}
	case byExpression:
		return o.nameExpressed(c, r)
	case byChoice:
		return o.nameChosen(c, r)
	case byOnCall:
		turns := o.duty[r.ScheduleID]
		n := named{because: "on call by the schedule " + o.schedules[r.ScheduleID]}
		if len(turns) > 0 {
			n.ids, n.reserve = turns[:1], turns[1:]
		}
		return orNone(n, "no one is on call")
	}
	return named{because: r.Kind, none: fmt.Sprintf("a resolver of the kind %q is not known", r.Kind)}
}

func orNone(n named, none string) named {
	if len(n.ids)+len(n.reserve) == 0 {
		n.none = none
	}
	return n
}

func owners(because string, owners, backups []string) named {
	return orNone(named{ids: owners, reserve: backups, because: because}, "there is no owner")
}

func (o *org) nameManager(c *asked, level int) named {
	because := "manager"
	if level > 1 {
		because = fmt.Sprintf("manager, %d levels up", level)
	}
	chain := o.above[c.BeneficiaryID]
	if len(chain) < level {
		none := "there is no manager"
		if level > 1 {
			none = fmt.Sprintf("there are only %d managers above", len(chain))
		}
		return named{because: because, none: none}
	}
	return named{ids: chain[level-1 : level], because: because, manager: true}
}

func (o *org) nameSponsor(c *asked) named {
	n := named{because: "sponsor"}
	if facts := o.facts[c.BeneficiaryID]; facts != nil {
		if id, _ := facts.Identity["sponsor_id"].(string); id != "" {
			n.ids = []string{id}
		}
		if id, _ := facts.Identity["backup_owner_id"].(string); id != "" {
			n.reserve = []string{id}
		}
	}
	return orNone(n, "there is no sponsor")
}

// nameExpressed reads what the rule's expression gives as people.
func (o *org) nameExpressed(c *asked, r ApproverResolver) named {
	n := named{because: "named by the rule's expression"}
	texts, err := expressed(c, r)
	if err != nil {
		n.none = "the expression gave no answer: " + err.Error()
		return n
	}
	var unknown []string
	for _, t := range texts {
		if id, known := o.texts[strings.ToLower(t)]; known {
			n.ids = add(n.ids, id)
		} else {
			unknown = append(unknown, t)
		}
	}
	if len(n.ids) == 0 {
		n.none = "the expression returned no person"
		if len(unknown) > 0 {
			n.none = fmt.Sprintf("no identity has the id, external id or e-mail address %q", unknown[0])
		}
	}
	return n
}

// maxExpressed is how many people an expression may name.
const maxExpressed = 50

// expressed are the texts that an expression gives: one, or a list.
func expressed(c *asked, r ApproverResolver) ([]string, error) {
	program, err := vocabulary.Expression(r.Text)
	if err != nil {
		return nil, err
	}
	value, err := program.Value(c.facts)
	if err != nil {
		return nil, err
	}
	var texts []string
	switch v := value.(type) {
	case nil:
	case string:
		texts = add(texts, strings.TrimSpace(v))
	case []any:
		for _, each := range v {
			s, ok := each.(string)
			if !ok && each != nil {
				return nil, fmt.Errorf("it gave a list with something else than texts")
			}
			texts = add(texts, strings.TrimSpace(s))
		}
	default:
		return nil, fmt.Errorf("it gave neither a text nor a list of texts")
	}
	if len(texts) > maxExpressed {
		return nil, fmt.Errorf("it named more than %d people", maxExpressed)
	}
	return texts, nil
}

// nameChosen are those of the requester's choice who may be chosen.
func (o *org) nameChosen(c *asked, r ApproverResolver) named {
	n := named{because: "chosen by the requester"}
	among, _ := choosable(r)
	for _, id := range c.Approvers {
		if facts := o.facts[id]; facts != nil && !slices.Contains(n.ids, id) {
			if met, _ := among.Match(facts); met {
				n.ids = append(n.ids, id)
			}
		}
	}
	switch {
	case len(n.ids) > 0:
	case len(c.Approvers) == 0:
		n.none = "the requester has not chosen an approver; candidates meet this condition: " + among.Sentence()
	default:
		n.none = "no approver that the requester chose meets this condition: " + among.Sentence()
	}
	return n
}

// choosable is the condition that those meet whom a requester may choose.
func choosable(r ApproverResolver) (condition.Condition, []condition.Problem) {
	m, ok := r.From.(map[string]any)
	if !ok {
		return condition.Everybody(), nil
	}
	return ApprovalCondition(m).parse()
}

// display is a role of the tenant in words.
func display(role string) string {
	switch role {
	case admin:
		return "administrators"
	case "auditor":
		return "auditors"
	case "manager":
		return "managers"
	case "resource_owner":
		return "resource owners"
	}
	return "all users with the role " + role
}
