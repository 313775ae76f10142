package group

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// roundNumbers are the numbers of members at which targets are known, or likely, to stop telling more.
var roundNumbers = []int{50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000}

// manyAlike is how many groups of exactly the same round number of members, with none larger, are too many to be true.
const manyAlike = 3

// checkMembers checks the members that groups returned: whether another way is needed, and whether all came.
func (g *reader) checkMembers(ctx context.Context) error {
	m := g.State.Members
	switch {
	case !g.Want[v1.Grants] || m.Groups == 0:
		return nil
	case g.MemberStrategy == settings.Auto && !m.Any && g.MembersBy() != settings.MembersByUser &&
		g.MembersBy() != settings.MembersFilter:
		return g.findOtherStrategy(ctx)
	}
	cut := m.Most > 0 &&
		(m.Most == g.Profile.TruncatesAt || m.OfMost >= manyAlike && slices.Contains(roundNumbers, m.Most))
	if m.Short == "" && !cut {
		return nil
	}
	return g.checkTruncation(ctx, cut)
}

// findOtherStrategy looks for members where groups tell none.
func (g *reader) findOtherStrategy(ctx context.Context) error {
	if g.State.ByUser {
		g.Warn("members_by_user", "groups do not contain their members; memberships are read from users", "")
		g.State.Strategy = settings.MembersByUser
		g.CompleteGroups = nil
		if !slices.Contains(g.State.Plan.Legs, checkpoint.LegMemberships) {
			g.State.Plan.Legs = append(g.State.Plan.Legs, checkpoint.LegMemberships)
		}
		return nil
	}
	for _, id := range g.State.Members.Samples {
		if n, ok := g.countByFilter(ctx, id); ok && n > 0 {
			g.Warn("members_by_filter", "groups do not contain their members; the users of each group are read", "")
			g.readAgain(settings.MembersFilter)
			return nil
		}
	}
	return nil
}

// readAgain reads all groups once more, with their members in another way.
func (g *reader) readAgain(strategy string) {
	g.State.Strategy, g.CompleteGroups = strategy, nil
	g.RestartLeg(g.State.Plan.Legs[g.State.Leg])
}

// checkTruncation finds out whether the target keeps members back, and how to get at them.
func (g *reader) checkTruncation(ctx context.Context, cut bool) error {
	m := g.State.Members
	id, told := m.MostID, m.Most
	if !cut {
		id, told = m.Short, 0 // whatever else it has is more than was reported
	}
	if g.MembersInline() && g.MembersBy() == settings.Auto {
		g.sink.mute, g.sink.last = true, ""
		t, err := g.get(ctx, id)
		if g.sink.mute = false; err != nil && !tooHeavy(err) {
			return err
		}
		if cut && t.count > told {
			g.Warn(
				"members_by_get",
				fmt.Sprintf(
					"the list of groups returns at most %d members of a group; groups are read one by one",
					told,
				),
				id,
			)
			g.readAgain(settings.MembersByGet)
			return nil
		}
	}
	n, ok := g.countByFilter(ctx, id)
	switch {
	case ok && cut && n == told:
		return nil // they really are so many
	case ok && cut && n > told && g.MemberStrategy == settings.Auto && g.MembersBy() != settings.MembersFilter:
		g.Warn(
			"members_by_filter",
			fmt.Sprintf("groups return at most %d members; the users of each group are read", told),
			id,
		)
		g.readAgain(settings.MembersFilter)
		return nil
	case !cut:
		return nil // reported already, for each group
	}
	g.Warn(
		"members_truncated",
		fmt.Sprintf(
			"%d groups have exactly %d members and none has more: the target may withhold some; no member of these "+
				"is treated as removed",
			m.OfMost,
			told,
		),
		id,
	)
	g.State.Plan.Cut = told
	g.MarkIncomplete(v1.Grants)
	g.CompleteGroups = slices.DeleteFunc(g.CompleteGroups, func(s v1.Scope) bool { return s.Count == told })
	return nil
}
