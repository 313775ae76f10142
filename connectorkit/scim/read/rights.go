package read

import (
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Rights emits the roles and entitlements that a User carries, each right once. Of changes, a right that the user no
// longer carries is reported as gone: nothing else would report it.
func (r *reader) rightsOf(rec resource.Record, id string) {
	rights, skipped := resource.Rights(rec)
	if skipped > 0 {
		r.SkipRecord(
			fmt.Sprintf("%d role(s) or entitlement(s) of the user have no value", skipped),
			id,
			v1.Entitlements,
			v1.Grants,
		)
	}
	held := map[string]bool{}
	for _, right := range rights {
		if held[right.ExternalID] {
			continue
		}
		held[right.ExternalID] = true
		if !r.Rights[right.ExternalID] {
			r.Rights[right.ExternalID] = true
			r.State.Rights = append(r.State.Rights, right.ExternalID)
			if r.Want[v1.Entitlements] {
				r.Out.Entitlements = append(r.Out.Entitlements, right)
			}
		}
		r.grant(v1.RemoteGrant{AccountExternalID: &id, EntitlementExternalID: right.ExternalID})
	}
	if checkpoint.NamesSize(r.State.Rights) > checkpoint.MaxRights {
		r.State.Vague = true
	}
	groups := r.groupsOf(rec, id)
	switch {
	case !r.State.Plan.Incremental():
	case groups >= 0 && skipped == 0:
		r.Scopes = append(
			r.Scopes,
			v1.Scope{Kind: v1.Grants, Key: "account:" + id, Complete: true, Count: len(held) + groups},
		)
	default:
		for _, right := range r.State.Rights[:min(r.State.Plan.Known, len(r.State.Rights))] {
			if !held[right] {
				r.grant(v1.RemoteGrant{AccountExternalID: &id, EntitlementExternalID: right, Deleted: true})
			}
		}
	}
}

// grant emits a grant where grants were asked for.
func (r *reader) grant(g v1.RemoteGrant) {
	if r.Want[v1.Grants] {
		r.Out.Grants = append(r.Out.Grants, g)
	}
}

// groupsOf returns the groups that a User carries if memberships are read that way, and how many; -1: they are not.
func (r *reader) groupsOf(rec resource.Record, id string) int {
	groups := rec.Items("groups")
	r.State.ByUser = r.State.ByUser || len(groups) > 0
	if r.MembersBy() != settings.MembersByUser {
		return -1
	}
	held := map[string]bool{}
	for _, g := range groups {
		group := g.Text("value")
		if group == "" {
			group = resource.IDOfURI(g.Text("$ref"))
		}
		if resource.InvalidID(group) != "" {
			r.SkipRecord("a group of the user has no value", id, v1.Grants)
			continue
		}
		if held[group] {
			continue
		}
		held[group] = true
		grant := v1.RemoteGrant{AccountExternalID: &id, EntitlementExternalID: group}
		if strings.EqualFold(g.Text("type"), "indirect") {
			grant.Directness = "inherited"
		}
		r.grant(grant)
	}
	return len(held)
}
