package scim

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/quirks"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// group is a group without its members.
type group struct {
	rec     record
	members bool // the answer had members for it
	late    bool // its id came after more members than can be held: it must be asked for by itself
}

// groupReading is the read of groups with their members. Members are handed on while they arrive; the groups themselves
// at the end of the page.
type groupReading struct {
	*reading
	list    *listing
	page    []group
	sink    sink
	changes bool             // only groups that changed are read
	told    map[string]tally // groups of this page whose members were handed on in full, by an earlier try
}

// strategy is the way members are read: what is set, or what was found out, or auto.
func (r *reading) strategy() string {
	if r.memberStrategy != auto {
		return r.memberStrategy
	}
	return cmp.Or(r.at.Strategy, auto)
}

// inline says whether the list is to bring members.
func (r *reading) inline() bool {
	s := r.strategy()
	return r.want[v1.Grants] && (s == auto || s == membersInline)
}

// groups reads all groups and who is in them.
func (r *reading) groups(ctx context.Context) error {
	if r.at.List == nil {
		r.at.Members = membership{}
	}
	g := r.groupReading(ctx)
	err := g.list.run(ctx)
	if r.inline() && r.strategy() == auto && g.list.at.Pages == 0 && tooHeavy(err) {
		// Listing members is more than some targets can carry; group by group they often can.
		r.warn("members_by_get", "the target fails to list groups with their members; they are read group by group", "")
		r.at.Strategy = membersByGet
		g = r.groupReading(ctx)
		err = g.list.run(ctx)
	}
	if err != nil {
		return g.none(err)
	}
	if why := g.list.doubt(); why != "" {
		r.warn("groups_incomplete", why+"; nothing is taken for gone", "")
		r.doubtful(v1.Entitlements, v1.Grants)
		r.at.Missed = "the last read did not see all groups"
	}
	return g.judge(ctx)
}

func (r *reading) groupReading(ctx context.Context) *groupReading {
	g := &groupReading{reading: r, list: r.listing(r.groupsPath, phaseGroups, r.groupFilter), told: map[string]tally{}}
	g.sink = sink{reading: r}
	if !r.inline() && r.attributes != quirks.No {
		g.list.query.Set("excludedAttributes", "members")
	}
	g.list.read = func(resp *target.Response) (onePage, error) {
		g.page = nil
		p, err := readIDs(resp, func(in *raw) (string, error) { return g.read(ctx, in, "") })
		p.done = g.pageDone
		return p, err
	}
	return g
}

// tooHeavy tells failures that a smaller answer may avoid.
func tooHeavy(err error) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) &&
		(d.Class == v1.ClassTransient || d.Code == "http_500" || d.Code == "http_413" || d.Code == "body_too_large")
}

// none takes a target without groups for what it is: it has users only.
func (g *groupReading) none(err error) error {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) || (d.Code != "http_404" && d.Code != "http_501") || g.list.at.Pages > 0 {
		return err
	}
	g.warn("no_groups", "the target has no groups at "+g.groupsPath, "")
	g.doubtful(v1.Entitlements, v1.Grants)
	return nil
}

// read reads one group, its members as they come, and gives its id. id is the group's where it is known beforehand.
func (g *groupReading) read(ctx context.Context, in *raw, id string) (string, error) {
	one := group{rec: record{}}
	asked := id != ""
	_, told := g.told[id]
	g.sink.begin(id, told)
	err := in.object(func(name string) error {
		if strings.EqualFold(name, "members") {
			if s := g.strategy(); s == membersByUser || s == membersFilter {
				_, err := in.next(0) // they come another way
				return err
			}
			one.members = true
			return g.sink.members(ctx, in)
		}
		if err := g.attribute(in, one.rec, name, id); err != nil {
			return err
		}
		if strings.EqualFold(name, "id") && !asked {
			id = one.rec.text("id")
			_, told := g.told[id]
			return g.sink.known(ctx, id, told)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	one.late = g.sink.overflow
	if _, told := g.told[id]; one.members && id != "" && !told && !one.late {
		g.told[id] = g.sink.tally()
	}
	g.page = append(g.page, one)
	return id, nil
}

// attribute reads one attribute of a group. What cannot be used is left out, and told.
func (g *groupReading) attribute(in *raw, into record, name, id string) error {
	v, err := in.next(maxValue)
	if err != nil {
		return err
	}
	why := v.trouble(maxValue)
	if why == "" {
		if err := in.keep(v); err != nil {
			return err
		}
		out, err := v.decode()
		if err == nil {
			into[name] = out
			return nil
		}
		why = "is no valid JSON"
	}
	g.warn("value_skipped", "the value of "+name+" "+why+"; it is omitted", id)
	return nil
}

// pageDone tells the groups of a page that was read to its end, and asks for members that did not come with it.
func (g *groupReading) pageDone(ctx context.Context, first func(string) bool) error {
	g.at.Stats.Pages++
	g.expect(g.list.at.Total, v1.Entitlements)
	page := g.page
	var bare []group
	for _, one := range page {
		id := one.rec.text("id")
		if why := badID(id); why != "" {
			g.skip("a group "+why, one.rec.text("displayName"), v1.Entitlements, v1.Grants)
			continue
		}
		if !first(id) {
			if !g.list.quiet {
				g.warn("duplicate", "the target listed this group more than once", id)
			}
			continue
		}
		g.tell(one.rec, id)
		g.at.Members.Groups++
		t, whole := g.told[id]
		switch {
		case whole:
			g.at.Members.Listed = true
			g.conclude(one.rec, id, t)
		default:
			bare = append(bare, one)
		}
		if err := g.hand(ctx); err != nil {
			return err
		}
	}
	g.page = nil
	if g.want[v1.Grants] {
		if err := g.rest(ctx, bare); err != nil {
			return err
		}
	}
	clear(g.told)
	return nil
}

func (g *groupReading) tell(rec record, id string) {
	g.settle("group", rec, id)
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
		ExternalID:     id,
		Kind:           "group",
		NativeIdentity: rec.text("displayName"),
		Name:           name,
		DisplayName:    name,
		Description:    rec.opt("description"),
		ModifiedAt:     rec.sub("meta").moment("lastModified"),
		ETag:           rec.sub("meta").text("version"),
		Attributes:     allowed(attributes, g.allow),
	})
}

// conclude notes that all members of a group were read that the target told.
func (g *groupReading) conclude(rec record, id string, t tally) {
	m := &g.at.Members
	complete := t.bad == 0 && (g.at.Plan.Cut == 0 || t.count != g.at.Plan.Cut)
	if says := declaredMembers(rec); says > t.count {
		complete, m.Short = false, cmp.Or(m.Short, id)
		g.warn(
			"members_truncated",
			"the group says to have "+strconv.Itoa(says)+" members, but "+strconv.Itoa(
				t.count,
			)+" were told; none is taken for gone",
			id,
		)
		g.doubtful(v1.Grants)
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
		g.scopes = append(g.scopes, scope)
	default:
		g.healthy = append(g.healthy, scope) // until it is clear that the target keeps no members back
	}
}

// declaredMembers is how many members a group says it has, where it does; else 0. There is no standard name for it.
func declaredMembers(rec record) int {
	for name, v := range rec {
		if strings.HasPrefix(strings.ToLower(name), "urn:") {
			if inner, ok := v.(map[string]any); ok {
				if n := declaredMembers(inner); n > 0 {
					return n
				}
			}
		}
		switch strings.ToLower(name) {
		case "membercount", "memberscount", "members_count", "totalmembers":
			return positive(textOf(v))
		}
	}
	return 0
}
