package provision

import (
	"cmp"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// notice is how long before its end a grant is said to be ending: a week, so that whoever has to ask again still can.
const notice = 7 * 24 * time.Hour

// person is somebody as the planner sees them.
type person struct {
	ID       string    `db:"id"`
	Status   string    `db:"status"`
	Urgent   bool      `db:"urgent"`
	Since    time.Time `db:"status_changed_at"` // the status
	Now      time.Time `db:"now"`
	Known    bool      `db:"known"` // before they went
	wants    []ledger.Want
	accounts []account
	unseen   []account // deleted because syncs do not show them, which is no proof that they are gone
	grants   map[pair]grant
	history  map[string]past        // by entitlement
	life     map[string][]task.Open // by account, the one that decides first
	holding  map[string]task.Open   // by grant
	lost     map[string]bool        // systems in which an account of theirs was removed that a reason asks for
	settings conditions
}

// conditions under which a person is looked at.
type conditions struct {
	now         time.Time
	leave       string // keep or disable
	deleteAfter *time.Duration
	zone        *time.Location // of the tenant's days
	urgent      bool           // asked for by whoever had the person looked at
	connectors  map[string]ability.Ability
	offers      map[string]offer // entitlements
}

// offer is an entitlement as the planner sees it.
type offer struct {
	grantable, revocable bool
}

// past is what reasons have asked for before.
type past struct {
	kind     string
	accounts map[string]bool // "": their main one
}

type pair struct{ account, entitlement string }

type account struct {
	ID          string     `db:"id"`
	IdentityID  string     `db:"identity_id"`
	ConnectorID string     `db:"connector_id"`
	Status      string     `db:"status"`
	Disabled    bool       `db:"is_disabled"`
	Managed     string     `db:"managed"`
	Type        string     `db:"account_type"`
	CreatedAt   time.Time  `db:"created_at"`
	WantedAt    *time.Time `db:"wanted_at"`
	DisabledFor *string    `db:"disabled_for"`
	DisabledAt  *time.Time `db:"disabled_at"`
}

type grant struct {
	ID            string     `db:"id"`
	AccountID     string     `db:"account_id"`
	EntitlementID string     `db:"entitlement_id"`
	Status        string     `db:"status"`
	Directness    string     `db:"directness"`
	Immutable     bool       `db:"immutable"`
	EndsAt        *time.Time `db:"ends_at"`
	WantedAt      *time.Time `db:"wanted_at"`
	Reappeared    bool       `db:"reappeared"` // it came back in the target after we had revoked it
	Removed       bool       `db:"removed"`    // it was removed in the target, not by us
}

// governed are the values of managed with which rules write an account: they disable and enable it, and give and take
// its grants. Of one that is discovered no attribute is written.
var governed = []string{"managed", "discovered"}

// writable says whether rules may write the account at all. They leave alone what is protected, read only or unmanaged,
// and accounts that do not belong to a person.
func (a account) writable() bool {
	return slices.Contains(governed, a.Managed) && (a.Type == "person" || a.Type == "unknown")
}

// main is the account of a system that reasons mean which name none: one that is there before one that is missing, one
// that is known to be a person's before one of unknown type, and then the oldest. Where a person has one that rules may
// not write, no other one is made beside it.
func main(accounts []account) (account, bool) {
	own := slices.DeleteFunc(
		slices.Clone(accounts),
		func(a account) bool { return a.Type != "person" && a.Type != "unknown" || a.Status == "deleted" },
	)
	if len(own) == 0 {
		return account{}, false
	}
	slices.SortFunc(own, func(a, b account) int {
		return cmp.Or(
			order(a.Status == "missing" || a.Status == "failed", b.Status == "missing" || b.Status == "failed"),
			order(!a.writable(), !b.writable()),
			order(a.Type != "person", b.Type != "person"),
			a.CreatedAt.Compare(b.CreatedAt),
			cmp.Compare(a.ID, b.ID),
		)
	})
	return own[0], true
}

// order puts what is false first.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// known is the SQL of whether a person i went when they were known here. Who comes as a leaver from the first, or had
// left before, is none whom we see go: what is left of theirs is found and asked about.
const known = `(i.urgent or i.status_changed_at > i.created_at
	and (i.status_changed_at > i.created_at + interval '1 day' or coalesce(i.last_working_at, (i.termination_date + 1)::timestamptz, 'infinity') > i.created_at))`

// seesGo says whether it is ours to see to it that an account cannot be used when its owner goes: it was there when
// they went, or we gave it to them. One that is found later is an orphan, for people to decide about.
func (p person) seesGo(a account) bool {
	return p.Known && !a.CreatedAt.After(p.Since) || a.WantedAt != nil || a.DisabledFor != nil
}

// gone people hold nothing that we gave. Those who are away cannot use what they hold, where the tenant wants it so.
func (p person) gone() bool { return p.Status == "deactivated" || p.Status == "archived" }
func (p person) away() bool { return p.Status == "on_leave" && p.settings.leave == "disable" }

// decide compares what a person should hold with what is there. It knows no database: the same person gives the same
// plan.
func (p person) decide(out *plan) {
	byConnector := map[string][]account{}
	for _, a := range p.accounts {
		byConnector[a.ConnectorID] = append(byConnector[a.ConnectorID], a)
	}
	wanted := map[string][]ledger.Want{}
	if !p.gone() {
		for _, w := range p.wants {
			wanted[w.ConnectorID] = append(wanted[w.ConnectorID], w)
		}
	}
	var connectors []string
	for id := range byConnector {
		connectors = append(connectors, id)
	}
	for id := range wanted {
		if _, known := byConnector[id]; !known {
			connectors = append(connectors, id)
		}
	}
	slices.Sort(connectors)
	for _, id := range connectors {
		can, known := p.settings.connectors[id]
		if !known {
			continue
		}
		s := system{person: p, can: can, id: id, accounts: byConnector[id], out: out}
		s.decide(wanted[id])
	}
	p.decideUnseen(out)
}

// decideUnseen has a leaver's accounts disabled that syncs do not show any more: their connectors look for them also
// outside of what syncs read. Of whoever is here such an account stays as it is.
func (p person) decideUnseen(out *plan) {
	for _, a := range p.unseen {
		if can, known := p.settings.connectors[a.ConnectorID]; known {
			s := system{person: p, can: can, id: a.ConnectorID, out: out}
			s.life(a, false)
		}
	}
}

// system is a person in one target system.
type system struct {
	person
	can      ability.Ability
	id       string
	accounts []account
	out      *plan
}

func (s *system) decide(wants []ledger.Want) {
	chosen := map[string]bool{}       // accounts that something is wanted of
	wanted := map[pair]*ledger.Want{} // entitlements that are wanted of accounts
	for i := range wants {
		w := &wants[i]
		a, found := s.accountFor(w)
		if !found {
			continue
		}
		chosen[a.ID] = true
		if w.EntitlementID != nil {
			// What is given to a person is their main account's; it may be given to that account by itself as well.
			key := pair{a.ID, *w.EntitlementID}
			if as := wanted[key]; as != nil {
				both := as.And(*w)
				w = &both
			}
			wanted[key] = w
		} else if a.WantedAt == nil {
			s.out.wantAccount(a.ID)
		}
	}
	for _, a := range s.accounts {
		s.life(a, chosen[a.ID])
	}
	for _, key := range sortedPairs(wanted) {
		s.want(key, wanted[key])
	}
	mainOne, _ := main(s.accounts)
	for _, a := range s.accounts {
		for key, g := range s.grants {
			if key.account == a.ID && wanted[key] == nil && s.ours(g, a.ID == mainOne.ID) {
				s.unwant(a, g)
			}
		}
	}
}

func sortedPairs(m map[pair]*ledger.Want) []pair {
	keys := make([]pair, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.entitlement, b.entitlement))
	})
	return keys
}

// ours says whether a reason ever asked for the grant. One that none did is native, and is asked about, not taken away;
// so is one that came back by itself.
func (s *system) ours(g grant, main bool) bool {
	if g.Reappeared {
		return false
	}
	if g.WantedAt != nil {
		return true
	}
	before, known := s.history[g.EntitlementID]
	return known && (before.accounts[g.AccountID] || main && before.accounts[""])
}

// accountFor finds, or makes, the account that a reason is about.
func (s *system) accountFor(w *ledger.Want) (account, bool) {
	if w.AccountID != nil {
		i := slices.IndexFunc(s.accounts, func(a account) bool { return a.ID == *w.AccountID && a.Status != "deleted" })
		if i < 0 {
			return account{}, false
		}
		return s.accounts[i], true
	}
	if a, found := main(s.accounts); found {
		return a, true
	}
	if !s.can.May(task.CreateAccount) || s.away() {
		return account{}, false
	}
	a, made := s.out.create(s, w)
	if made {
		s.accounts = append(s.accounts, a)
	}
	return a, made
}

// life decides whether an account is to be usable, and whether it is to be there at all.
func (s *system) life(a account, chosen bool) {
	if !a.writable() || s.can.Mode == task.ModeOff {
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
		Reason:     orEmpty(a.DisabledFor),
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
func (p person) lifeTask(account string) task.Open {
	if tasks := p.life[account]; len(tasks) > 0 {
		return tasks[0]
	}
	return task.Open{}
}

// moveLife carries out a move of an account.
func (s *system) moveLife(m task.Move, a account, why string, current task.Open) {
	switch m {
	case task.MoveReplan:
		s.out.replan(current.ID)
	case task.MoveFulfil:
		s.out.fulfil(current.ID)
		s.person.life[a.ID] = slices.DeleteFunc(
			s.person.life[a.ID],
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
	for _, t := range s.person.life[account] {
		if t.Pending() {
			s.out.cancel(t.ID, why)
		}
	}
	s.person.life[account] = slices.DeleteFunc(s.person.life[account], task.Open.Pending)
}

// replaceLife orders a change in place of all that is pending about whether the account can be used.
func (s *system) replaceLife(account string, d task.Draft) {
	pending := slices.DeleteFunc(slices.Clone(s.person.life[account]), func(t task.Open) bool { return !t.Pending() })
	if s.can.Mode == task.ModeSimulate && len(pending) > 0 {
		return
	}
	for _, t := range pending {
		d.Replaces, d.Unsure = append(d.Replaces, t.ID), d.Unsure || t.Stage() == task.Unclear
	}
	s.out.order(s, d)
}

// overdue says whether a leaver's account has been disabled for as long as they are kept. One that somebody else has
// disabled counts from the day its owner left.
func (s *system) overdue(a account) bool {
	after := s.settings.deleteAfter
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
	return !span.Add(since, *after, s.settings.zone).After(s.settings.now)
}

// hurried says whether what is taken away must go before everything else.
func (s *system) hurried() bool { return s.settings.urgent || s.Urgent && s.gone() }
