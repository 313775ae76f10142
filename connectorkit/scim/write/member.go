package write

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/lookup"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// changeGrant grants or revokes one entitlement.
func (c *change) changeGrant(ctx context.Context) error {
	if len(c.req.EntitlementRemoteIDs) != 1 || c.req.EntitlementRemoteIDs[0] == "" {
		return resource.InvalidRequest("one_entitlement", "a grant is of exactly one entitlement", "")
	}
	right, grant := c.req.EntitlementRemoteIDs[0], c.req.Op == v1.OpEntitlementGrant
	if attribute, rest := resource.RightAttribute(right); attribute != "" {
		return c.changeRight(ctx, right, attribute, rest, grant)
	}
	user := c.req.Target.RemoteID
	if user == "" {
		rec, err := c.mustLocate(ctx)
		if err != nil {
			return err
		}
		user = rec.Text("id")
	}
	c.resp.Grant = &v1.GrantState{AccountRemoteID: user, EntitlementRemoteID: right}
	g := lookup.NewGroup(c.Session, c.cache, c.provider, c.req.AuthConfig, right)
	now, err := g.Holds(ctx, user, !grant)
	if lookup.IsGroupNotFound(err) && !grant {
		c.warn("entitlement_not_found", "the target has no such group any more", right)
		now, err = lookup.Holding{Known: true}, nil
	}
	if err != nil {
		return err
	}
	if now.Known && now.Held == grant {
		c.resp.Grant.Held, c.resp.Outcome, c.resp.Verified = grant, v1.OutcomeAlready, true
		return nil
	}
	if err := c.changeMember(ctx, g, user, grant); err != nil {
		return err
	}
	c.resp.Outcome, c.resp.Grant.Held = v1.OutcomeApplied, grant
	shown := false
	c.resp.Verified = c.settled(ctx, func() (bool, error) {
		now, err := g.Holds(ctx, user, grant || !g.FoundByFilter)
		if err == nil && now.Known {
			c.resp.Grant.Held, shown = now.Held, true
		}
		return err == nil && now.Known && now.Held == grant, err
	})
	switch {
	case c.resp.Verified:
	case shown:
		c.warn("not_as_asked", "the target took the change of the group and still shows it as it was", right)
	default:
		c.warn("membership_not_shown", "the target took the change, and does not show who is in the group", right)
	}
	return nil
}

// changeMember sends the one change of a group.
func (c *change) changeMember(ctx context.Context, g *lookup.Group, user string, grant bool) error {
	at, err := c.GroupPath(g.ID)
	if err != nil {
		return err
	}
	how := c.Write.AddMember
	if !grant {
		how = c.Write.RemoveMember
	}
	r := request{method: http.MethodPatch, path: at, phase: resource.PhaseGroups, note: "one member is added"}
	if !grant {
		r.note = "one member is removed"
	}
	if how == "" && c.provider.Declared && !c.provider.Patch {
		how = quirks.MemberPut
	}
	one := []any{map[string]any{"value": user}}
	switch {
	case how == quirks.MemberPut || how == quirks.MemberReplace:
		return c.replaceMembers(ctx, r, how, user, grant)
	case how == quirks.MemberWrapped:
		r.body = c.patched(c.operation(grant, "members", map[string]any{"members": one}))
	case grant && how == quirks.MemberNoPath:
		r.body = c.patched(c.operation(grant, "", map[string]any{"members": one}))
	case grant, how == quirks.MemberArray:
		r.body = c.patched(c.operation(grant, "members", one))
	default:
		r.body = c.patched(c.operation(grant, "members[value eq "+resource.Quote(user)+"]", nil))
	}
	_, _, err = c.send(ctx, r)
	if !grant && noTarget(err) {
		return nil // no member to remove: reading it back shows that
	}
	return err
}

// noTarget says whether the service has answered a PATCH with the error noTarget (RFC 7644 section
// 3.12): the path selects nothing. For the removal of a member that means that the member is gone
// already.
func noTarget(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Target != nil && d.Target.HTTP != nil &&
		strings.EqualFold(d.Target.HTTP.SCIMType, "noTarget")
}

// replaceMembers sends the whole list, for targets that know no other way. Without ETags a change by another program
// at the same moment is lost.
func (c *change) replaceMembers(ctx context.Context, r request, how, user string, grant bool) error {
	for try := 1; ; try++ {
		rec, err := c.Find(ctx, r.path, resource.PhaseGroups)
		if err != nil {
			return err
		}
		if rec == nil {
			return lookup.GroupNotFound()
		}
		if c.Profile.TruncatesAt > 0 && len(rec.Items("members")) >= c.Profile.TruncatesAt {
			return &v1.ErrorDetail{Class: v1.ClassTargetFault, Code: "members_truncated", Phase: resource.PhaseGroups,
				Message: "the target returns only some members of the group, so the complete list cannot be sent"}
		}
		var kept []any
		for _, m := range rec.Items("members") {
			if m.Text("value") != user {
				kept = append(kept, map[string]any(m))
			}
		}
		if grant {
			kept = append(kept, map[string]any{"value": user})
		}
		if kept == nil {
			kept = []any{}
		}
		r.etag = rec.Object("meta").Text("version")
		r.body = c.patched(map[string]any{"op": c.word("replace"), "path": "members", "value": kept})
		if how == quirks.MemberPut {
			whole := rec.Clone()
			for _, name := range []string{"meta", "members"} {
				resource.Path{Attribute: name}.Set(whole, nil)
			}
			whole["members"], whole["schemas"] = kept, schemasOf(whole, resource.GroupSchema)
			r.method, r.body = http.MethodPut, map[string]any(whole)
		}
		r.note = "the whole list of members is sent, with one change in it"
		_, _, err = c.send(ctx, r)
		var d *v1.ErrorDetail
		if errors.As(err, &d) && d.Code == "version_changed" && try < mostTries {
			continue
		}
		if err == nil && (r.etag == "" || !c.provider.Etag) {
			c.warn(
				"whole_list_sent",
				"the target accepts only complete member lists and has no versions: a concurrent change by another "+
					"client may be lost",
				rec.Text("id"),
			)
		}
		return err
	}
}
