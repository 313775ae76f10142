package scim

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// rest reads the members of groups that came without them. Where the list carries members for other groups, those
// without have none: most targets leave an empty attribute out.
func (g *groupReading) rest(ctx context.Context, bare []group) error {
	for _, one := range bare {
		id := one.rec.text("id")
		var err error
		switch strategy := g.strategy(); {
		case one.late, strategy == membersByGet:
			err = g.byGet(ctx, one, id)
		case strategy == membersByUser:
		case strategy == membersFilter:
			err = g.byFilter(ctx, one, id)
		case strategy == auto && !g.at.Members.Listed:
			err = g.byTrial(ctx, one, id)
		default:
			g.conclude(one.rec, id, tally{})
		}
		if err != nil {
			return err
		}
		if err := g.hand(ctx); err != nil {
			return err
		}
	}
	return nil
}

// byTrial asks for a group by itself, to learn whether it then tells its members.
func (g *groupReading) byTrial(ctx context.Context, one group, id string) error {
	if err := g.byGet(ctx, one, id); err != nil {
		return err
	}
	if g.at.Members.Any {
		g.at.Strategy = membersByGet
		if g.attributes != quirks.No {
			g.list.query.Set("excludedAttributes", "members")
		}
	} else if len(g.at.Members.Samples) < 3 {
		g.at.Members.Samples = append(g.at.Members.Samples, id)
	}
	return nil
}

// byGet asks for one group and reads its members as they come. A group too heavy to be told is read by asking for its
// users.
func (g *groupReading) byGet(ctx context.Context, one group, id string) error {
	t, err := g.get(ctx, id)
	var d *v1.ErrorDetail
	switch {
	case err == nil:
		g.conclude(one.rec, id, t)
		return nil
	case errors.As(err, &d) && d.Class == v1.ClassNotFound:
		g.warn("group_vanished", "the group was deleted while groups were read", id)
		if g.changes {
			g.at.Missed = "the last read could not read the members of all changed groups"
		}
		return nil
	case tooHeavy(err):
		return g.heavy(ctx, one, id, err)
	}
	return err
}

// get reads one group by its id.
func (g *groupReading) get(ctx context.Context, id string) (t tally, err error) {
	ask := target.Request{
		URL:    strings.TrimSuffix(g.groupsPath, "/") + "/" + url.PathEscape(id),
		Phase:  phaseGroups,
		Stream: true,
	}
	delete(g.told, id)
	g.page = nil
	err = g.fetch(ctx, ask, func(resp *target.Response) error {
		in, err := rawOf(resp)
		if err != nil {
			return err
		}
		g.page = nil
		if _, err := g.read(ctx, in, id); err != nil {
			return resp.Explain(err)
		}
		resp.Drain()
		switch one := g.page[0]; {
		case one.rec.isError():
			return errorInside(resp, one.rec)
		case len(one.rec) == 0 && !one.members:
			return resp.Fault(v1.ClassTargetFault, "not_scim", "the answer of "+resp.URL+" is no SCIM resource", "")
		}
		return nil
	})
	return g.sink.tally(), err
}

// heavy reads the members of a group that the target cannot tell as a whole, by asking for its users page by page.
func (g *groupReading) heavy(ctx context.Context, one group, id string, why error) error {
	if n, ok := g.countByFilter(ctx, id); ok && n > 0 {
		g.warnOnce(
			"members_by_filter",
			"the target fails to tell some groups with their members; their users are asked for",
		)
		return g.byFilter(ctx, one, id)
	}
	g.skip("the members of the group cannot be read: "+why.Error(), id, v1.Grants)
	g.at.Missed = "the last read could not read the members of all groups"
	return nil
}

// byFilter asks for the users of a group, page by page. Groups inside the group are not told this way.
func (g *groupReading) byFilter(ctx context.Context, one group, id string) error {
	if !g.filtersByGroup(ctx) {
		g.warnOnce(
			"members_unreadable",
			"the target does not let users be asked for by their group; no membership is taken for gone",
		)
		g.doubtful(v1.Grants)
		return nil
	}
	l := g.usersOf(id)
	l.read = func(resp *target.Response) (onePage, error) {
		p, err := readIDs(resp, func(in *raw) (string, error) {
			res, err := in.resource()
			return res.key(), err
		})
		p.done = func(ctx context.Context, first func(string) bool) error {
			for _, user := range p.ids {
				if badID(user) == "" && first(user) {
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
	if err := l.run(ctx); err != nil {
		return err
	}
	t := g.sink.tally()
	if why := l.doubt(); why != "" {
		t.bad++
		g.skip("not all members of the group may have been read: "+why, id, v1.Grants)
	}
	g.conclude(one.rec, id, t)
	return nil
}

// usersOf is the list of the users of a group. It leaves no marks: a read that breaks off begins the page of groups
// again.
func (g *groupReading) usersOf(id string) *listing {
	l := &listing{
		reading:  g.reading,
		path:     g.usersPath,
		phase:    phaseUsers,
		size:     g.sweepSize(g.size(g.provider)),
		quiet:    true,
		unmarked: true,
	}
	l.query = url.Values{"filter": {both(g.userFilter, "groups.value eq "+quoted(id))}}
	if g.attributes != quirks.No {
		l.query.Set("attributes", "id")
	}
	l.reset()
	return l
}

// quoted writes a text as a filter wants it: as JSON does (RFC 7644 section 3.4.2.2).
func quoted(s string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case strings.ContainsRune("\n\r\t", r):
			out.WriteString(map[rune]string{'\n': `\n`, '\r': `\r`, '\t': `\t`}[r])
		case r < ' ':
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// filtersByGroup finds out, once, whether users can be asked for by their group: one that does not exist must have
// none.
func (g *groupReading) filtersByGroup(ctx context.Context) bool {
	if g.byGroup == nil {
		works := g.filterSupport != quirks.FilterNone &&
			(g.filterSupport != auto || !g.provider.declared || g.provider.filter)
		if works {
			nobody, err := g.sample1(ctx, "groups.value eq "+quoted("no-group-has-this-id"))
			var d *v1.ErrorDetail
			works = err == nil && !nobody.some ||
				errors.As(err, &d) && d.Class == v1.ClassNotFound // as AWS says of an unknown group
		}
		g.byGroup = &works
	}
	return *g.byGroup
}

// countByFilter is how many users a group has by the target's own filter. ok is false where that cannot be found out.
func (g *groupReading) countByFilter(ctx context.Context, id string) (n int, ok bool) {
	if !g.filtersByGroup(ctx) {
		return 0, false
	}
	some, err := g.sample1(ctx, "groups.value eq "+quoted(id))
	switch {
	case err != nil, !some.some:
		return 0, false
	case some.total < 0:
		return 1, true
	}
	return some.total, true
}

// roundNumbers are the numbers of members at which targets are known, or likely, to stop telling more.
var roundNumbers = []int{50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000}

// manyAlike is how many groups of exactly the same round number of members, with none larger, are too many to be true.
const manyAlike = 3

// judge looks back on what groups told of their members: whether another way is needed, and whether all came.
func (g *groupReading) judge(ctx context.Context) error {
	m := g.at.Members
	switch {
	case !g.want[v1.Grants] || m.Groups == 0:
		return nil
	case g.memberStrategy == auto && !m.Any && g.strategy() != membersByUser && g.strategy() != membersFilter:
		return g.elsewhere(ctx)
	}
	cut := m.Most > 0 &&
		(m.Most == g.profile.TruncatesAt || m.OfMost >= manyAlike && slices.Contains(roundNumbers, m.Most))
	if m.Short == "" && !cut {
		return nil
	}
	return g.truncated(ctx, cut)
}

// elsewhere looks for members where groups tell none.
func (g *groupReading) elsewhere(ctx context.Context) error {
	if g.at.ByUser {
		g.warn("members_by_user", "groups do not tell their members; memberships are read from users", "")
		g.at.Strategy = membersByUser
		g.healthy = nil
		if !slices.Contains(g.at.Plan.Legs, legMemberships) {
			g.at.Plan.Legs = append(g.at.Plan.Legs, legMemberships)
		}
		return nil
	}
	for _, id := range g.at.Members.Samples {
		if n, ok := g.countByFilter(ctx, id); ok && n > 0 {
			g.warn("members_by_filter", "groups do not tell their members; the users of each group are asked for", "")
			g.again(membersFilter)
			return nil
		}
	}
	return nil
}

// again reads all groups once more, with their members in another way.
func (g *groupReading) again(strategy string) {
	g.at.Strategy, g.healthy = strategy, nil
	g.turn(g.at.Plan.Legs[g.at.Leg])
}

// truncated finds out whether the target keeps members back, and how to get at them.
func (g *groupReading) truncated(ctx context.Context, cut bool) error {
	m := g.at.Members
	id, told := m.MostID, m.Most
	if !cut {
		id, told = m.Short, 0 // whatever else it has is more than was told
	}
	if g.inline() && g.strategy() == auto {
		g.sink.mute, g.sink.last = true, ""
		t, err := g.get(ctx, id)
		if g.sink.mute = false; err != nil && !tooHeavy(err) {
			return err
		}
		if cut && t.count > told {
			g.warn(
				"members_by_get",
				fmt.Sprintf(
					"the list of groups tells at most %d members of a group; they are read group by group",
					told,
				),
				id,
			)
			g.again(membersByGet)
			return nil
		}
	}
	n, ok := g.countByFilter(ctx, id)
	switch {
	case ok && cut && n == told:
		return nil // they really are so many
	case ok && cut && n > told && g.memberStrategy == auto && g.strategy() != membersFilter:
		g.warn(
			"members_by_filter",
			fmt.Sprintf("groups tell at most %d members; the users of each group are asked for", told),
			id,
		)
		g.again(membersFilter)
		return nil
	case !cut:
		return nil // told already, for each group
	}
	g.warn(
		"members_truncated",
		fmt.Sprintf(
			"%d groups have exactly %d members and none has more: the target may keep some back; no member of these "+
				"is taken for gone",
			m.OfMost,
			told,
		),
		id,
	)
	g.at.Plan.Cut = told
	g.doubtful(v1.Grants)
	g.healthy = slices.DeleteFunc(g.healthy, func(s v1.Scope) bool { return s.Count == told })
	return nil
}
