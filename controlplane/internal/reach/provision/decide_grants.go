package provision

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// want sees to it that an account holds an entitlement.
func (s *system) want(key pair, w *ledger.Want) {
	a := s.accountOf(key.account)
	g, there := s.grants[key]
	task, pending := s.holding[g.ID]
	if there && (g.WantedAt == nil || g.Reappeared) {
		s.out.wantGrant(g.ID)
	}
	may := a.writable() && a.Status != "deleted" && s.can.may(Grant) && s.settings.offers[key.entitlement].grantable
	switch {
	case !there:
		if may {
			s.grantAnew(key, "", w)
		}
	case g.Status == "active" || g.Status == "ending":
		s.limit(g, w)
	case g.Status == "revoking" && pending && task.sent():
		s.out.replan(task.ID)
	case g.Status == "revoking":
		if pending {
			s.out.cancel(task.ID, "it is wanted again")
		}
		s.out.grantStatus(g.ID, "active")
		s.limit(grant{ID: g.ID, Status: "active", EndsAt: g.EndsAt}, w)
	case pending || g.Status == "missing" || g.Directness == "inherited":
	case may: // revoked before, or its task is no more
		s.grantAnew(key, g.ID, w)
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

// grantAnew has an entitlement granted, after its account was made.
func (s *system) grantAnew(key pair, grantID string, w *ledger.Want) {
	d := draft{Operation: Grant, AccountID: key.account, GrantID: grantID, EntitlementID: key.entitlement, CreatedFrom: origin(w.Kinds), Reasons: w.ReasonIDs}
	if task, pending := s.person.life[key.account]; pending && task.Operation == CreateAccount {
		d.After = []string{task.ID}
	} else if id, made := s.out.creates[key.account]; made {
		d.After = []string{id}
	}
	if s.can.Mode == ModeSimulate {
		if s.accountOf(key.account).Status != "provisioning" {
			s.out.order(s, d)
		}
		return
	}
	if grantID == "" {
		d.GrantID = s.out.grantRow(s.id, key, w.EndsAt)
	} else {
		s.out.grantStatus(grantID, "pending")
	}
	s.out.order(s, d)
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

// unwant sees to it that an account does not hold what no reason asks for any more.
func (s *system) unwant(a account, g grant) {
	task, pending := s.holding[g.ID]
	may := a.writable() && s.can.may(Revoke) && s.settings.offers[g.EntitlementID].revocable && !(s.gone() && s.can.KeepGroups)
	switch g.Status {
	case "active", "ending":
		if may && g.Directness == "direct" && !g.Immutable && a.Status != "deleted" && a.Status != "provisioning" {
			s.revoke(a, g)
		}
	case "pending", "requested", "failed":
		if pending && task.sent() {
			s.out.replan(task.ID)
			return
		}
		if pending {
			s.out.cancel(task.ID, "nobody is to have it any more")
		}
		s.out.grantStatus(g.ID, "revoked")
	case "revoking":
		if !pending && may {
			s.revoke(a, g)
		} else if pending && s.hurried() && task.Lane != Urgent {
			s.out.hurry(task.ID)
		}
	}
}

func (s *system) revoke(a account, g grant) {
	from := FromLifecycle
	if before, known := s.history[g.EntitlementID]; known && !s.gone() {
		from = origin([]string{before.kind})
	}
	if s.can.Mode != ModeSimulate {
		s.out.grantStatus(g.ID, "revoking")
	}
	s.out.order(s, draft{Operation: Revoke, AccountID: a.ID, GrantID: g.ID, EntitlementID: g.EntitlementID, CreatedFrom: from, Urgent: s.hurried()})
}

// origin says where a task comes from, by the kinds of the reasons it is for.
func origin(kinds []string) string {
	for _, k := range []string{ledger.Birthright, ledger.Request, ledger.Emergency, ledger.Certified, ledger.Role, ledger.Policy, ledger.Exception, ledger.Imported, ledger.Manual} {
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
