package drift

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/username"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Order is a change of an account that is to be made.
type Order struct {
	Operation   string // update_account, rename_account
	AccountID   string
	Account     v1.ProvisionAccount
	CreatedFrom string // lifecycle, drift, manual
	Note        string
}

// pass is one comparison of some accounts with their templates, which writes all results together.
type pass struct {
	s  *Service
	tx *pg.Tx
	// configs are the templates and rules, by connector; facts are the owners' facts, by identity.
	configs map[string]shape.Config
	facts   map[string]identity.Facts
	shown   map[string]map[string]bool // by connector: what its accounts show, in lower case
	room    map[string]int             // by connector: how much its rule may still write
	names   map[string]*username.Names

	// resolve is what a person has decided, by attribute, and resolver who that is.
	resolve  map[string]string
	resolver AcceptedDrift

	// after are the new states, to be stored; orders are the changes to be placed.
	after  []kept
	orders []placing
	again  []string // accounts that have to be looked at later
}

// kept is the row of an account's comparison.
type kept struct {
	AccountID   string          `json:"account_id"`
	ConnectorID string          `json:"connector_id"`
	State       state           `json:"-"`
	Desired     json.RawMessage `json:"desired"`
	Drift       json.RawMessage `json:"drift"`
	Accepted    json.RawMessage `json:"accepted"`
	Pushed      json.RawMessage `json:"pushed"`
	Problems    json.RawMessage `json:"problems"`
}

// placing is an order with what it is made of.
type placing struct {
	Order
	kept   int // of pass.after
	before state
	// pushes are the attributes that the order writes; before is the state to return to if it
	// cannot be placed.
	pushes []push
	auto   bool // of a rule: that it cannot be placed is no fault of anybody's
}

// pass compares accounts. why is what has changed, by account. It gives the tasks that it has placed.
func (s *Service) pass(
	ctx context.Context,
	tx *pg.Tx,
	why map[string][]string,
	resolve map[string]string,
	resolver AcceptedDrift,
) ([]string, error) {
	ids := make([]string, 0, len(why))
	for id := range why {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	all, err := accounts(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	if err := forget(ctx, tx, slices.Clone(ids), all); err != nil {
		return nil, err
	}
	l := &pass{
		s:        s,
		tx:       tx,
		names:    map[string]*username.Names{},
		room:     map[string]int{},
		resolve:  resolve,
		resolver: resolver,
	}
	if err := l.gather(ctx, all); err != nil {
		return nil, err
	}
	for _, a := range all {
		a.why = why[a.ID]
		if err := l.one(ctx, a); err != nil {
			return nil, err
		}
	}
	tasks, err := l.place(ctx)
	if err != nil {
		return nil, err
	}
	return tasks, l.store(ctx)
}

// one compares an account with its template. An account whose template was stored by another
// version of the product, or whose owner is unknown, is left as it is.
func (l *pass) one(ctx context.Context, a *account) error {
	c, known := l.configs[a.ConnectorID]
	facts := l.facts[a.IdentityID]
	if !known || facts == nil {
		return nil
	}
	owned, err := c.Owned(facts, a.Username)
	if err != nil { // a template that was stored by another version: nothing can be said
		l.s.Log.WarnContext(ctx, "cannot compare an account with its template", "account", a.ID, "err", err)
		return nil
	}
	q := question{
		before:   a.baseline(owned),
		owned:    owned,
		rule:     c.Drift,
		resolve:  l.resolve,
		resolver: l.resolver,
		now:      l.s.Now().UTC(),
		moved: !slices.Contains(a.why, whyAdopted) &&
			(slices.Contains(a.why, whyPerson) || slices.Contains(a.why, whyMade)),
		observe: func(target string) (any, bool) { return a.observe(target, c, l.shown[a.ConnectorID]) },
	}
	after, pushes := compare(q)
	l.after = append(l.after, kept{AccountID: a.ID, ConnectorID: a.ConnectorID, State: after})
	l.write(c, a, q.before, pushes)
	if l.names[a.ConnectorID] != nil && q.moved {
		return l.move(ctx, c, a, facts)
	}
	return nil
}
