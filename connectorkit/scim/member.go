package scim

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// rightPrefixes are how the reader begins the ids of rights that users carry themselves, with the attribute that holds
// them.
var rightPrefixes = map[string]string{"role:": "roles", "entitlement:": "entitlements"}

// rightAttribute is the attribute of a user that holds a right; empty: the right is a group.
func rightAttribute(id string) (attribute, rest string) {
	for prefix, attribute := range rightPrefixes {
		if rest, ok := strings.CutPrefix(id, prefix); ok && rest != "" {
			return attribute, rest
		}
	}
	return "", ""
}

// member grants or revokes one entitlement.
func (c *writing) member(ctx context.Context) error {
	if len(c.req.EntitlementRemoteIDs) != 1 || c.req.EntitlementRemoteIDs[0] == "" {
		return badAsk("one_entitlement", "a grant is of exactly one entitlement", "")
	}
	right, grant := c.req.EntitlementRemoteIDs[0], c.req.Op == v1.OpEntitlementGrant
	if attribute, rest := rightAttribute(right); attribute != "" {
		return c.carried(ctx, right, attribute, rest, grant)
	}
	user := c.req.Target.RemoteID
	if user == "" {
		rec, err := c.mustLocate(ctx)
		if err != nil {
			return err
		}
		user = rec.text("id")
	}
	c.resp.Grant = &v1.GrantState{AccountRemoteID: user, EntitlementRemoteID: right}
	g := c.k.crowd(c.session, c.provider, c.req.AuthConfig, right)
	now, err := g.holds(ctx, user, !grant)
	if isNoGroup(err) && !grant {
		c.warn("entitlement_not_found", "the target has no such group any more", right)
		now, err = holding{known: true}, nil
	}
	if err != nil {
		return err
	}
	if now.known && now.held == grant {
		c.resp.Grant.Held, c.resp.Outcome, c.resp.Verified = grant, v1.OutcomeAlready, true
		return nil
	}
	if err := c.changeMember(ctx, g, user, grant); err != nil {
		return err
	}
	c.resp.Outcome, c.resp.Grant.Held = v1.OutcomeApplied, grant
	shown := false
	c.resp.Verified = c.settled(ctx, func() (bool, error) {
		now, err := g.holds(ctx, user, grant || !g.found)
		if err == nil && now.known {
			c.resp.Grant.Held, shown = now.held, true
		}
		return err == nil && now.known && now.held == grant, err
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
func (c *writing) changeMember(ctx context.Context, g *crowdLook, user string, grant bool) error {
	at, err := c.groupPath(g.group)
	if err != nil {
		return err
	}
	how := c.write.AddMember
	if !grant {
		how = c.write.RemoveMember
	}
	r := request{method: http.MethodPatch, path: at, phase: phaseGroups, note: "one member is added"}
	if !grant {
		r.note = "one member is removed"
	}
	if how == "" && c.provider.declared && !c.provider.patch {
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
		r.body = c.patched(c.operation(grant, "members[value eq "+quoted(user)+"]", nil))
	}
	_, _, err = c.send(ctx, r)
	if !grant && noTarget(err) {
		return nil // nobody to remove: the look afterwards tells
	}
	return err
}

// operation adds or removes by a PATCH.
func (c *writing) operation(add bool, path string, value any) map[string]any {
	op := map[string]any{"op": c.word("add")}
	if !add {
		op["op"] = c.word("remove")
	}
	if path != "" {
		op["path"] = path
	}
	if value != nil {
		op["value"] = value
	}
	return op
}

func noTarget(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Target != nil && d.Target.HTTP != nil &&
		strings.EqualFold(d.Target.HTTP.SCIMType, "noTarget")
}

// replaceMembers sends the whole list, for targets that know no other way. Without ETags a change made by somebody else
// at the same moment is lost.
func (c *writing) replaceMembers(ctx context.Context, r request, how, user string, grant bool) error {
	for try := 1; ; try++ {
		rec, err := c.get(ctx, r.path, phaseGroups)
		if err != nil {
			return err
		}
		if rec == nil {
			return noGroup()
		}
		if c.profile.TruncatesAt > 0 && len(rec.items("members")) >= c.profile.TruncatesAt {
			return &v1.ErrorDetail{Class: v1.ClassTargetFault, Code: "members_truncated", Phase: phaseGroups,
				Message: "the target returns only some members of the group, so the complete list cannot be sent"}
		}
		var kept []any
		for _, m := range rec.items("members") {
			if m.text("value") != user {
				kept = append(kept, map[string]any(m))
			}
		}
		if grant {
			kept = append(kept, map[string]any{"value": user})
		}
		if kept == nil {
			kept = []any{}
		}
		r.etag = rec.sub("meta").text("version")
		r.body = c.patched(map[string]any{"op": c.word("replace"), "path": "members", "value": kept})
		if how == quirks.MemberPut {
			whole := rec.copied()
			for _, name := range []string{"meta", "members"} {
				path{attribute: name}.put(whole, nil)
			}
			whole["members"], whole["schemas"] = kept, schemasOf(whole, groupSchema)
			r.method, r.body = http.MethodPut, map[string]any(whole)
		}
		r.note = "the whole list of members is sent, with one change in it"
		_, _, err = c.send(ctx, r)
		var d *v1.ErrorDetail
		if errors.As(err, &d) && d.Code == "version_changed" && try < mostTries {
			continue
		}
		if err == nil && (r.etag == "" || !c.provider.etag) {
			c.warn(
				"whole_list_sent",
				"the target accepts only complete member lists and has no versions: a concurrent change by another "+
					"client may be lost",
				rec.text("id"),
			)
		}
		return err
	}
}

func noGroup() error {
	return &v1.ErrorDetail{Class: v1.ClassNotFound, Code: "entitlement_not_found", Phase: phaseGroups,
		Message: "the target has no such group", Hint: "It was removed there. Read the target again."}
}
