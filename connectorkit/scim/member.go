package scim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// rightPrefixes are how the reader begins the ids of rights that users carry themselves, with the attribute that holds them.
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
	return errors.As(err, &d) && d.Target != nil && d.Target.HTTP != nil && strings.EqualFold(d.Target.HTTP.SCIMType, "noTarget")
}

// replaceMembers sends the whole list, for targets that know no other way. Without ETags a change made by somebody else at the
// same moment is lost.
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
				Message: "the target tells only some of the group's members, so that the whole list cannot be sent"}
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
			c.warn("whole_list_sent", "the target takes whole lists of members only, and has no versions: a change made by somebody else at the same moment may be lost", rec.text("id"))
		}
		return err
	}
}

func noGroup() error {
	return &v1.ErrorDetail{Class: v1.ClassNotFound, Code: "entitlement_not_found", Phase: phaseGroups,
		Message: "the target has no such group", Hint: "It was removed there. Read the target again."}
}

// holding is whether somebody is in a group, where that can be known.
type holding struct{ held, known bool }

// crowdLook looks at one group.
type crowdLook struct {
	*session
	k        *Connector
	key      [32]byte
	provider provider
	group    string
	partly   bool // the group was read, and perhaps not all of its members were told
	found    bool // the filter has found the user in the group before
}

func (k *Connector) crowd(s *session, p provider, auth v1.AuthConfig, group string) *crowdLook {
	return &crowdLook{session: s, k: k, key: factKey(auth), provider: p, group: group}
}

// holds finds out whether a user is in the group, the way that the target tells. Without sure, a filter that was right before is
// believed when it finds nobody: for a large group that saves reading all of it.
func (g *crowdLook) holds(ctx context.Context, user string, sure bool) (holding, error) {
	if g.write.MemberFilter != "" {
		return g.byMemberFilter(ctx, g.write.MemberFilter, user)
	}
	trust, held, err := g.byFilter(ctx, user)
	switch {
	case err != nil:
		return holding{}, err
	case held:
		g.found = true
		return holding{held: true, known: true}, nil
	case trust == filterProven && !sure:
		return holding{known: true}, nil
	}
	now, err := g.byReading(ctx, user)
	if err == nil && now.held && trust != filterUseless {
		g.k.facts.trust(g.key, filterUseless) // it did not find whom it should have
	}
	if err == nil && !now.known && !g.partly && trust == filterProven {
		now.known = true // neither the filter nor the group tells of the user
	}
	return now, err
}

// byFilter asks for the group if the user is in it, where such questions are understood. That is found out with a user who is not
// there: many targets ignore what they do not know.
func (g *crowdLook) byFilter(ctx context.Context, user string) (trust filterTrust, held bool, err error) {
	one, _ := g.k.facts.get(g.key, g.now())
	trust = one.filter
	able := g.filterSupport == quirks.FilterFull || g.filterSupport == auto && g.provider.declared && g.provider.filter
	if !able || g.memberStrategy == membersByUser || trust == filterUseless {
		return filterUseless, false, nil
	}
	const filter = "id eq {group} and members.value eq {user}"
	if trust == filterUntried {
		now, err := g.byMemberFilter(ctx, filter, "no-user-has-this-id")
		if why, err := refusal(err); err != nil && !isNoGroup(err) {
			return trust, false, err
		} else if why != "" || isNoGroup(err) || now.held {
			g.k.facts.trust(g.key, filterUseless)
			return filterUseless, false, nil
		}
		trust = filterHeeded
		g.k.facts.trust(g.key, trust)
	}
	now, err := g.byMemberFilter(ctx, filter, user)
	if why, err := refusal(err); err != nil && !isNoGroup(err) {
		return trust, false, err
	} else if why != "" || isNoGroup(err) {
		return filterUseless, false, nil // perhaps because of this one id
	}
	if now.held && trust != filterProven {
		trust = filterProven
		g.k.facts.trust(g.key, trust)
	}
	return trust, now.held, nil
}

// byReading reads the group, or the user where groups keep their members back.
func (g *crowdLook) byReading(ctx context.Context, user string) (holding, error) {
	if g.memberStrategy == membersByUser {
		return g.byUser(ctx, user)
	}
	found, err := g.members(ctx, map[string]bool{user: true})
	if err != nil || found.held[user] {
		return holding{held: true, known: true}, err
	}
	switch {
	case found.partly:
		return holding{}, nil
	case found.told, g.shows(), g.memberStrategy == membersInline, g.memberStrategy == membersByGet:
		return holding{known: g.memberStrategy != membersFilter}, nil
	case g.memberStrategy == membersFilter:
		return holding{}, nil
	}
	// Perhaps an empty group, perhaps one that keeps its members back: users may tell.
	return g.byUser(ctx, user)
}

// byMemberFilter asks for the group if the user is in it.
func (g *crowdLook) byMemberFilter(ctx context.Context, filter, user string) (out holding, err error) {
	filter = strings.NewReplacer("{group}", quoted(g.group), "{user}", quoted(user)).Replace(filter)
	ask := target.Request{URL: g.groupsPath, Query: url.Values{"filter": {filter}}, Phase: phaseGroups, Stream: true}
	if g.attributes != quirks.No {
		ask.Query.Set("attributes", "id")
	}
	err = g.fetch(ctx, ask, func(resp *target.Response) error {
		out = holding{known: true}
		_, err := readList(resp, func(in *raw) error {
			res, err := in.resource()
			out.held = out.held || res.key() == g.group
			return err
		})
		return err
	})
	if gone(err) {
		return holding{}, noGroup()
	}
	return out, err
}

// shows says whether the target's groups are known to tell their members.
func (g *crowdLook) shows() bool {
	one, _ := g.k.facts.get(g.key, g.now())
	return one.shows
}

// byUser looks at the groups that the user carries. A user that carries none proves nothing, unless users are known to tell.
func (g *crowdLook) byUser(ctx context.Context, user string) (holding, error) {
	at, err := g.userPath(user)
	if err != nil {
		return holding{}, err
	}
	rec, err := g.get(ctx, at, phaseUsers)
	if err != nil || rec == nil {
		return holding{known: rec == nil && err == nil}, err
	}
	groups := rec.items("groups")
	for _, one := range groups {
		if id := one.text("value"); id == g.group || id == "" && lastSegment(one.text("$ref")) == g.group {
			return holding{held: true, known: true}, nil
		}
	}
	return holding{known: len(groups) > 0 || g.memberStrategy == membersByUser}, nil
}

// present is which of the wanted users a group tells as its members.
type present struct {
	held   map[string]bool
	told   bool // the answer had members
	partly bool // and perhaps not all
}

// members reads a group and looks for users among its members, which may be many: they are read as they come.
func (g *crowdLook) members(ctx context.Context, wanted map[string]bool) (out present, err error) {
	at, err := g.groupPath(g.group)
	if err != nil {
		return out, err
	}
	err = g.fetch(ctx, target.Request{URL: at, Phase: phaseGroups, Stream: true}, func(resp *target.Response) error {
		out = present{held: map[string]bool{}}
		in, err := rawOf(resp)
		if err != nil {
			return err
		}
		rec, count := record{}, 0
		err = in.object(func(name string) error {
			if !strings.EqualFold(name, "members") {
				return keepSmall(in, rec, name)
			}
			out.told = true
			_, err := in.array(func() error {
				v, err := in.next(maxMember)
				if err != nil {
					return err
				}
				count++
				if id, ok := userIn(v); ok && wanted[id] {
					out.held[id] = true
				} else if !ok {
					out.partly = true
				}
				return nil
			})
			return err
		})
		if err != nil {
			return resp.Explain(err)
		}
		resp.Drain()
		if rec.isError() {
			return errorInside(resp, rec)
		}
		out.partly = out.partly || declaredMembers(rec) > count || g.profile.TruncatesAt > 0 && count >= g.profile.TruncatesAt
		if g.partly = out.partly; count > 0 {
			g.k.facts.shown(g.key)
		}
		return nil
	})
	if gone(err) {
		return out, noGroup()
	}
	return out, err
}

// userIn is the id of a member that is a user, or may be one; ok is false for what cannot be read.
func userIn(v value) (id string, ok bool) {
	var m member
	if v.trouble(maxMember) != "" {
		return "", false
	}
	if json.Unmarshal(v.text, &m) != nil {
		m = member{Value: v.text}
	}
	grant, ok := m.grant("-")
	if !ok || grant.PrincipalEntitlementExternalID != nil {
		return "", ok
	}
	return principal(grant), true
}

// carried grants or revokes a right that users carry themselves, in roles or entitlements.
func (c *writing) carried(ctx context.Context, right, attribute, rest string, grant bool) error {
	rec, err := c.mustLocate(ctx)
	if err != nil {
		return err
	}
	c.resp.Grant = &v1.GrantState{AccountRemoteID: rec.text("id"), EntitlementRemoteID: right, Held: carries(rec, right)}
	if c.resp.Grant.Held == grant {
		c.resp.Outcome, c.resp.Account, c.resp.Verified = v1.OutcomeAlready, account(rec), true
		return nil
	}
	r, err := c.carriedRequest(ctx, rec, right, attribute, rest, grant)
	if err != nil {
		return err
	}
	if _, _, err := c.send(ctx, r); err != nil {
		return err
	}
	c.resp.Outcome = v1.OutcomeApplied
	c.resp.Verified = c.settled(ctx, func() (bool, error) {
		at, err := c.userPath(rec.text("id"))
		if err != nil {
			return false, err
		}
		now, err := c.get(ctx, at, phaseUsers)
		if err != nil || now == nil {
			return false, err
		}
		c.resp.Account, c.resp.Grant.Held = account(now), carries(now, right)
		return c.resp.Grant.Held == grant, nil
	})
	if !c.resp.Verified {
		c.warn("not_as_asked", "the target took the change and does not show it in "+attribute, rec.text("id"))
	}
	return nil
}

// carries says whether a user has a right in its roles or entitlements.
func carries(rec record, right string) bool {
	rights, _ := rightsOf(rec)
	return slices.ContainsFunc(rights, func(e v1.RemoteEntitlement) bool { return e.ExternalID == right })
}

// carriedRequest changes one item of roles or entitlements.
func (c *writing) carriedRequest(ctx context.Context, rec record, right, attribute, rest string, grant bool) (request, error) {
	at, err := c.userPath(rec.text("id"))
	if err != nil {
		return request{}, err
	}
	r := request{method: http.MethodPatch, path: at, etag: rec.sub("meta").text("version"), phase: phaseUsers, note: fmt.Sprintf("one of the user's %s is changed", attribute)}
	var kept, item []any
	for _, one := range rec.items(attribute) {
		if carries(record{attribute: []any{map[string]any(one)}}, right) {
			item = append(item, map[string]any(one))
			continue
		}
		kept = append(kept, map[string]any(one))
	}
	if grant {
		item = []any{c.rightItem(ctx, attribute, rest)}
		kept = append(kept, item...)
	}
	whole := wish{path: path{attribute: attribute}, value: any(kept)}
	if len(kept) == 0 {
		whole.value = nil
	}
	switch {
	case c.byPut():
		return c.modification(ctx, rec, []wish{whole})
	case c.write.Style == quirks.StyleNoPath, c.write.NoFilterPath && !grant:
		r.body = c.patched(c.operations(rec, []wish{whole})...)
	case grant:
		r.body = c.patched(c.operation(true, attribute, item))
	default:
		var ops []any
		for _, one := range item {
			ops = append(ops, c.operation(false, attribute+"["+itemFilter(one.(map[string]any))+"]", nil))
		}
		r.body = c.patched(ops...)
	}
	return r, nil
}

// itemFilter finds an item by what it has.
func itemFilter(item record) string {
	var parts []string
	for _, name := range []string{"value", "type"} {
		if text := item.text(name); text != "" {
			parts = append(parts, name+" eq "+quoted(text))
		}
	}
	if item.text("value") == "" {
		parts = append([]string{"display eq " + quoted(item.text("display"))}, parts...)
	}
	return strings.Join(parts, " and ")
}

// rightItem makes the item for a right from its id, which is type and value or, where values have colons, value alone: whoever
// holds it already tells which.
func (c *writing) rightItem(ctx context.Context, attribute, rest string) map[string]any {
	typ, value, split := strings.Cut(rest, ":")
	if !split || typ == "" || value == "" {
		return map[string]any{"value": rest}
	}
	if c.findable(c.provider) {
		ask := target.Request{URL: c.usersPath, Query: url.Values{"filter": {attribute + ".value eq " + quoted(rest)}, "count": {"1"}}, Phase: phaseUsers, Stream: true}
		bare := false
		err := c.fetch(ctx, ask, func(resp *target.Response) error {
			_, err := readList(resp, func(in *raw) error {
				res, err := in.resource()
				for _, one := range res.rec.items(attribute) {
					bare = bare || one.text("value") == rest && one.text("type") == ""
				}
				return err
			})
			return err
		})
		if err == nil && bare {
			return map[string]any{"value": rest}
		}
	}
	return map[string]any{"value": value, "type": typ}
}

func isNoGroup(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Code == "entitlement_not_found"
}
