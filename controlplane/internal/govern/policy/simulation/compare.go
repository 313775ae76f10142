package simulation

import (
	"cmp"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// held is what a person may use. An entitlement of "" is an account of the system.
type held struct{ connector, entitlement string }

// affected is a person whose access a plan changes.
type affected struct {
	impact.PersonImpact
	systems []string // in which they gain something
}

// compare returns what a person may use after the changes and not before, and the other way round.
func compare(p *evaluation.Person, living []evaluation.Reason, changes []evaluation.Change) (a affected, moved bool) {
	a.PersonImpact = impact.PersonImpact{
		IdentityID: p.ID,
		Display:    p.Text("display_name"),
		Department: p.Text("department"),
		Gains:      []impact.GrantShift{},
		Losses:     []impact.GrantShift{},
	}
	if len(changes) == 0 {
		return a, false
	}
	after, times := future(living, changes)
	has, will := usable(living), usable(after)
	for h := range will {
		if !has[h] {
			a.Gains = append(a.Gains, h.shift(times[h]))
			a.systems = append(a.systems, h.connector)
		}
	}
	for h := range has {
		if !will[h] {
			a.Losses = append(a.Losses, h.shift(times[h]))
		}
	}
	for _, list := range [][]impact.GrantShift{a.Gains, a.Losses} {
		slices.SortFunc(list, func(x, y impact.GrantShift) int {
			return cmp.Or(
				cmp.Compare(x.ConnectorID, y.ConnectorID),
				cmp.Compare(orEmpty(x.EntitlementID), orEmpty(y.EntitlementID)),
			)
		})
	}
	return a, len(a.Gains)+len(a.Losses) > 0
}

// orEmpty is the text behind a pointer, empty for nil.
func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// shift is what the person gains or loses, and when; the zero time is not known.
func (h held) shift(at time.Time) impact.GrantShift {
	g := impact.GrantShift{ConnectorID: h.connector}
	if h.entitlement != "" {
		g.EntitlementID = &h.entitlement
	}
	if !at.IsZero() {
		g.At = &at
	}
	return g
}

// future is what lives after the changes, and when things begin or end that do not do so at once.
func future(
	living []evaluation.Reason,
	changes []evaluation.Change,
) (after []evaluation.Reason, times map[held]time.Time) {
	ended, times := map[string]bool{}, map[held]time.Time{}
	for _, c := range changes {
		h := held{c.Key.Connector, c.Key.Entitlement}
		switch {
		case c.Add && !c.Renew:
			after = append(after, evaluation.Reason{Policy: true, Key: c.Key, State: ledger.Active})
			times[h] = c.Starts
		case !c.Add:
			ended[c.Reason.ID] = true
			times[h] = c.At
		}
	}
	for _, r := range living {
		if !ended[r.ID] {
			after = append(after, r)
		}
	}
	return after, times
}

// usable is what reasons let a person hold, as the ledger reckons it: anything that one allows and none denies. What is
// only to begin counts, for a plan is about where things go.
func usable(living []evaluation.Reason) map[held]bool {
	allowed, denied := map[held]bool{}, map[held]bool{}
	for _, r := range living {
		if r.Account != "" && r.Key.Effect == ledger.Deny {
			continue // it is about one account, and says nothing about what the person holds by others
		}
		into := allowed
		if r.Key.Effect == ledger.Deny {
			into = denied
		}
		into[held{r.Key.Connector, r.Key.Entitlement}] = true
	}
	for h := range allowed {
		if denied[h] || denied[held{h.connector, ""}] {
			delete(allowed, h)
		}
	}
	return allowed
}
