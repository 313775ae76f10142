package provision

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// want sees to it that an account holds an entitlement.
func (s *system) want(key pair, w *ledger.Want) {
	a := s.accountOf(key.account)
	g, there := s.grants[key]
	if there && (g.WantedAt == nil || g.Reappeared) {
		s.out.wantGrant(g.ID)
	}
	f := s.facts(a, g, there)
	f.wanted = true
	f.mayGrant = a.writable() && a.Status != "deleted" && s.can.may(Grant) &&
		s.settings.offers[key.entitlement].grantable
	s.moveAll(f, a, key, g, w)
}

// unwant sees to it that an account does not hold what no reason asks for any more.
func (s *system) unwant(a account, g grant) {
	f := s.facts(a, g, true)
	there := a.Status != "deleted" && a.Status != "provisioning" && a.Status != "failed"
	f.mayRevoke = a.writable() && there && s.can.may(Revoke) && s.settings.offers[g.EntitlementID].revocable &&
		!(s.gone() && s.can.KeepGroups) &&
		!f.inherited &&
		!g.Immutable
	s.moveAll(f, a, pair{g.AccountID, g.EntitlementID}, g, nil)
}

// moveAll carries out the next moves of a grant. A task that one of them has ended is none for those that follow.
func (s *system) moveAll(f grantFacts, a account, key pair, g grant, w *ledger.Want) {
	task := f.task
	for _, m := range f.next() {
		s.moveGrant(m, a, key, g, task, w)
		if m == moveFulfil || m == moveCancel {
			task = open{}
		}
	}
}

func (s *system) facts(a account, g grant, there bool) grantFacts {
	f := grantFacts{hurried: s.hurried()}
	if there {
		f.status, f.task, f.inherited = g.Status, s.holding[g.ID], g.Directness == "inherited"
	}
	return f
}

// moveGrant carries out a move of a grant. w is what the reasons ask for, nil where none does.
func (s *system) moveGrant(m move, a account, key pair, g grant, task open, w *ledger.Want) {
	switch m {
	case moveReplan:
		s.out.replan(task.ID)
	case moveFulfil:
		s.out.fulfil(task.ID)
	case moveHurry:
		s.out.hurry(task.ID)
	case moveCancel:
		s.out.cancel(
			task.ID,
			map[bool]string{true: "the access is wanted again",
				false: "no reason asks for the access any more"}[w != nil],
		)
	case moveEnd:
		s.out.grantStatus(g.ID, "revoked")
	case moveKeep:
		if g.Status == "revoking" {
			s.out.grantStatus(g.ID, "active")
			g.Status = "active"
		}
		s.limit(g, w)
	case moveGrant:
		s.grantAnew(key, g, task, w)
	case moveRevoke:
		s.revoke(a, g, task)
	}
}

func (s *system) accountOf(id string) account {
	for _, a := range s.accounts {
		if a.ID == id {
			return a
		}
	}
	return account{}
}

// grantAnew has an entitlement granted, after its account was created, in place of the task that is open.
func (s *system) grantAnew(key pair, g grant, task open, w *ledger.Want) {
	d := draft{
		Operation:     Grant,
		AccountID:     key.account,
		GrantID:       g.ID,
		EntitlementID: key.entitlement,
		CreatedFrom:   origin(w.Kinds),
		Reasons:       w.ReasonIDs,
	}
	if life := s.lifeTask(key.account); life.ID != "" && life.Operation == CreateAccount {
		d.After = []string{life.ID}
	} else if id, made := s.out.creates[key.account]; made {
		d.After = []string{id}
	}
	if s.can.Mode == ModeSimulate {
		if s.accountOf(key.account).Status != "provisioning" && !task.pending() {
			s.out.order(s, d)
		}
		return
	}
	if task.pending() {
		d.Replaces = []string{task.ID}
	}
	to := "pending"
	if g.Removed {
		if d.CreatedFrom = FromDrift; s.can.config.Drift.Access == shape.DriftAsk {
			d.failed, to = removedInTarget("grant"), "failed"
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
func (s *system) limit(g grant, w *ledger.Want) {
	status := "active"
	if w.EndsAt != nil && !w.EndsAt.After(s.settings.now.Add(notice)) {
		status = "ending"
	}
	if status != g.Status || !sameTime(g.EndsAt, w.EndsAt) {
		s.out.limits = append(s.out.limits, limited{g.ID, status, w.EndsAt})
	}
}

func sameTime(a, b *time.Time) bool { return a == b || a != nil && b != nil && a.Equal(*b) }

// revoke has a grant taken away, in place of the task that is open.
func (s *system) revoke(a account, g grant, task open) {
	from := FromLifecycle
	if before, known := s.history[g.EntitlementID]; known && !s.gone() {
		from = origin([]string{before.kind})
	}
	d := draft{
		Operation:     Revoke,
		AccountID:     a.ID,
		GrantID:       g.ID,
		EntitlementID: g.EntitlementID,
		CreatedFrom:   from,
		Urgent:        s.hurried(),
		Payload:       payload{Before: g.Status},
	}
	if s.can.Mode == ModeSimulate {
		if !task.pending() {
			s.out.order(s, d)
		}
		return
	}
	if task.pending() {
		d.Replaces = []string{task.ID}
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
				return FromManual
			}
			return k
		}
	}
	return FromLifecycle
}
