package resolution

import (
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
)

// nominees is whom a resolver names.
type nominees struct {
	ids     []string
	reserve []string // who stands in for them, before the stage's fallback does
	role    string   // of the tenant: whoever has it
	because string
	none    string // why there is nobody
	manager bool   // they are managers of whom the access is for
}

// name says whom a resolver names for a subject.
func (o *resolver) name(c *Case, r approval.ApproverResolver) nominees {
	switch r.Kind {
	case approval.ByManager:
		return o.nameManager(c, max(1, r.Level))
	case approval.ByRoleOwner:
		if c.Item.Type != "role" {
			return nominees{because: "owner of the role", none: "the requested resource is not a role"}
		}
		return owners("owner of the role "+c.Item.Name, c.Item.Owners, c.Item.Backups)
	case approval.ByEntitlementOwner:
		if c.Item.Type == "role" {
			return owners("owner of what the role "+c.Item.Name+" holds", c.Item.InnerOwners, nil)
		}
		return owners("owner of the entitlement "+c.Item.Name, c.Item.Owners, c.Item.Backups)
	case approval.ByResourceOwner:
		return owners("owner of "+c.Item.Name, c.Item.Owners, c.Item.Backups)
	case approval.ByConnectorOwner:
		return nominees{because: "owner of the system", none: "systems have no owners"}
	case approval.BySponsor:
		return o.nameSponsor(c)
	case approval.ByIdentity:
		return nominees{ids: []string{r.IdentityID}, because: "named by the rule"}
	case approval.ByGroup:
		return orReason(
			nominees{ids: o.Members[r.RoleID], because: "holder of a role that the rule names"},
			"the role has no members",
		)
	case approval.ByAppRole:
		return nominees{role: r.AppRole, because: "the rule asks " + approval.RoleName(r.AppRole)}
	case approval.ByExpression:
		return o.nameExpressed(c, r)
	case approval.ByChoice:
		return o.nameChosen(c, r)
	case approval.ByOnCall:
		turns := o.Duty[r.ScheduleID]
		n := nominees{because: "on call by the schedule " + o.Schedules[r.ScheduleID]}
		if len(turns) > 0 {
			n.ids, n.reserve = turns[:1], turns[1:]
		}
		return orReason(n, "no one is on call")
	}
	return nominees{because: r.Kind, none: fmt.Sprintf("a resolver of the kind %q is not known", r.Kind)}
}

// orReason adds the reason to a result without people.
func orReason(n nominees, none string) nominees {
	if len(n.ids)+len(n.reserve) == 0 {
		n.none = none
	}
	return n
}

// owners are the owners, with the backups in reserve.
func owners(because string, owners, backups []string) nominees {
	return orReason(nominees{ids: owners, reserve: backups, because: because}, "there is no owner")
}

// nameManager finds the manager some levels above the beneficiary.
func (o *resolver) nameManager(c *Case, level int) nominees {
	because := "manager"
	if level > 1 {
		because = fmt.Sprintf("manager, %d levels up", level)
	}
	chain := o.Above[c.BeneficiaryID]
	if len(chain) < level {
		none := "there is no manager"
		if level > 1 {
			none = fmt.Sprintf("there are only %d managers above", len(chain))
		}
		return nominees{because: because, none: none}
	}
	return nominees{ids: chain[level-1 : level], because: because, manager: true}
}

// nameSponsor finds the sponsor of the beneficiary, with the backup owner in reserve.
func (o *resolver) nameSponsor(c *Case) nominees {
	n := nominees{because: "sponsor"}
	if facts := o.Facts[c.BeneficiaryID]; facts != nil {
		if id, _ := facts.Identity["sponsor_id"].(string); id != "" {
			n.ids = []string{id}
		}
		if id, _ := facts.Identity["backup_owner_id"].(string); id != "" {
			n.reserve = []string{id}
		}
	}
	return orReason(n, "there is no sponsor")
}

// nameChosen are those of the requester's choice who may be chosen.
func (o *resolver) nameChosen(c *Case, r approval.ApproverResolver) nominees {
	n := nominees{because: "chosen by the requester"}
	among, _ := rule.Choosable(r)
	for _, id := range c.Approvers {
		if facts := o.Facts[id]; facts != nil && !slices.Contains(n.ids, id) {
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
