package scim

import (
	"context"
	"errors"
	"hash/maphash"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// groupPage is a page of groups being read. Members are handed on while they arrive; the groups themselves at the page's end.
type groupPage struct {
	groups []group
	ids    []string
}

// group is a group without its members.
type group struct {
	rec     record
	members bool // the answer had members for it
}

// groupReading is the read of all groups.
type groupReading struct {
	*reading
	listing *listing
	inline  bool // take members from the list
	page    groupPage
	sink    sink
	told    map[string]bool // groups of this page whose members were handed on in full, by an earlier try
	anyList bool            // the list carries members for at least one group
	bare    []string        // groups listed without members, until it is known what that means
	late    []string        // groups whose id came after more members than can be held
}

func (r *reading) groups(ctx context.Context) error {
	l := r.listing(r.groupsPath, phaseGroups, r.groupFilter)
	g := &groupReading{reading: r, listing: l, inline: r.memberStrategy != membersByGet && r.want[v1.Grants], told: map[string]bool{}}
	g.sink = sink{reading: r, seed: maphash.MakeSeed()}
	if !g.inline {
		l.query.Set("excludedAttributes", "members")
	}
	l.read = func(resp *target.Response) (listHead, []string, error) { return g.readPage(ctx, resp) }
	l.done = g.pageDone
	err := l.run(ctx)
	if g.inline && r.memberStrategy == auto && l.pages == 0 && tooHeavy(err) {
		// Listing members is more than some targets can carry; group by group they often can.
		r.warn("members_by_get", "the target fails to list groups with their members; they are read group by group", "")
		g.inline = false
		l.query.Set("excludedAttributes", "members")
		err = l.run(ctx)
	}
	if err != nil {
		return noGroups(r, err)
	}
	if why := l.doubt(); why != "" {
		r.warn("groups_incomplete", why+"; nothing is taken for gone", "")
		r.doubtful(v1.Entitlements, v1.Grants)
	}
	return g.leftovers(ctx)
}

// tooHeavy tells failures that a smaller answer may avoid.
func tooHeavy(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && (d.Class == v1.ClassTransient || d.Code == "http_500" || d.Code == "http_413" || d.Code == "body_too_large")
}

// noGroups takes a target without groups for what it is: it has users only.
func noGroups(r *reading, err error) error {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || (d.Code != "http_404" && d.Code != "http_501") || r.listingBegan {
		return err
	}
	r.warn("no_groups", "the target has no groups at "+r.groupsPath, "")
	r.doubtful(v1.Entitlements, v1.Grants)
	return nil
}

func (g *groupReading) readPage(ctx context.Context, resp *target.Response) (listHead, []string, error) {
	g.page = groupPage{}
	head, err := readList(resp, func(dec decoder) error { return g.readGroup(ctx, dec, "") })
	return head, g.page.ids, err
}

// readGroup reads one group, its members as they come. id is the group's where it is known beforehand.
func (g *groupReading) readGroup(ctx context.Context, dec decoder, id string) error {
	one := group{rec: record{}}
	asked := id != ""
	g.sink.begin(id, g.told[id])
	err := object(dec, func(name string) error {
		if strings.EqualFold(name, "members") {
			one.members = true
			return g.sink.members(ctx, dec)
		}
		if err := keepSmall(dec, one.rec, name); err != nil {
			return err
		}
		if strings.EqualFold(name, "id") && !asked {
			id = one.rec.text("id")
			return g.sink.known(ctx, id, g.told[id])
		}
		return nil
	})
	if err != nil {
		return err
	}
	if one.members && id != "" {
		g.told[id] = true
	}
	if g.sink.overflow {
		g.told[id] = false
		g.late = append(g.late, id) // it is asked for by itself, so that its id is known beforehand
	}
	g.page.ids = append(g.page.ids, id)
	g.page.groups = append(g.page.groups, one)
	return nil
}

// pageDone tells the groups of a page that was read to its end, and asks for members that did not come with it.
func (g *groupReading) pageDone(ctx context.Context, first func(string) bool) error {
	g.stats.Pages++
	g.listingBegan = true
	g.expect(g.listing.total, v1.Entitlements)
	for _, one := range g.page.groups {
		id := one.rec.text("id")
		if why := badID(id); why != "" {
			g.skip("a group "+why, one.rec.text("displayName"), v1.Entitlements, v1.Grants)
			continue
		}
		if !first(id) {
			g.warn("duplicate", "the target listed this group more than once", id)
			continue
		}
		g.tell(one.rec, id)
		if one.members {
			g.anyList = true
		} else if g.want[v1.Grants] && g.memberStrategy != membersInline && !g.told[id] {
			g.bare = append(g.bare, id)
		}
		if err := g.hand(ctx); err != nil {
			return err
		}
	}
	g.page = groupPage{}
	clear(g.told)
	if g.inline {
		return nil
	}
	return g.leftovers(ctx)
}

func (g *groupReading) tell(rec record, id string) {
	g.seen(rec.sub("meta").moment("lastModified"))
	if !g.want[v1.Entitlements] {
		return
	}
	attributes, shortened := flatten(rec)
	if len(shortened) > 0 {
		g.warn("truncated", shortenedMessage(shortened), id)
	}
	name := rec.opt("displayName")
	g.out.Entitlements = append(g.out.Entitlements, v1.RemoteEntitlement{
		ExternalID: id, Kind: "group", NativeIdentity: rec.text("displayName"), Name: name, DisplayName: name,
		Description: rec.opt("description"), ModifiedAt: rec.sub("meta").moment("lastModified"), ETag: rec.sub("meta").text("version"),
		Attributes: allowed(attributes, g.allow),
	})
}

// leftovers asks one by one for groups whose members did not come. Where the list carried members for other groups, those
// without have none: most targets leave an empty attribute out.
func (g *groupReading) leftovers(ctx context.Context) error {
	bare := g.bare
	if g.inline && g.anyList {
		bare = nil
	}
	bare = append(bare, g.late...)
	g.bare, g.late = nil, nil
	for _, id := range bare {
		if err := g.membersOf(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (g *groupReading) membersOf(ctx context.Context, id string) error {
	ask := target.Request{URL: strings.TrimSuffix(g.groupsPath, "/") + "/" + url.PathEscape(id), Phase: phaseGroups, Stream: true}
	err := g.c.Read(ctx, ask, func(resp *target.Response) error {
		dec, err := resp.JSON()
		if err != nil {
			return err
		}
		g.page = groupPage{}
		if err := g.readGroup(ctx, dec, id); err != nil {
			return resp.Explain(err)
		}
		resp.Drain()
		switch one := g.page.groups[0]; {
		case one.rec.isError():
			return errorInside(resp, one.rec)
		case len(one.rec) == 0 && !one.members:
			return resp.Fault(v1.ClassTargetFault, "not_scim", "the answer of "+resp.URL+" is no SCIM resource", "")
		}
		return nil
	})
	delete(g.told, id)
	g.page = groupPage{}
	var d *v1.ErrorDetail
	if errors.As(err, &d) && d.Class == v1.ClassNotFound {
		g.warn("group_vanished", "the group was deleted while groups were read", id)
		return nil
	}
	return err
}
