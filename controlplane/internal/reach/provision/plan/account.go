package plan

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
)

// life decides whether an account is to be usable, and whether it is to be there at all.
func (s *system) life(a Account, chosen bool) {
	if !a.Writable() || s.can.Mode == task.ModeOff {
		return
	}
	why, unseen := "", a.Status == "deleted"
	switch {
	case (s.gone() || s.away()) && !s.seesGo(a):
		return
	case unseen && !s.gone(): // what is pending is taken back, and nothing is ordered
	case s.gone():
		why = task.ForLeft
	case s.away():
		why = task.ForLeave
	case !chosen && a.WantedAt != nil:
		why = task.ForUnwanted
	}
	f := task.AccountFacts{
		Off:        why != "",
		Leave:      why == task.ForLeave,
		Chosen:     chosen,
		Status:     a.Status,
		Disabled:   a.Disabled,
		Reason:     task.TextOf(a.DisabledFor),
		Task:       s.lifeTask(a.ID),
		MayDisable: s.can.May(task.Disable),
		MayEnable:  s.can.May(task.Enable) && !unseen,
		Hurried:    s.hurried(),
	}
	moves := f.Next()
	for _, m := range moves {
		s.moveLife(m, a, why, f.Task)
	}
	if len(moves) == 0 && f.Task.ID == "" && why == task.ForLeft && s.overdue(a) && s.can.May(task.DeleteAccount) {
		s.out.order(s, task.Draft{Operation: task.DeleteAccount, AccountID: a.ID, CreatedFrom: task.FromLifecycle})
		s.out.status(a.ID, "deprovisioning")
	}
}

// lifeTask is the task on which depends what becomes of an account next.
func (p Person) lifeTask(account string) task.Open {
	if tasks := p.life[account]; len(tasks) > 0 {
		return tasks[0]
	}
	return task.Open{}
}

// moveLife carries out a move of an account.
func (s *system) moveLife(m task.Move, a Account, why string, current task.Open) {
	switch m {
	case task.MoveReplan:
		s.out.replan(current.ID)
	case task.MoveFulfil:
		s.out.fulfil(current.ID)
		s.Person.life[a.ID] = slices.DeleteFunc(
			s.Person.life[a.ID],
			func(t task.Open) bool { return t.ID == current.ID },
		)
	case task.MoveHurry:
		s.out.hurry(current.ID)
	case task.MoveForget:
		s.out.forget(a.ID)
	case task.MoveUndo:
		if a.Status == "deleted" {
			return
		}
		s.out.status(a.ID, map[bool]string{true: "disabled", false: "active"}[a.Disabled])
	case task.MoveCancel:
		s.cancelLife(a.ID, "the account does not have to change any more")
	case task.MoveDisable:
		s.replaceLife(
			a.ID,
			task.Draft{
				Operation:   task.Disable,
				AccountID:   a.ID,
				CreatedFrom: task.FromLifecycle,
				Payload:     task.Payload{DisabledFor: why},
				Urgent:      s.hurried(),
			},
		)
	case task.MoveEnable:
		s.replaceLife(a.ID, task.Draft{Operation: task.Enable, AccountID: a.ID, CreatedFrom: task.FromLifecycle})
	}
}

// cancelLife takes back all that is pending about whether an account can be used, such as a disabling and the deletion
// after it.
func (s *system) cancelLife(account, why string) {
	for _, t := range s.Person.life[account] {
		if t.Pending() {
			s.out.cancel(t.ID, why)
		}
	}
	s.Person.life[account] = slices.DeleteFunc(s.Person.life[account], task.Open.Pending)
}

// replaceLife orders a change in place of all that is pending about whether the account can be used.
func (s *system) replaceLife(account string, d task.Draft) {
	pending := slices.DeleteFunc(slices.Clone(s.Person.life[account]), func(t task.Open) bool { return !t.Pending() })
	if s.can.Mode == task.ModeSimulate && len(pending) > 0 {
		return
	}
	for _, t := range pending {
		d.Replaces, d.Unsure = append(d.Replaces, t.ID), d.Unsure || t.Stage() == task.Unclear
	}
	s.out.order(s, d)
}

// overdue reports whether a leaver's account has been disabled for as long as they are kept. One that another user has
// disabled counts from the day its owner left.
func (s *system) overdue(a Account) bool {
	after := s.Settings.DeleteAfter
	if s.can.DeleteAfter != nil {
		after = s.can.DeleteAfter
	}
	if after == nil || a.Status != "disabled" {
		return false
	}
	since := s.Since
	if a.DisabledAt != nil && a.DisabledAt.After(since) {
		since = *a.DisabledAt
	}
	return !span.Add(since, *after, s.Settings.Zone).After(s.Settings.Now)
}

// hurried says whether what is taken away must go before everything else.
func (s *system) hurried() bool { return s.Settings.Urgent || s.Urgent && s.gone() }
