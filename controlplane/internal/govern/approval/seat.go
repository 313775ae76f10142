package approval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// asked is one subject on its way to a plan.
type asked struct {
	Subject
	item  item
	facts facts
	plan  Plan
	sure  map[string]int // who must agree for certain, with the stage from 1; 0: has agreed before
	stage int            // that is being resolved, from 1
	log   []Step
}

func (c *asked) note(step, format string, args ...any) {
	detail := fmt.Sprintf(format, args...)
	if c.stage > 0 {
		detail = fmt.Sprintf("stage %d: %s", c.stage, detail)
	}
	c.log = append(c.log, Step{step, detail})
}

// byManager says whether a manager asks for one of their reports, which is their own agreement. It is that of the
// manager alone: where the same person is to agree as an owner, or by name, somebody else does. A service token that
// another person created asks in the manager's name and agrees to nothing.
func (c *asked) byManager(id string) bool {
	return id == c.RequesterID && id != c.BeneficiaryID && !c.ForAnother
}

// barred says why somebody may not decide, whatever names them.
func (o *org) barred(c *asked, id string) string {
	switch {
	case !c.plan.SelfApproval && id == c.BeneficiaryID:
		return "is the recipient of the access, and cannot approve it"
	case !c.plan.SelfApproval && id == c.RequesterID:
		return "is the requester, and cannot approve their own request"
	}
	stage, sure := c.sure[id]
	switch {
	case !c.plan.Distinct || !sure:
		return ""
	case stage == 0:
		return "has approved before, and counts only once"
	case stage == c.stage:
		return "is already an approver in this stage, and counts only once"
	}
	return fmt.Sprintf("is an approver in stage %d, and counts only once", stage)
}

func (o *org) called(id string) string {
	if p, known := o.people[id]; known && p.Display != "" {
		return p.Display
	}
	return id
}

// seat is the slot of somebody who is named, or of whoever decides for them. why is told when there is none.
func (o *org) seat(c *asked, id, via, because string, delegation bool) (s PlanSlot, why string) {
	if why := o.barred(c, id); why != "" {
		return s, why
	}
	away := o.absent(id)
	if d := o.delegates[id]; d != "" && delegation && !o.gone(id) {
		trouble := o.barred(c, d)
		if trouble == "" {
			trouble = o.absent(d)
		}
		if trouble == "" {
			c.note("delegate", "%s decides for %s", o.called(d), o.called(id))
			return PlanSlot{
				IdentityID: d,
				Display:    o.called(d),
				Via:        decision.Delegate,
				ActingFor:  id,
				Because:    because,
			}, ""
		}
		c.note("delegate", "%s has delegated to %s, who %s", o.called(id), o.called(d), trouble)
	} else if o.people[id].Unable == onLeave {
		away += ", and has no delegate"
	}
	if away != "" {
		return s, away
	}
	if o.people[id].Joins {
		c.note("first_sign_in", "%s has no user yet; the identity provider creates one when they sign in", o.called(id))
	}
	return PlanSlot{IdentityID: id, Display: o.called(id), Via: via, Because: because}, ""
}

// roleSeat is the slot of whoever has a role of the tenant, when there is somebody who may decide.
func (o *org) roleSeat(c *asked, role, via, because string) (s PlanSlot, why string) {
	users := o.users[role]
	if len(users) == 0 {
		return s, "there is no one who could"
	}
	if !slices.ContainsFunc(users, func(id string) bool { return id == "" || o.barred(c, id) == "" }) {
		return s, "none of them is allowed to decide this"
	}
	return PlanSlot{Role: role, Display: display(role), Via: via, Because: because}, ""
}

// bench is a group that is being filled.
type bench struct {
	o          *org
	c          *asked
	delegation bool
	slots      []PlanSlot
	absent     []PlanAbsent
}

// miss notes somebody whom a resolver names and who cannot be asked.
func (b *bench) miss(id, because, why string) {
	b.c.note("slot", "%s (%s) %s", b.o.called(id), because, why)
	known := slices.ContainsFunc(b.absent, func(a PlanAbsent) bool { return a.IdentityID == id })
	if code := b.o.unable(id); code != "" && !known {
		b.absent = append(
			b.absent,
			PlanAbsent{IdentityID: id, Display: b.o.called(id), Because: because, Code: code, Reason: why},
		)
	}
}

func (b *bench) has(s PlanSlot) bool {
	return slices.ContainsFunc(
		b.slots,
		func(x PlanSlot) bool { return x.IdentityID == s.IdentityID && x.Role == s.Role },
	)
}

// seat adds whom a resolver names. found counts those who sit, whoever named them; short are places that nobody has
// taken.
func (b *bench) seat(n named, via string, limit int) (found, short int) {
	if n.role != "" {
		s, why := b.o.roleSeat(b.c, n.role, via, n.because)
		if why != "" {
			b.c.note("slot", "%s cannot be asked: %s", display(n.role), why)
			return 0, 1
		}
		return b.sit(s), 0
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
			b.c.note("agreed_by_requesting", "%s (%s) agreed by requesting", b.o.called(id), n.because)
			found += b.sit(
				PlanSlot{IdentityID: id, Display: b.o.called(id), Via: via, Because: n.because, Agreed: true},
			)
			continue
		}
		s, why := b.o.seat(b.c, id, via, n.because, b.delegation)
		if why != "" {
			b.miss(id, n.because, why)
			short++
			continue
		}
		found += b.sit(s)
	}
	return found, short
}

// sit adds a slot, once; it gives 1 when somebody new sits, or sat for the same reason: another one is not needed.
func (b *bench) sit(s PlanSlot) int {
	if b.has(s) {
		b.c.note("slot", "%s is asked already in this group", s.Display)
		return 0
	}
	b.slots = append(b.slots, s)
	return 1
}

// group resolves people of whom so many must agree. blocked: there is nobody at all.
func (o *org) group(c *asked, def ApprovalStage, g ApproverGroup) (out PlanGroup, blocked bool) {
	b := &bench{o: o, c: c, delegation: def.AllowDelegation == nil || *def.AllowDelegation}
	short := 0
	var reserve []named
	for _, r := range g.Approvers {
		n := o.name(c, r)
		_, missing := b.seat(n, decision.Direct, 0)
		short += missing
		if missing > 0 && len(n.reserve) > 0 {
			reserve = append(
				reserve,
				named{ids: n.reserve, because: "substitute of the " + strings.TrimPrefix(n.because, "the ")},
			)
		}
	}
	asks := g.Mode
	switch {
	case asks == modeQuorum:
		short = max(0, g.Quorum-len(b.slots))
	case asks != modeAll:
		short = 0
		if len(b.slots) == 0 {
			short = 1
		}
	}
	b.fill(def, reserve, short, asks != modeAll && asks != modeQuorum)
	out.Slots, out.Unavailable = b.slots, b.absent
	if len(out.Slots) == 0 {
		c.note("blocked", "there is no approver: no administrator may decide this either")
		out.Needed, out.Slots = 1, []PlanSlot{}
		return out, true
	}
	out.Needed = 1
	switch asks {
	case modeAll:
		out.Needed = len(out.Slots)
	case modeQuorum:
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
func (b *bench) fill(def ApprovalStage, reserve []named, short int, one bool) {
	sources := reserve
	for _, r := range def.Fallback {
		n := b.o.name(b.c, r)
		n.because, n.ids = "fallback: "+n.because, slices.Concat(n.ids, n.reserve)
		sources = append(sources, n)
	}
	last := named{role: admin, because: "fallback: there is no other approver"}
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

// Ways in which a group agrees.
const (
	modeAny    = "any"
	modeAll    = "all"
	modeQuorum = "quorum"
)
