package group

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	"github.com/grantwright/grantwright/connectorkit/scim/syncrun"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// errReadAll ends a list whose target needs to be read in another way.
var errReadAll = errors.New("another way is needed")

// ReadChanged names all groups, and reads those with their members that changed since the last sync.
func ReadChanged(ctx context.Context, r *syncrun.Run) error {
	if r.State.List == nil {
		r.State.Members = checkpoint.Membership{}
	}
	g := &reader{
		Run:       r,
		list:      r.NewListing(r.GroupsPath, resource.PhaseGroups, r.GroupFilter),
		collected: map[string]memberSummary{},
		changes:   true,
	}
	g.sink = collector{Run: r}
	g.list.Size = r.IDPageSize(g.list.Size)
	g.list.Query.Set("excludedAttributes", "members")
	read := map[string]bool{}
	g.list.ReadPage = func(resp *target.Response) (syncrun.Page, error) {
		whole := false
		g.page = nil
		p, err := syncrun.ReadIDs(resp, func(in *response.Reader) (string, error) {
			one, err := g.outline(in)
			whole = whole || one.members
			g.page = append(g.page, one)
			return one.rec.Text("id"), err
		})
		p.Done = func(ctx context.Context, first func(string) bool) error {
			if why := g.whyNoChanges(whole); why != "" {
				r.Warn("groups_reread", why, "")
				return errReadAll
			}
			return g.pageOfChanges(ctx, first, read)
		}
		return p, err
	}
	switch err := g.list.ReadAll(ctx); {
	case errors.Is(err, errReadAll):
		r.RestartLeg(checkpoint.LegGroups)
		return nil
	case err != nil:
		return g.noGroups(err)
	}
	if why := g.list.Incomplete(); why != "" {
		r.Warn("groups_incomplete", why+"; no group is treated as deleted", "")
		r.MarkIncomplete(v1.Entitlements)
		r.State.Missed = "the last read did not see all groups"
	}
	return g.audit(ctx, read)
}

// outline reads a group and passes over its members.
func (g *reader) outline(in *response.Reader) (entry, error) {
	one := entry{rec: resource.Record{}}
	return one, in.Object(func(name string) error {
		if strings.EqualFold(name, "members") {
			first, err := in.Peek()
			if err != nil {
				return err
			}
			one.members = one.members || first == '['
			_, err = in.Next(0)
			return err
		}
		return g.attribute(in, one.rec, name, "")
	})
}

// whyNoChanges says why changed groups cannot be made out, or nothing.
func (g *reader) whyNoChanges(whole bool) string {
	if whole && g.MembersInline() {
		return "the target returns groups with their members in every request; all groups are read"
	}
	dated := func(one entry) bool { return one.rec.Object("meta").Time("lastModified") != nil }
	if len(g.page) > 0 && !slices.ContainsFunc(g.page, dated) {
		return "the target does not report when groups changed; all groups are read"
	}
	return ""
}

// pageOfChanges takes one page of groups.
func (g *reader) pageOfChanges(ctx context.Context, first func(string) bool, read map[string]bool) error {
	g.State.Stats.Pages++
	g.SetEstimate(g.list.Position.Total, v1.Entitlements)
	page := g.page
	since := g.State.Plan.Since.Add(-checkpoint.Overlap)
	for _, one := range page {
		id := one.rec.Text("id")
		if why := resource.InvalidID(id); why != "" {
			g.SkipRecord("a group "+why, one.rec.Text("displayName"), v1.Entitlements)
			continue
		}
		if !first(id) {
			continue
		}
		if changed := one.rec.Object("meta").Time("lastModified"); changed != nil && changed.Before(since) {
			g.MarkPresent(v1.Entitlements, id)
			continue
		}
		read[id] = true
		g.add(one.rec, id)
		if err := g.reread(ctx, one, id); err != nil {
			return err
		}
	}
	return nil
}

// reread reads the members of one group.
func (g *reader) reread(ctx context.Context, one entry, id string) (err error) {
	if !g.Want[v1.Grants] {
		return nil
	}
	switch g.MembersBy() {
	case settings.MembersByUser: // reported with the users who changed
	case settings.MembersFilter:
		err = g.byFilter(ctx, one, id)
	default:
		err = g.byGet(ctx, one, id)
	}
	if err != nil {
		return err
	}
	return g.Emit(ctx, nil)
}
