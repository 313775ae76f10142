package group

import (
	"cmp"
	"context"
	"slices"

	"github.com/grantwright/grantwright/connectorkit/scim/checkpoint"
	"github.com/grantwright/grantwright/connectorkit/scim/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Audits is how many groups that did not change, as their lastModified says, are looked at all the same in every read
// of changes.
const Audits = 2

// audit looks at a few groups whether their members are still those of an earlier read. Where they are not,
// meta.lastModified of a group does not move with its members, and all groups must be read each time.
func (g *reader) audit(ctx context.Context, read map[string]bool) error {
	if g.GroupChanges != settings.Auto || !g.Want[v1.Grants] || g.MembersBy() == settings.MembersByUser {
		return nil
	}
	due := slices.Clone(g.State.Samples)
	hour := uint64(g.State.Plan.Since.Unix() / 3600) // others in another hour
	for i := range min(Audits, len(due)) {
		was := due[(hour+uint64(i))%uint64(len(due))]
		if read[was.ID] {
			continue
		}
		if err := g.reread(ctx, entry{}, was.ID); err != nil {
			return err
		}
		now, there := g.sampled(was.ID)
		if there && (now.Sum != was.Sum || now.Count != was.Count) {
			g.Warn(
				"group_changes_unseen",
				"members of the group changed, but its meta.lastModified did not; "+
					"all groups are read, now and from now on",
				was.ID,
			)
			g.State.Plan.Always = true
			g.RestartLeg(checkpoint.LegGroups)
			return nil
		}
	}
	return nil
}

// Bounds of what is kept to audit by.
const (
	maxSamples      = 8
	maxSampleID     = 256
	maxSampleMember = 2000
)

// sampleOf keeps the members of a few groups in mind, always of the same ones.
func (g *reader) sampleOf(id string, t memberSummary) {
	g.State.Samples = slices.DeleteFunc(
		slices.Clone(g.State.Samples),
		func(s checkpoint.Sample) bool { return s.ID == id },
	)
	if len(id) > maxSampleID || t.count > maxSampleMember || t.bad > 0 {
		return
	}
	g.State.Samples = append(g.State.Samples, checkpoint.Sample{ID: id, Count: t.count, Sum: t.sum})
	slices.SortFunc(
		g.State.Samples,
		func(a, b checkpoint.Sample) int { return cmp.Compare(checkpoint.Hash(a.ID), checkpoint.Hash(b.ID)) },
	)
	g.State.Samples = g.State.Samples[:min(len(g.State.Samples), maxSamples)]
}

// sampled is what is kept of the members of a group to audit by; false if nothing is.
func (g *reader) sampled(id string) (checkpoint.Sample, bool) {
	i := slices.IndexFunc(g.State.Samples, func(s checkpoint.Sample) bool { return s.ID == id })
	if i < 0 {
		return checkpoint.Sample{}, false
	}
	return g.State.Samples[i], true
}
