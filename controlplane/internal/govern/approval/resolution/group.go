package resolution

import (
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// groupBuilder fills a group of a stage.
type groupBuilder struct {
	o *resolver
	c *Case
	// delegation says whether delegates may decide; slots are the seats filled so far, absent the
	// people left out with the reason.
	delegation bool
	slots      []approval.PlanSlot
	absent     []approval.PlanAbsent
}

// noteMissing notes somebody whom a resolver names and who cannot be asked.
func (b *groupBuilder) noteMissing(id, because, why string) {
	b.c.note("slot", "%s (%s) %s", b.o.DisplayName(id), because, why)
	known := slices.ContainsFunc(b.absent, func(a approval.PlanAbsent) bool { return a.IdentityID == id })
	if code := b.o.Unable(id); code != "" && !known {
		b.absent = append(
			b.absent,
			approval.PlanAbsent{
				IdentityID: id,
				Display:    b.o.DisplayName(id),
				Because:    because,
				Code:       code,
				Reason:     why,
			},
		)
	}
}

// has says whether the person or app role has a seat already.
func (b *groupBuilder) has(s approval.PlanSlot) bool {
	return slices.ContainsFunc(
		b.slots,
		func(x approval.PlanSlot) bool { return x.IdentityID == s.IdentityID && x.Role == s.Role },
	)
}

// seat adds whom a resolver names. found counts those who sit, whoever named them; short are places that nobody has
// taken.
func (b *groupBuilder) seat(n nominees, via string, limit int) (found, short int) {
	if n.role != "" {
		s, why := b.o.roleSeat(b.c, n.role, via, n.because)
		if why != "" {
			b.c.note("slot", "%s cannot be asked: %s", approval.RoleName(n.role), why)
			return 0, 1
		}
		return b.add(s), 0
	}
	if n.none != "" {
		b.c.note("slot", "%s: %s", n.because, n.none)
		return 0, 1
	}
	if len(n.ids) == 0 {
		b.c.note("slot", "%s: there is none", n.because)
		return 0, 1
	}
	for _, id := range n.ids {
		if limit > 0 && found == limit {
			break
		}
		if n.manager && b.c.byManager(id) {
			b.c.note("agreed_by_requesting", "%s (%s) agreed by requesting", b.o.DisplayName(id), n.because)
			found += b.add(
				approval.PlanSlot{
					IdentityID: id,
					Display:    b.o.DisplayName(id),
					Via:        via,
					Because:    n.because,
					Agreed:     true,
				},
			)
			continue
		}
		s, why := b.o.seat(b.c, id, via, n.because, b.delegation)
		if why != "" {
			b.noteMissing(id, n.because, why)
			short++
			continue
		}
		found += b.add(s)
	}
	return found, short
}

// add adds a slot, once; it gives 1 when somebody new sits, or sat for the same reason: another one is not needed.
func (b *groupBuilder) add(s approval.PlanSlot) int {
	if b.has(s) {
		b.c.note("slot", "%s is asked already in this group", s.Display)
		return 0
	}
	b.slots = append(b.slots, s)
	return 1
}

// group resolves people of whom so many must agree. blocked: there is nobody at all.
func (o *resolver) group(
	c *Case,
	def approval.ApprovalStage,
	g approval.ApproverGroup,
) (out approval.PlanGroup, blocked bool) {
	b := &groupBuilder{o: o, c: c, delegation: def.AllowDelegation == nil || *def.AllowDelegation}
	short := 0
	var reserve []nominees
	for _, r := range g.Approvers {
		n := o.name(c, r)
		_, missing := b.seat(n, decision.Direct, 0)
		short += missing
		if missing > 0 && len(n.reserve) > 0 {
			reserve = append(
				reserve,
				nominees{ids: n.reserve, because: "substitute of the " + strings.TrimPrefix(n.because, "the ")},
			)
		}
	}
	asks := g.Mode
	switch {
	case asks == approval.ModeQuorum:
		short = max(0, g.Quorum-len(b.slots))
	case asks != approval.ModeAll:
		short = 0
		if len(b.slots) == 0 {
			short = 1
		}
	}
	b.fill(def, reserve, short, asks != approval.ModeAll && asks != approval.ModeQuorum)
	out.Slots, out.Unavailable = b.slots, b.absent
	if len(out.Slots) == 0 {
		c.note("blocked", "there is no approver: no administrator may decide this either")
		out.Needed, out.Slots = 1, []approval.PlanSlot{}
		return out, true
	}
	out.Needed = 1
	switch asks {
	case approval.ModeAll:
		out.Needed = len(out.Slots)
	case approval.ModeQuorum:
		if out.Needed = max(1, g.Quorum); out.Needed > len(out.Slots) {
			out.Needed = len(out.Slots)
			c.note("quorum", "%d should agree, and only %d can be found: all of them must", g.Quorum, out.Needed)
		}
	}
	if out.Needed == len(out.Slots) {
		for _, s := range out.Slots {
			if _, known := c.sure[s.IdentityID]; s.IdentityID != "" && !known {
				c.sure[s.IdentityID] = c.stage
			}
		}
	}
	return out, false
}

// fill takes others for places that nobody has taken: those who stand in, then the stage's fallback, and at last the
// administrators. Where one of many is enough, all whom the first of these names are asked.
func (b *groupBuilder) fill(def approval.ApprovalStage, reserve []nominees, short int, one bool) {
	sources := reserve
	for _, r := range def.Fallback {
		n := b.o.name(b.c, r)
		n.because, n.ids = "fallback: "+n.because, slices.Concat(n.ids, n.reserve)
		sources = append(sources, n)
	}
	last := nominees{role: approval.Admin, because: "fallback: there is no other approver"}
	for _, n := range append(sources, last) {
		if short == 0 {
			return
		}
		limit := short
		if one {
			limit = 0
		}
		found, _ := b.seat(n, decision.Fallback, limit)
		if found > 0 {
			b.c.note("fallback", "%s", n.because)
		}
		if short -= found; one && found > 0 || short < 0 {
			short = 0
		}
	}
	if short > 0 && len(b.slots) > 0 {
		b.c.note("fallback", "%d approvers are missing; the approvers that were found decide", short)
	}
}
