package plan

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// want sees to it that an account holds an entitlement.
func (s *system) want(key Pair, w *ledger.Want) {
	a := s.accountOf(key.Account)
	g, there := s.Grants[key]
	if there && (g.WantedAt == nil || g.Reappeared) {
		s.out.wantGrant(g.ID)
	}
	f := s.facts(a, g, there)
	f.Wanted = true
	f.MayGrant = a.Writable() && a.Status != "deleted" && s.can.May(task.Grant) &&
		s.Settings.Offers[key.Entitlement].Grantable
	s.moveAll(f, a, key, g, w)
}

// unwant sees to it that an account does not hold what no reason asks for any more.
func (s *system) unwant(a Account, g Grant) {
	f := s.facts(a, g, true)
	there := a.Status != "deleted" && a.Status != "provisioning" && a.Status != "failed"
	f.MayRevoke = a.Writable() && there && s.can.May(task.Revoke) && s.Settings.Offers[g.EntitlementID].Revocable &&
		!(s.gone() && s.can.KeepGroups) &&
		!f.Inherited &&
		!g.Immutable
	s.moveAll(f, a, Pair{g.AccountID, g.EntitlementID}, g, nil)
}

// moveAll carries out the next moves of a grant. A task that one of them has ended is none for those that follow.
func (s *system) moveAll(f task.GrantFacts, a Account, key Pair, g Grant, w *ledger.Want) {
	current := f.Task
	for _, m := range f.Next() {
		s.moveGrant(m, a, key, g, current, w)
		if m == task.MoveFulfil || m == task.MoveCancel {
			current = task.Open{}
		}
	}
}

// facts are what task.GrantMoves decides by, for one grant. there is false for one that has no row
// yet.
func (s *system) facts(a Account, g Grant, there bool) task.GrantFacts {
	f := task.GrantFacts{Hurried: s.hurried()}
	if there {
		f.Status, f.Task, f.Inherited = g.Status, s.holding[g.ID], g.Directness == "inherited"
	}
	return f
}

// moveGrant carries out a move of a grant. w is what the reasons ask for, nil where none does.
func (s *system) moveGrant(m task.Move, a Account, key Pair, g Grant, current task.Open, w *ledger.Want) {
	switch m {
	case task.MoveReplan:
		s.out.replan(current.ID)
	case task.MoveFulfil:
		s.out.fulfil(current.ID)
	case task.MoveHurry:
		s.out.hurry(current.ID)
	case task.MoveCancel:
		s.out.cancel(
			current.ID,
			map[bool]string{true: "the access is wanted again",
				false: "no reason asks for the access any more"}[w != nil],
		)
	case task.MoveEnd:
		s.out.grantStatus(g.ID, "revoked")
	case task.MoveKeep:
		if g.Status == "revoking" {
			s.out.grantStatus(g.ID, "active")
			g.Status = "active"
		}
		s.limit(g, w)
	case task.MoveGrant:
		s.grantAnew(key, g, current, w)
	case task.MoveRevoke:
		s.revoke(a, g, current)
	}
}

// accountOf finds an account of the person in this system; the zero Account if there is none.
func (s *system) accountOf(id string) Account {
	for _, a := range s.accounts {
		if a.ID == id {
			return a
		}
	}
	return Account{}
}

// grantAnew has an entitlement granted, after its account was created, in place of the task that is open.
func (s *system) grantAnew(key Pair, g Grant, current task.Open, w *ledger.Want) {
	d := task.Draft{
		Operation:     task.Grant,
		AccountID:     key.Account,
		GrantID:       g.ID,
		EntitlementID: key.Entitlement,
		CreatedFrom:   origin(w.Kinds),
		Reasons:       w.ReasonIDs,
	}
	if life := s.lifeTask(key.Account); life.ID != "" && life.Operation == task.CreateAccount {
		d.After = []string{life.ID}
	} else if id, made := s.out.Creates[key.Account]; made {
		d.After = []string{id}
	}
	if s.can.Mode == task.ModeSimulate {
		if s.accountOf(key.Account).Status != "provisioning" && !current.Pending() {
			s.out.order(s, d)
		}
		return
	}
	if current.Pending() {
		d.Replaces = []string{current.ID}
	}
	to := "pending"
	if g.Removed {
		if d.CreatedFrom = task.FromDrift; s.can.AskRemoved {
			d.Failed, to = removedInTarget("grant"), "failed"
		}
	}
	if g.ID == "" {
		d.GrantID = s.out.grantRow(s.id, key, w.EndsAt)
	} else {
		s.out.grantStatus(g.ID, to)
	}
	s.out.order(s, d)
}

// removedInTarget is why a change waits for a decision: what reasons ask for was removed in the target.
func removedInTarget(what string) *v1.ErrorDetail {
	return &v1.ErrorDetail{Class: v1.ClassConflict, Code: "removed_in_target", Phase: "plan",
		Message: "the " + what + " was removed in the target although reasons ask for it"}
}

// limit says when a grant ends, and that it is ending once that is near.
func (s *system) limit(g Grant, w *ledger.Want) {
	status := "active"
	if w.EndsAt != nil && !w.EndsAt.After(s.Settings.Now.Add(Notice)) {
		status = "ending"
	}
	if status != g.Status || !sameTime(g.EndsAt, w.EndsAt) {
		s.out.Limits = append(s.out.Limits, Limit{g.ID, status, w.EndsAt})
	}
}

// sameTime says whether two ends are equal; nil is no end.
func sameTime(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }

// revoke has a grant taken away, in place of the task that is open.
func (s *system) revoke(a Account, g Grant, current task.Open) {
	from := task.FromLifecycle
	if before, known := s.History[g.EntitlementID]; known && !s.gone() {
		from = origin([]string{before.Kind})
	}
	d := task.Draft{
		Operation:     task.Revoke,
		AccountID:     a.ID,
		GrantID:       g.ID,
		EntitlementID: g.EntitlementID,
		CreatedFrom:   from,
		Urgent:        s.hurried(),
		Payload:       task.Payload{Before: g.Status},
	}
	if s.can.Mode == task.ModeSimulate {
		if !current.Pending() {
			s.out.order(s, d)
		}
		return
	}
	if current.Pending() {
		d.Replaces = []string{current.ID}
	}
	s.out.grantStatus(g.ID, "revoking")
	s.out.order(s, d)
}

// origin says where a task comes from, by the kinds of the reasons it is for.
func origin(kinds []string) string {
	for _, k := range []string{ledger.Birthright, ledger.Request, ledger.Emergency, ledger.Certified, ledger.Role,
		ledger.Policy, ledger.Exception, ledger.Imported, ledger.Manual} {
		for _, kind := range kinds {
			if kind != k {
				continue
			}
			switch k {
			case ledger.Emergency, ledger.Exception:
				return ledger.Request
			case ledger.Certified:
				return "certification"
			case ledger.Imported:
				return task.FromManual
			}
			return k
		}
	}
	return task.FromLifecycle
}
