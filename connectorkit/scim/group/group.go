package group

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	"github.com/grantwright/grantwright/connectorkit/scim/response"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	"github.com/grantwright/grantwright/connectorkit/scim/syncrun"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// entry is a group without its members.
type entry struct {
	rec     resource.Record
	members bool // the answer had members for it
	late    bool // its id came after more members than can be held: it must be read on its own
}

// reader is the read of groups with their members. Members are handed on while they arrive; the groups themselves
// at the end of the page.
type reader struct {
	*syncrun.Run
	// list is the paged read that reader's functions are called from.
	list *syncrun.Listing
	// page are the groups of the page that is read, which are emitted at its end.
	page []entry
	// sink takes the members of the page while they arrive.
	sink      collector
	changes   bool                     // only groups that changed are read
	collected map[string]memberSummary // groups of this page whose members were handed on in full, by an earlier try
}

// Read reads all groups and their members.
func Read(ctx context.Context, r *syncrun.Run) error {
	if r.State.List == nil {
		r.State.Members = checkpoint.Membership{}
	}
	g := newReader(ctx, r)
	err := g.list.ReadAll(ctx)
	if r.MembersInline() && r.MembersBy() == settings.Auto && g.list.Position.Pages == 0 && tooHeavy(err) {
		// Listing members is more than some targets can carry; group by group they often can.
		r.Warn("members_by_get", "the target fails to list groups with their members; they are read group by group", "")
		r.State.Strategy = settings.MembersByGet
		g = newReader(ctx, r)
		err = g.list.ReadAll(ctx)
	}
	if err != nil {
		return g.noGroups(err)
	}
	if why := g.list.Incomplete(); why != "" {
		r.Warn("groups_incomplete", why+"; nothing is treated as deleted", "")
		r.MarkIncomplete(v1.Entitlements, v1.Grants)
		r.State.Missed = "the last read did not see all groups"
	}
	return g.checkMembers(ctx)
}

// newReader makes the read of groups by the list of them. Where members are not taken from that
// list they are excluded from it, unless the target is known not to honour excludedAttributes (RFC
// 7644 section 3.9).
func newReader(ctx context.Context, r *syncrun.Run) *reader {
	g := &reader{
		Run:       r,
		list:      r.NewListing(r.GroupsPath, resource.PhaseGroups, r.GroupFilter),
		collected: map[string]memberSummary{},
	}
	g.sink = collector{Run: r}
	if !r.MembersInline() && r.Attributes != quirks.No {
		g.list.Query.Set("excludedAttributes", "members")
	}
	g.list.ReadPage = func(resp *target.Response) (syncrun.Page, error) {
		g.page = nil
		p, err := syncrun.ReadIDs(resp, func(in *response.Reader) (string, error) { return g.read(ctx, in, "") })
		p.Done = g.pageDone
		return p, err
	}
	return g
}

// tooHeavy reports whether a smaller answer may avoid a failure.
func tooHeavy(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) &&
		(d.Class == v1.ClassTransient || d.Code == "http_500" || d.Code == "http_413" || d.Code == "body_too_large")
}

// noGroups takes a target without groups for what it is: it has users only.
func (g *reader) noGroups(err error) error {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || (d.Code != "http_404" && d.Code != "http_501") || g.list.Position.Pages > 0 {
		return err
	}
	g.Warn("no_groups", "the target has no groups at "+g.GroupsPath, "")
	g.MarkIncomplete(v1.Entitlements, v1.Grants)
	return nil
}

// read reads one group, its members as they come, and gives its id. id is the group's where it is known beforehand.
func (g *reader) read(ctx context.Context, in *response.Reader, id string) (string, error) {
	one := entry{rec: resource.Record{}}
	asked := id != ""
	_, told := g.collected[id]
	g.sink.begin(id, told)
	err := in.Object(func(name string) error {
		if strings.EqualFold(name, "members") {
			if s := g.MembersBy(); s == settings.MembersByUser || s == settings.MembersFilter {
				_, err := in.Next(0) // they come another way
				return err
			}
			one.members = true
			return g.sink.members(ctx, in)
		}
		if err := g.attribute(in, one.rec, name, id); err != nil {
			return err
		}
		if strings.EqualFold(name, "id") && !asked {
			id = one.rec.Text("id")
			_, told := g.collected[id]
			return g.sink.known(ctx, id, told)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	one.late = g.sink.overflow
	if _, told := g.collected[id]; one.members && id != "" && !told && !one.late {
		g.collected[id] = g.sink.summary()
	}
	g.page = append(g.page, one)
	return id, nil
}

// attribute reads one attribute of a group. An unusable one is left out, and reported.
func (g *reader) attribute(in *response.Reader, into resource.Record, name, id string) error {
	v, err := in.Next(response.MaxValue)
	if err != nil {
		return err
	}
	why := v.Problem(response.MaxValue)
	if why == "" {
		if err := in.Charge(v); err != nil {
			return err
		}
		out, err := v.Decode()
		if err == nil {
			into[name] = out
			return nil
		}
		why = "is no valid JSON"
	}
	g.Warn("value_skipped", "the value of "+name+" "+why+"; it is omitted", id)
	return nil
}

// pageDone emits the groups of a page that was read to its end, and asks for members that did not come with it.
func (g *reader) pageDone(ctx context.Context, first func(string) bool) error {
	g.State.Stats.Pages++
	g.SetEstimate(g.list.Position.Total, v1.Entitlements)
	page := g.page
	var bare []entry
	for _, one := range page {
		id := one.rec.Text("id")
		if why := resource.InvalidID(id); why != "" {
			g.SkipRecord("a group "+why, one.rec.Text("displayName"), v1.Entitlements, v1.Grants)
			continue
		}
		if !first(id) {
			if !g.list.Quiet {
				g.Warn("duplicate", "the target listed this group more than once", id)
			}
			continue
		}
		g.add(one.rec, id)
		g.State.Members.Groups++
		t, whole := g.collected[id]
		switch {
		case whole:
			g.State.Members.Listed = true
			g.conclude(one.rec, id, t)
		default:
			bare = append(bare, one)
		}
		if err := g.EmitBatch(ctx); err != nil {
			return err
		}
	}
	g.page = nil
	if g.Want[v1.Grants] {
		if err := g.readMembers(ctx, bare); err != nil {
			return err
		}
	}
	clear(g.collected)
	return nil
}

// add puts a group among the records that are emitted next. Its members do not depend on it: they
// are wanted even where entitlements are not.
func (g *reader) add(rec resource.Record, id string) {
	g.DropChangedKinds("group", rec, id)
	g.SeeModified(rec.Object("meta").Time("lastModified"))
	if !g.Want[v1.Entitlements] {
		return
	}
	attributes, shortened := resource.Flatten(rec)
	if len(shortened) > 0 {
		g.Warn("truncated", resource.TruncationMessage(shortened), id)
	}
	name := rec.OptionalText("displayName")
	g.Out.Entitlements = append(g.Out.Entitlements, v1.RemoteEntitlement{
		ExternalID:     id,
		Kind:           "group",
		NativeIdentity: rec.Text("displayName"),
		Name:           name,
		DisplayName:    name,
		Description:    rec.OptionalText("description"),
		ModifiedAt:     rec.Object("meta").Time("lastModified"),
		ETag:           rec.Object("meta").Text("version"),
		Attributes:     resource.Allowed(attributes, g.Allowlist),
	})
}

// conclude notes that all members of a group were read that the target returned.
func (g *reader) conclude(rec resource.Record, id string, t memberSummary) {
	m := &g.State.Members
	complete := t.bad == 0 && (g.State.Plan.Cut == 0 || t.count != g.State.Plan.Cut)
	if says := resource.DeclaredMembers(rec); says > t.count {
		complete, m.Short = false, cmp.Or(m.Short, id)
		g.Warn(
			"members_truncated",
			"the group says to have "+strconv.Itoa(says)+" members, but "+strconv.Itoa(
				t.count,
			)+" were told; none is treated as removed",
			id,
		)
		g.MarkIncomplete(v1.Grants)
	}
	m.Any = m.Any || t.count > 0
	switch {
	case t.count > m.Most:
		m.Most, m.OfMost, m.MostID = t.count, 1, id
	case t.count == m.Most:
		m.OfMost++
	}
	g.sampleOf(id, t)
	scope := v1.Scope{Kind: v1.Grants, Key: "entitlement:" + id, Complete: complete, Count: t.count}
	switch {
	case !complete:
	case g.changes:
		g.Scopes = append(g.Scopes, scope)
	default:
		g.CompleteGroups = append(g.CompleteGroups, scope) // until it is clear that the target keeps no members back
	}
}
