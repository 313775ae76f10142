package lookup

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit/scim/provider"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// grants adds which of the users hold a right. A group with all of them in question is read once.
func grants(
	ctx context.Context,
	out []v1.GrantState,
	g *Group,
	users []resource.Record,
) ([]v1.GrantState, error) {
	right := g.ID
	state := func(rec resource.Record, held bool) v1.GrantState {
		return v1.GrantState{AccountRemoteID: rec.Text("id"), EntitlementRemoteID: right, Held: held}
	}
	if attribute, _ := resource.RightAttribute(right); attribute != "" {
		for _, rec := range users {
			out = append(out, state(rec, resource.HasRight(rec, right)))
		}
		return out, nil
	}
	if g.Write.MemberFilter == "" && g.MemberStrategy != settings.MembersByUser && len(users) > 1 {
		wanted := map[string]bool{}
		for _, rec := range users {
			wanted[rec.Text("id")] = true
		}
		found, err := g.members(ctx, wanted)
		switch {
		case provider.IsGone(err), IsGroupNotFound(err):
			for _, rec := range users {
				out = append(out, state(rec, false))
			}
			return out, nil
		case err != nil:
			return out, err
		case found.told && !found.partly && g.MemberStrategy != settings.MembersFilter:
			for _, rec := range users {
				out = append(out, state(rec, found.held[rec.Text("id")]))
			}
			return out, nil
		}
	}
	for _, rec := range users {
		now, err := g.Holds(ctx, rec.Text("id"), true)
		switch {
		case IsGroupNotFound(err):
			out = append(out, state(rec, false))
		case err != nil:
			return out, err
		case now.Known:
			out = append(out, state(rec, now.Held))
		}
	}
	return out, nil
}
