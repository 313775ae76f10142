package provision

import (
	"cmp"
	"slices"
	"time"

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
	grants   map[pair]grant
	history  map[string]past // by entitlement
	life     map[string]open // by account
	holding  map[string]open // by grant
	settings conditions
}

// conditions under which a person is looked at.
type conditions struct {
	now         time.Time
	leave       string // keep or disable
	deleteAfter *time.Duration
	urgent      bool // asked for by whoever had the person looked at
	connectors  map[string]ability
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
}

// writable says whether rules may write the account at all. One that people protect or do not manage is left alone, and so is one
// that is nobody's own.
func (a account) writable() bool {
	return a.Managed != "protected" && a.Managed != "unmanaged" && (a.Type == "person" || a.Type == "unknown")
}

func (a account) usable() bool { return (a.Status == "active" || a.Status == "locked") && !a.Disabled }

// main is the account of a system that reasons mean which name none: one that is there before one that is missing, one that is known
// to be a person's before one of unknown type, and then the oldest. Where a person has one that rules may not write, no other one is
// made beside it.
func main(accounts []account) (account, bool) {
	own := slices.DeleteFunc(slices.Clone(accounts), func(a account) bool { return a.Type != "person" && a.Type != "unknown" || a.Status == "deleted" })
	if len(own) == 0 {
		return account{}, false
	}
	slices.SortFunc(own, func(a, b account) int {
		return cmp.Or(order(a.Status == "missing" || a.Status == "failed", b.Status == "missing" || b.Status == "failed"), order(!a.writable(), !b.writable()),
			order(a.Type != "person", b.Type != "person"), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
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

// known is the SQL of whether a person i went when they were known here. Who comes as a leaver from the first, or had left before, is
// none whom we see go: what is left of theirs is found and asked about.
const known = `(i.urgent or i.status_changed_at > i.created_at
	and (i.status_changed_at > i.created_at + interval '1 day' or coalesce(i.last_working_at, (i.termination_date + 1)::timestamptz, 'infinity') > i.created_at))`

// seesGo says whether it is ours to see to it that an account cannot be used when its owner goes: it was there when they went, or we gave
// it to them. One that is found later is an orphan, for people to decide about.
func (p person) seesGo(a account) bool {
	return p.Known && !a.CreatedAt.After(p.Since) || a.WantedAt != nil || a.DisabledFor != nil
}

// gone people hold nothing that we gave. Those who are away cannot use what they hold, where the tenant wants it so.
func (p person) gone() bool { return p.Status == "deactivated" || p.Status == "archived" }
func (p person) away() bool { return p.Status == "on_leave" && p.settings.leave == "disable" }

// decide compares what a person should hold with what is there. It knows no database: the same person gives the same plan.
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
}

// system is a person in one target system.
type system struct {
	person
	can      ability
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

// ours says whether a reason ever asked for the grant. One that none did is native, and is asked about, not taken away; so is one that
// came back by itself.
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
	if !s.can.may(CreateAccount) || s.away() {
		return account{}, false
	}
	a, made := s.out.create(s, w)
	if made {
		s.accounts = append(s.accounts, a)
	}
	return a, made
}

// life decides whether an account is to be usable, and whether it is to be.
func (s *system) life(a account, chosen bool) {
	if !a.writable() || s.can.Mode == ModeOff {
		return
	}
	task, pending := s.person.life[a.ID]
	switch {
	case (s.gone() || s.away()) && !s.seesGo(a):
	case s.gone():
		s.off(a, forLeft, task, pending)
	case s.away():
		s.off(a, forLeave, task, pending)
	case !chosen && a.WantedAt != nil:
		s.off(a, forUnwanted, task, pending)
	default:
		s.on(a, chosen, task, pending)
	}
}

// off sees to it that an account cannot be used, and that one which has been unusable for long enough goes.
func (s *system) off(a account, why string, task open, pending bool) {
	switch {
	case pending && task.sent():
		if task.Operation != Disable && task.Operation != DeleteAccount {
			s.out.replan(task.ID)
		}
	case pending && task.Operation == Enable:
		s.out.cancel(task.ID, "it is not to be enabled any more")
	case pending && task.Operation == CreateAccount:
		if why != forLeave {
			s.out.cancel(task.ID, "nobody is to have it any more")
			s.out.forget(a.ID)
		}
	case pending:
		if s.hurried() && task.Lane != Urgent {
			s.out.hurry(task.ID)
		}
	case a.usable() && s.can.may(Disable):
		s.out.order(s, draft{Operation: Disable, AccountID: a.ID, CreatedFrom: FromLifecycle, Payload: payload{DisabledFor: why}, Urgent: s.hurried()})
	case why == forLeft && s.overdue(a) && s.can.may(DeleteAccount):
		s.out.order(s, draft{Operation: DeleteAccount, AccountID: a.ID, CreatedFrom: FromLifecycle})
		s.out.status(a.ID, "deprovisioning")
	}
}

// overdue says whether a leaver's account has been disabled for as long as they are kept. One that somebody else has disabled
// counts from the day its owner left.
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
	return !since.Add(*after).After(s.settings.now)
}

// on takes back what we did to an account of somebody who is here. What others have done to it is theirs.
func (s *system) on(a account, chosen bool, task open, pending bool) {
	byRule := a.DisabledFor != nil && *a.DisabledFor != forOrder && (*a.DisabledFor != forUnwanted || chosen)
	switch {
	case pending && task.DisabledFor != nil && *task.DisabledFor == forOrder:
	case pending && task.Operation == Disable || pending && task.Operation == DeleteAccount && a.DisabledFor != nil:
		if task.sent() {
			s.out.replan(task.ID)
			return
		}
		s.out.cancel(task.ID, "its owner is back")
		if task.Operation == DeleteAccount {
			s.out.status(a.ID, "disabled")
			if byRule && s.can.may(Enable) {
				s.out.order(s, draft{Operation: Enable, AccountID: a.ID, CreatedFrom: FromLifecycle})
			}
		}
	case pending:
	case byRule && a.Disabled && a.Status == "disabled" && s.can.may(Enable):
		s.out.order(s, draft{Operation: Enable, AccountID: a.ID, CreatedFrom: FromLifecycle})
	}
}

// hurried says whether what is taken away must go before everything else.
func (s *system) hurried() bool { return s.settings.urgent || s.Urgent && s.gone() }
