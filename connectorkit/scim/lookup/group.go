package lookup

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/provider"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Holding is whether a user is in a group, where that can be known.
type Holding struct{ Held, Known bool }

// Group looks up members of one group.
type Group struct {
	*provider.Session
	cache *provider.Cache
	// key finds what the cache knows of the target, which is more than its address: see Cache.
	key           [32]byte
	provider      provider.Declaration
	ID            string
	partial       bool // the group was read, and perhaps not all of its members
	FoundByFilter bool // the filter has found the user in the group before
}

// NewGroup prepares lookups in a group. They use and update the entry of auth in the cache.
func NewGroup(s *provider.Session, f *provider.Cache, p provider.Declaration, auth v1.AuthConfig, group string) *Group {
	return &Group{Session: s, cache: f, key: provider.KeyOf(auth), provider: p, ID: group}
}

// Holds finds out whether a user is in the group. Without sure, a filter that has found a member before is believed
// when it finds none: that saves reading a large group.
func (g *Group) Holds(ctx context.Context, user string, sure bool) (Holding, error) {
	if g.Write.MemberFilter != "" {
		return g.byMemberFilter(ctx, g.Write.MemberFilter, user)
	}
	trust, held, err := g.byFilter(ctx, user)
	switch {
	case err != nil:
		return Holding{}, err
	case held:
		g.FoundByFilter = true
		return Holding{Held: true, Known: true}, nil
	case trust == provider.FilterProven && !sure:
		return Holding{Known: true}, nil
	}
	now, err := g.byReading(ctx, user)
	if err == nil && now.Held && trust != provider.FilterUseless {
		g.cache.SetFilter(g.key, provider.FilterUseless) // it did not find whom it should have
	}
	if err == nil && !now.Known && !g.partial && trust == provider.FilterProven {
		now.Known = true // neither the filter nor the group shows the user
	}
	return now, err
}

// byFilter asks for the group if the user is in it, where such questions are understood. That is found out with a user
// who is not there: many targets ignore what they do not know.
func (g *Group) byFilter(ctx context.Context, user string) (trust provider.FilterTrust, held bool, err error) {
	one, _ := g.cache.Get(g.key, g.Now())
	trust = one.Filter
	able := g.FilterSupport == quirks.FilterFull ||
		g.FilterSupport == settings.Auto && g.provider.Declared && g.provider.Filter
	if !able || g.MemberStrategy == settings.MembersByUser || trust == provider.FilterUseless {
		return provider.FilterUseless, false, nil
	}
	const filter = "id eq {group} and members.value eq {user}"
	if trust == provider.FilterUntried {
		now, err := g.byMemberFilter(ctx, filter, "no-user-has-this-id")
		if why, err := provider.Refusal(err); err != nil && !IsGroupNotFound(err) {
			return trust, false, err
		} else if why != "" || IsGroupNotFound(err) || now.Held {
			g.cache.SetFilter(g.key, provider.FilterUseless)
			return provider.FilterUseless, false, nil
		}
		trust = provider.FilterRespected
		g.cache.SetFilter(g.key, trust)
	}
	now, err := g.byMemberFilter(ctx, filter, user)
	if why, err := provider.Refusal(err); err != nil && !IsGroupNotFound(err) {
		return trust, false, err
	} else if why != "" || IsGroupNotFound(err) {
		return provider.FilterUseless, false, nil // perhaps because of this one id
	}
	if now.Held && trust != provider.FilterProven {
		trust = provider.FilterProven
		g.cache.SetFilter(g.key, trust)
	}
	return trust, now.Held, nil
}

// byReading reads the group, or the user where groups keep their members back.
func (g *Group) byReading(ctx context.Context, user string) (Holding, error) {
	if g.MemberStrategy == settings.MembersByUser {
		return g.byUser(ctx, user)
	}
	found, err := g.members(ctx, map[string]bool{user: true})
	if err != nil || found.held[user] {
		return Holding{Held: true, Known: true}, err
	}
	switch {
	case found.partly:
		return Holding{}, nil
	case found.told,
		g.showsMembers(),
		g.MemberStrategy == settings.MembersInline,
		g.MemberStrategy == settings.MembersByGet:
		return Holding{Known: g.MemberStrategy != settings.MembersFilter}, nil
	case g.MemberStrategy == settings.MembersFilter:
		return Holding{}, nil
	}
	// Perhaps an empty group, perhaps one that keeps its members back: users may tell.
	return g.byUser(ctx, user)
}

// byMemberFilter asks for the group if the user is in it.
func (g *Group) byMemberFilter(ctx context.Context, filter, user string) (out Holding, err error) {
	filter = strings.NewReplacer("{group}", resource.Quote(g.ID), "{user}", resource.Quote(user)).Replace(filter)
	ask := target.Request{
		URL:    g.GroupsPath,
		Query:  url.Values{"filter": {filter}},
		Phase:  resource.PhaseGroups,
		Stream: true,
	}
	if g.Attributes != quirks.No {
		ask.Query.Set("attributes", "id")
	}
	err = g.Fetch(ctx, ask, func(resp *target.Response) error {
		out = Holding{Known: true}
		_, err := response.ReadList(resp, func(in *response.Reader) error {
			res, err := in.Element()
			out.Held = out.Held || res.Key() == g.ID
			return err
		})
		return err
	})
	if provider.IsGone(err) {
		return Holding{}, GroupNotFound()
	}
	return out, err
}

// showsMembers says whether the target's groups are known to tell their members.
func (g *Group) showsMembers() bool {
	one, _ := g.cache.Get(g.key, g.Now())
	return one.MembersShown
}

// byUser looks at the groups that the user carries. A user that carries none proves nothing, unless users are known to
// tell.
func (g *Group) byUser(ctx context.Context, user string) (Holding, error) {
	at, err := g.UserPath(user)
	if err != nil {
		return Holding{}, err
	}
	rec, err := g.Find(ctx, at, resource.PhaseUsers)
	if err != nil || rec == nil {
		return Holding{Known: rec == nil && err == nil}, err
	}
	groups := rec.Items("groups")
	for _, one := range groups {
		if id := one.Text("value"); id == g.ID || id == "" && resource.IDOfURI(one.Text("$ref")) == g.ID {
			return Holding{Held: true, Known: true}, nil
		}
	}
	return Holding{Known: len(groups) > 0 || g.MemberStrategy == settings.MembersByUser}, nil
}

// members is which of the wanted users a group lists as its members.
type members struct {
	held   map[string]bool
	told   bool // the answer had members
	partly bool // and perhaps not all
}

// members reads a group and looks for users among its members, which may be many: they are read as they come.
func (g *Group) members(ctx context.Context, wanted map[string]bool) (out members, err error) {
	at, err := g.GroupPath(g.ID)
	if err != nil {
		return out, err
	}
	err = g.Fetch(
		ctx,
		target.Request{URL: at, Phase: resource.PhaseGroups, Stream: true},
		func(resp *target.Response) error {
			out = members{held: map[string]bool{}}
			in, err := response.NewReader(resp)
			if err != nil {
				return err
			}
			rec, count := resource.Record{}, 0
			err = in.Object(func(name string) error {
				if !strings.EqualFold(name, "members") {
					return response.ReadInto(in, rec, name)
				}
				out.told = true
				_, err := in.Array(func() error {
					v, err := in.Next(response.MaxMember)
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
			if rec.IsError() {
				return response.ErrorInBody(resp, rec)
			}
			out.partly = out.partly || resource.DeclaredMembers(rec) > count ||
				g.Profile.TruncatesAt > 0 && count >= g.Profile.TruncatesAt
			if g.partial = out.partly; count > 0 {
				g.cache.SetMembersShown(g.key)
			}
			return nil
		},
	)
	if provider.IsGone(err) {
		return out, GroupNotFound()
	}
	return out, err
}

// userIn is the id of a member that is a user, or may be one; ok is false for what cannot be read.
func userIn(v response.Value) (id string, ok bool) {
	var m resource.Member
	if v.Problem(response.MaxMember) != "" {
		return "", false
	}
	if json.Unmarshal(v.Text, &m) != nil {
		m = resource.Member{Value: v.Text}
	}
	grant, ok := m.Grant("-")
	if !ok || grant.PrincipalEntitlementExternalID != nil {
		return "", ok
	}
	return resource.Principal(grant), true
}

// IsGroupNotFound reports whether err is that of GroupNotFound.
func IsGroupNotFound(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Code == "entitlement_not_found"
}

// GroupNotFound is the error of a group that does not exist in the target.
func GroupNotFound() error {
	return &v1.ErrorDetail{Class: v1.ClassNotFound, Code: "entitlement_not_found", Phase: resource.PhaseGroups,
		Message: "the target has no such group", Hint: "It was removed there. Read the target again."}
}
