package group

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	"github.com/grantwright/grantwright/connectorkit/scim/syncrun"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// readMembers reads the members of groups that came without them. Where the list carries members for other groups,
// those without have none: most targets leave an empty attribute out.
func (g *reader) readMembers(ctx context.Context, bare []entry) error {
	for _, one := range bare {
		id := one.rec.Text("id")
		var err error
		switch strategy := g.MembersBy(); {
		case one.late, strategy == settings.MembersByGet:
			err = g.byGet(ctx, one, id)
		case strategy == settings.MembersByUser:
		case strategy == settings.MembersFilter:
			err = g.byFilter(ctx, one, id)
		case strategy == settings.Auto && !g.State.Members.Listed:
			err = g.byTrial(ctx, one, id)
		default:
			g.conclude(one.rec, id, memberSummary{})
		}
		if err != nil {
			return err
		}
		if err := g.EmitBatch(ctx); err != nil {
			return err
		}
	}
	return nil
}

// byTrial reads a single group, to learn whether the target then returns its members.
func (g *reader) byTrial(ctx context.Context, one entry, id string) error {
	if err := g.byGet(ctx, one, id); err != nil {
		return err
	}
	if g.State.Members.Any {
		g.State.Strategy = settings.MembersByGet
		if g.Attributes != quirks.No {
			g.list.Query.Set("excludedAttributes", "members")
		}
	} else if len(g.State.Members.Samples) < 3 {
		g.State.Members.Samples = append(g.State.Members.Samples, id)
	}
	return nil
}

// byGet asks for one group and reads its members as they come. A group that is too large is read by asking for its
// users.
func (g *reader) byGet(ctx context.Context, one entry, id string) error {
	t, err := g.get(ctx, id)
	var d *v1.ErrorDetail
	switch {
	case err == nil:
		g.conclude(one.rec, id, t)
		return nil
	case errors.As(err, &d) && d.Class == v1.ClassNotFound:
		g.Warn("group_vanished", "the group was deleted while groups were read", id)
		if g.changes {
			g.State.Missed = "the last read could not read the members of all changed groups"
		}
		return nil
	case tooHeavy(err):
		return g.readHeavy(ctx, one, id, err)
	}
	return err
}

// get reads one group by its id.
func (g *reader) get(ctx context.Context, id string) (t memberSummary, err error) {
	ask := target.Request{
		URL:    strings.TrimSuffix(g.GroupsPath, "/") + "/" + url.PathEscape(id),
		Phase:  resource.PhaseGroups,
		Stream: true,
	}
	delete(g.collected, id)
	g.page = nil
	err = g.Fetch(ctx, ask, func(resp *target.Response) error {
		in, err := response.NewReader(resp)
		if err != nil {
			return err
		}
		g.page = nil
		if _, err := g.read(ctx, in, id); err != nil {
			return resp.Explain(err)
		}
		resp.Drain()
		switch one := g.page[0]; {
		case one.rec.IsError():
			return response.ErrorInBody(resp, one.rec)
		case len(one.rec) == 0 && !one.members:
			return resp.Fault(v1.ClassTargetFault, "not_scim", "the answer of "+resp.URL+" is no SCIM resource", "")
		}
		return nil
	})
	return g.sink.summary(), err
}

// readHeavy reads the members of a group that the target cannot tell as a whole, by asking for its users page by page.
func (g *reader) readHeavy(ctx context.Context, one entry, id string, why error) error {
	if n, ok := g.countByFilter(ctx, id); ok && n > 0 {
		g.WarnOnce(
			"members_by_filter",
			"the target fails to return some groups with their members; their users are read instead",
		)
		return g.byFilter(ctx, one, id)
	}
	g.SkipRecord("the members of the group cannot be read: "+why.Error(), id, v1.Grants)
	g.State.Missed = "the last read could not read the members of all groups"
	return nil
}

// byFilter asks for the users of a group, page by page. Groups inside the group are not found this way.
func (g *reader) byFilter(ctx context.Context, one entry, id string) error {
	if !g.filtersByGroup(ctx) {
		g.WarnOnce(
			"members_unreadable",
			"the target cannot filter users by group; no membership is treated as removed",
		)
		g.MarkIncomplete(v1.Grants)
		return nil
	}
	l := g.usersOf(id)
	l.ReadPage = func(resp *target.Response) (syncrun.Page, error) {
		p, err := syncrun.ReadIDs(resp, func(in *response.Reader) (string, error) {
			res, err := in.Element()
			return res.Key(), err
		})
		p.Done = func(ctx context.Context, first func(string) bool) error {
			for _, user := range p.Ids {
				if resource.InvalidID(user) == "" && first(user) {
					if err := g.sink.send(
						ctx,
						v1.RemoteGrant{AccountExternalID: &user, EntitlementExternalID: id},
					); err != nil {
						return err
					}
				}
			}
			return nil
		}
		return p, err
	}
	g.sink.begin(id, false)
	if err := l.ReadAll(ctx); err != nil {
		return err
	}
	t := g.sink.summary()
	if why := l.Incomplete(); why != "" {
		t.bad++
		g.SkipRecord("not all members of the group may have been read: "+why, id, v1.Grants)
	}
	g.conclude(one.rec, id, t)
	return nil
}

// usersOf is the list of the users of a group. It leaves no marks: a read that breaks off begins the page of groups
// again.
func (g *reader) usersOf(id string) *syncrun.Listing {
	l := &syncrun.Listing{
		Run:           g.Run,
		Path:          g.UsersPath,
		Phase:         resource.PhaseUsers,
		Size:          g.IDPageSize(g.PageSize(g.Provider)),
		Quiet:         true,
		NoCheckpoints: true,
	}
	l.Query = url.Values{"filter": {resource.And(g.UserFilter, "groups.value eq "+resource.Quote(id))}}
	if g.Attributes != quirks.No {
		l.Query.Set("attributes", "id")
	}
	l.Reset()
	return l
}

// filtersByGroup finds out, once, whether users can be asked for by their group: one that does not exist must have
// none.
func (g *reader) filtersByGroup(ctx context.Context) bool {
	if g.FiltersByGroup == nil {
		works := g.FilterSupport != quirks.FilterNone &&
			(g.FilterSupport != settings.Auto || !g.Provider.Declared || g.Provider.Filter)
		if works {
			nobody, err := g.Glimpse(ctx, "groups.value eq "+resource.Quote("no-group-has-this-id"))
			var d *v1.ErrorDetail
			works = err == nil && !nobody.Some ||
				errors.As(err, &d) && d.Class == v1.ClassNotFound // as AWS says of an unknown group
		}
		g.FiltersByGroup = &works
	}
	return *g.FiltersByGroup
}

// countByFilter is how many users a group has by the target's own filter. ok is false where that cannot be found out.
func (g *reader) countByFilter(ctx context.Context, id string) (n int, ok bool) {
	if !g.filtersByGroup(ctx) {
		return 0, false
	}
	some, err := g.Glimpse(ctx, "groups.value eq "+resource.Quote(id))
	switch {
	case err != nil, !some.Some:
		return 0, false
	case some.Total < 0:
		return 1, true
	}
	return some.Total, true
}
