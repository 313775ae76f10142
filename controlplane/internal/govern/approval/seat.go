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

// barred says why somebody may not decide, whatever names them.
func (o *org) barred(c *asked, id string) string {
	switch {
	case !c.plan.SelfApproval && id == c.BeneficiaryID:
		return "is who the access is for, and nobody approves their own"
	case !c.plan.SelfApproval && id == c.RequesterID:
		return "is who asks for it, and nobody approves what they ask for"
	}
	stage, sure := c.sure[id]
	switch {
	case !c.plan.Distinct || !sure:
		return ""
	case stage == 0:
		return "has agreed before, and nobody counts twice"
	case stage == c.stage:
		return "is asked in this stage already, and nobody counts twice"
	}
	return fmt.Sprintf("is asked in stage %d, and nobody counts twice", stage)
}

// absent says why somebody cannot decide now.
func (o *org) absent(id string) string {
	p, known := o.people[id]
	switch {
	case !known:
		return "is not there"
	case !p.Human:
		return "is no person"
	case p.Status == "deactivated", p.Status == "archived":
		return "has left"
	case p.Status == "pre_hire":
		return "has not begun to work here"
	case p.Status == "on_leave":
		return "is on leave"
	}
	return ""
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
	if d := o.delegates[id]; d != "" && delegation && away != "has left" {
		trouble := o.barred(c, d)
		if trouble == "" {
			trouble = o.absent(d)
		}
		if trouble == "" {
			c.note("delegate", "%s decides for %s", o.called(d), o.called(id))
			return PlanSlot{IdentityID: d, Display: o.called(d), Via: decision.Delegate, ActingFor: id, Because: because}, ""
		}
		c.note("delegate", "%s has delegated to %s, who %s", o.called(id), o.called(d), trouble)
	} else if away == "is on leave" {
		away = "is on leave, and nobody decides for them"
	}
	if away != "" {
		return s, away
	}
	return PlanSlot{IdentityID: id, Display: o.called(id), Via: via, Because: because}, ""
}

// roleSeat is the slot of whoever has a role of the tenant, when there is somebody who may decide.
func (o *org) roleSeat(c *asked, role, via, because string) (s PlanSlot, why string) {
	users := o.users[role]
	if len(users) == 0 {
		return s, "there are none who could"
	}
	if !slices.ContainsFunc(users, func(id string) bool { return id == "" || o.barred(c, id) == "" }) {
		return s, "all of them may not decide this"
	}
	return PlanSlot{Role: role, Display: display(role), Via: via, Because: because}, ""
}

// bench is a group that is being filled.
type bench struct {
	o          *org
	c          *asked
	delegation bool
	slots      []PlanSlot
}

func (b *bench) has(s PlanSlot) bool {
	return slices.ContainsFunc(b.slots, func(x PlanSlot) bool { return x.IdentityID == s.IdentityID && x.Role == s.Role })
}

// seat adds whom a resolver names. found counts those who sit, whoever named them; short are places that nobody has taken.
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
		s, why := b.o.seat(b.c, id, via, n.because, b.delegation)
		if why != "" {
			b.c.note("slot", "%s (%s) %s", b.o.called(id), n.because, why)
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
			reserve = append(reserve, named{ids: n.reserve, because: "stands in for the " + strings.TrimPrefix(n.because, "the ")})
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
	out.Slots = b.slots
	if len(out.Slots) == 0 {
		c.note("blocked", "nobody at all can be asked: not even an administrator is there who may decide this")
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

// fill takes others for places that nobody has taken: those who stand in, then the stage's fallback, and at last the administrators. Where
// one of many is enough, all whom the first of these names are asked.
func (b *bench) fill(def ApprovalStage, reserve []named, short int, one bool) {
	sources := reserve
	for _, r := range def.Fallback {
		n := b.o.name(b.c, r)
		n.because, n.ids = "fallback: "+n.because, slices.Concat(n.ids, n.reserve)
		sources = append(sources, n)
	}
	last := named{role: admin, because: "fallback: nobody else can be asked"}
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
		b.c.note("fallback", "for %d places nobody else can be found; those who are asked decide", short)
	}
}

// Ways in which a group agrees.
const (
	modeAny    = "any"
	modeAll    = "all"
	modeQuorum = "quorum"
)
