package scim

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

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

// holds finds out whether a user is in the group, the way that the target tells. Without sure, a filter that was right
// before is believed when it finds nobody: for a large group that saves reading all of it.
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

// byFilter asks for the group if the user is in it, where such questions are understood. That is found out with a user
// who is not there: many targets ignore what they do not know.
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

// byUser looks at the groups that the user carries. A user that carries none proves nothing, unless users are known to
// tell.
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
		out.partly = out.partly || declaredMembers(rec) > count ||
			g.profile.TruncatesAt > 0 && count >= g.profile.TruncatesAt
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

func isNoGroup(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Code == "entitlement_not_found"
}
