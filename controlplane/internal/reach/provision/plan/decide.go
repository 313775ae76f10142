package plan

import (
	"cmp"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// Decide compares what a person should hold with what is there. It knows no database: the same person gives the same
// plan.
func (p Person) Decide(out *Plan) {
	byConnector := map[string][]Account{}
	for _, a := range p.Accounts {
		byConnector[a.ConnectorID] = append(byConnector[a.ConnectorID], a)
	}
	wanted := map[string][]ledger.Want{}
	if !p.gone() {
		for _, w := range p.Wants {
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
		can, known := p.Settings.Connectors[id]
		if !known {
			continue
		}
		s := system{Person: p, can: can, id: id, accounts: byConnector[id], out: out}
		s.decide(wanted[id])
	}
	p.decideUnseen(out)
}

// decideUnseen has a leaver's accounts disabled that syncs do not show any more: their connectors look for them also
// outside of what syncs read. For people who work here such an account stays as it is.
func (p Person) decideUnseen(out *Plan) {
	for _, a := range p.Unseen {
		if can, known := p.Settings.Connectors[a.ConnectorID]; known {
			s := system{Person: p, can: can, id: a.ConnectorID, out: out}
			s.life(a, false)
		}
	}
}

// system is a person in one target system.
type system struct {
	Person
	// can is what may be changed in the system.
	can      ability.Ability
	id       string
	accounts []Account
	out      *Plan
}

// decide plans one system of a person, in this order: which account each reason is for, what each
// account's life needs (created, enabled, disabled, deleted), which entitlements are missing, and
// which are not wanted any more. Several reasons for one entitlement of one account are joined: it
// ends when the last of them ends. The order of pairs is fixed, so that equal facts give equal
// plans.
func (s *system) decide(wants []ledger.Want) {
	chosen := map[string]bool{}       // accounts that something is wanted of
	wanted := map[Pair]*ledger.Want{} // entitlements that are wanted of accounts
	for i := range wants {
		w := &wants[i]
		a, found := s.accountFor(w)
		if !found {
			continue
		}
		chosen[a.ID] = true
		if w.EntitlementID != nil {
			// What is given to a person is their main account's; it may be given to that account by itself as well.
			key := Pair{a.ID, *w.EntitlementID}
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
	mainOne, _ := mainAccount(s.accounts)
	for _, a := range s.accounts {
		for key, g := range s.Grants {
			if key.Account == a.ID && wanted[key] == nil && s.ours(g, a.ID == mainOne.ID) {
				s.unwant(a, g)
			}
		}
	}
}

// sortedPairs are the keys in the order of accounts and entitlements.
func sortedPairs(m map[Pair]*ledger.Want) []Pair {
	keys := make([]Pair, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Entitlement, b.Entitlement))
	})
	return keys
}

// ours says whether a reason ever asked for the grant. One that none did is native, and is asked about, not taken away;
// so is one that came back by itself.
func (s *system) ours(g Grant, main bool) bool {
	if g.Reappeared {
		return false
	}
	if g.WantedAt != nil {
		return true
	}
	before, known := s.History[g.EntitlementID]
	return known && (before.Accounts[g.AccountID] || main && before.Accounts[""])
}

// accountFor finds, or makes, the account that a reason is about.
func (s *system) accountFor(w *ledger.Want) (Account, bool) {
	if w.AccountID != nil {
		i := slices.IndexFunc(s.accounts, func(a Account) bool { return a.ID == *w.AccountID && a.Status != "deleted" })
		if i < 0 {
			return Account{}, false
		}
		return s.accounts[i], true
	}
	if a, found := mainAccount(s.accounts); found {
		return a, true
	}
	if !s.can.May(task.CreateAccount) || s.away() {
		return Account{}, false
	}
	a, made := s.out.create(s, w)
	if made {
		s.accounts = append(s.accounts, a)
	}
	return a, made
}
