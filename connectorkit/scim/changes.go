package scim

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// errTurn ends a list whose target needs to be read in another way.
var errTurn = errors.New("another way is needed")

// groupsChanged names all groups, and reads those again that changed since the last read, with their members.
func (r *reading) groupsChanged(ctx context.Context) error {
	if r.at.List == nil {
		r.at.Members = membership{}
	}
	g := &groupReading{
		reading: r,
		list:    r.listing(r.groupsPath, phaseGroups, r.groupFilter),
		told:    map[string]tally{},
		changes: true,
	}
	g.sink = sink{reading: r}
	g.list.size = r.sweepSize(g.list.size)
	g.list.query.Set("excludedAttributes", "members")
	read := map[string]bool{}
	g.list.read = func(resp *target.Response) (onePage, error) {
		whole := false
		g.page = nil
		p, err := readIDs(resp, func(in *raw) (string, error) {
			one, err := g.outline(in)
			whole = whole || one.members
			g.page = append(g.page, one)
			return one.rec.text("id"), err
		})
		p.done = func(ctx context.Context, first func(string) bool) error {
			if why := g.blind(whole); why != "" {
				r.warn("groups_reread", why, "")
				return errTurn
			}
			return g.sweep(ctx, first, read)
		}
		return p, err
	}
	switch err := g.list.run(ctx); {
	case errors.Is(err, errTurn):
		r.turn(legGroups)
		return nil
	case err != nil:
		return g.none(err)
	}
	if why := g.list.doubt(); why != "" {
		r.warn("groups_incomplete", why+"; no group is taken for gone", "")
		r.doubtful(v1.Entitlements)
		r.at.Missed = "the last read did not see all groups"
	}
	return g.audit(ctx, read)
}

// outline reads a group and passes over its members.
func (g *groupReading) outline(in *raw) (group, error) {
	one := group{rec: record{}}
	return one, in.object(func(name string) error {
		if strings.EqualFold(name, "members") {
			first, err := in.peek()
			if err != nil {
				return err
			}
			one.members = one.members || first == '['
			_, err = in.next(0)
			return err
		}
		return g.attribute(in, one.rec, name, "")
	})
}

// blind says why changed groups cannot be made out, or nothing.
func (g *groupReading) blind(whole bool) string {
	if whole && g.inline() {
		return "the target returns groups with their members in every request; all groups are read"
	}
	dated := func(one group) bool { return one.rec.sub("meta").moment("lastModified") != nil }
	if len(g.page) > 0 && !slices.ContainsFunc(g.page, dated) {
		return "the target does not tell when groups changed; all groups are read"
	}
	return ""
}

// sweep takes one page of groups.
func (g *groupReading) sweep(ctx context.Context, first func(string) bool, read map[string]bool) error {
	g.at.Stats.Pages++
	g.expect(g.list.at.Total, v1.Entitlements)
	page := g.page
	since := g.at.Plan.Since.Add(-overlap)
	for _, one := range page {
		id := one.rec.text("id")
		if why := badID(id); why != "" {
			g.skip("a group "+why, one.rec.text("displayName"), v1.Entitlements)
			continue
		}
		if !first(id) {
			continue
		}
		if changed := one.rec.sub("meta").moment("lastModified"); changed != nil && changed.Before(since) {
			g.there(v1.Entitlements, id)
			continue
		}
		read[id] = true
		g.tell(one.rec, id)
		if err := g.reread(ctx, one, id); err != nil {
			return err
		}
	}
	return nil
}

// reread reads the members of one group.
func (g *groupReading) reread(ctx context.Context, one group, id string) (err error) {
	if !g.want[v1.Grants] {
		return nil
	}
	switch g.strategy() {
	case membersByUser: // told with the users who changed
	case membersFilter:
		err = g.byFilter(ctx, one, id)
	default:
		err = g.byGet(ctx, one, id)
	}
	if err != nil {
		return err
	}
	return g.flush(ctx, nil)
}

// audits is how many groups that did not change, as their lastModified says, are looked at all the same in every read
// of changes.
const audits = 2

// audit looks at a few groups whether their members are still those of an earlier read. Where they are not,
// meta.lastModified of a group does not move with its members, and all groups must be read each time.
func (g *groupReading) audit(ctx context.Context, read map[string]bool) error {
	if g.groupChanges != auto || !g.want[v1.Grants] || g.strategy() == membersByUser {
		return nil
	}
	due := slices.Clone(g.at.Samples)
	hour := uint64(g.at.Plan.Since.Unix() / 3600) // others in another hour
	for i := range min(audits, len(due)) {
		was := due[(hour+uint64(i))%uint64(len(due))]
		if read[was.ID] {
			continue
		}
		if err := g.reread(ctx, group{}, was.ID); err != nil {
			return err
		}
		now, there := g.sampled(was.ID)
		if there && (now.Sum != was.Sum || now.Count != was.Count) {
			g.warn(
				"group_changes_unseen",
				"members of the group changed, but its meta.lastModified did not; all groups are read, now and from now on",
				was.ID,
			)
			g.at.Plan.Always = true
			g.turn(legGroups)
			return nil
		}
	}
	return nil
}

// sample is what a group's members were when they were read last.
type sample struct {
	ID    string `json:"id"`
	Count int    `json:"n"`
	Sum   uint64 `json:"sum"`
}

// Bounds of what is kept to audit by.
const (
	maxSamples      = 8
	maxSampleID     = 256
	maxSampleMember = 2000
)

// sampleOf keeps the members of a few groups in mind, always of the same ones.
func (r *reading) sampleOf(id string, t tally) {
	r.at.Samples = slices.DeleteFunc(slices.Clone(r.at.Samples), func(s sample) bool { return s.ID == id })
	if len(id) > maxSampleID || t.count > maxSampleMember || t.bad > 0 {
		return
	}
	r.at.Samples = append(r.at.Samples, sample{id, t.count, t.sum})
	slices.SortFunc(r.at.Samples, func(a, b sample) int { return cmp.Compare(hash64(a.ID), hash64(b.ID)) })
	r.at.Samples = r.at.Samples[:min(len(r.at.Samples), maxSamples)]
}

func (r *reading) sampled(id string) (sample, bool) {
	i := slices.IndexFunc(r.at.Samples, func(s sample) bool { return s.ID == id })
	if i < 0 {
		return sample{}, false
	}
	return r.at.Samples[i], true
}
