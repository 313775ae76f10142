package policy

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// PolicyImpact is what would come of a change: who gains and loses what.
type PolicyImpact struct {
	// People who have not left.
	PeopleTotal int `json:"people_total"`
	// The number of people whom the policy applies to.
	Matched int `json:"matched"`
	// People who gain or lose something.
	IdentitiesAffected int `json:"identities_affected"`
	// The entitlements and accounts that a person gains without holding them for another reason.
	GrantsAdded int `json:"grants_added"`
	// Of grants_added: those that the person holds in the system already, so that they only get a reason. The rest is
	// new in the system.
	GrantsHeld int `json:"grants_held"`
	// Of identities_affected: people who only get reasons for what they hold in the systems already, and lose nothing.
	ReasonsOnly int `json:"identities_reason_only"`
	// The entitlements and accounts that a person loses, immediately or after a grace period.
	GrantsEnded int `json:"grants_ended"`
	// Accounts that people need for it and do not have.
	AccountsCreated int `json:"accounts_created"`
	// The reasons that are added, also for access that the person already has.
	ReasonsAdded int `json:"reasons_added"`
	ReasonsEnded int `json:"reasons_ended"`
	// The 100 with the most people affected.
	ByDepartment []DepartmentImpact `json:"by_department" nullable:"false"`
	// The first 20 people affected. All of them come with download.
	Sample []PersonImpact `json:"sample" nullable:"false"`
	// Why it needs confirm.
	LimitsHit []LimitHit `json:"limits_hit" nullable:"false"`
	Notes     []string   `json:"notes" nullable:"false"`
	// The token of these exact changes. Send it as confirm.
	PlanHash string `json:"plan_hash"`
}

// DepartmentImpact is a department's share.
type DepartmentImpact struct {
	// Empty: people without one.
	Department         string `json:"department"`
	IdentitiesAffected int    `json:"identities_affected"`
	GrantsAdded        int    `json:"grants_added"`
	GrantsEnded        int    `json:"grants_ended"`
}

// PersonImpact is what somebody gains and loses.
type PersonImpact struct {
	IdentityID string       `json:"identity_id"`
	Display    string       `json:"display"`
	Department string       `json:"department"`
	Gains      []GrantShift `json:"gains" nullable:"false"`
	Losses     []GrantShift `json:"losses" nullable:"false"`
}

// GrantShift is an entitlement, or an account where there is none, that is gained or lost.
type GrantShift struct {
	ConnectorID string `json:"connector_id"`
	// null: an account of the system.
	EntitlementID *string `json:"entitlement_id"`
	// When, if not at once.
	At *time.Time `json:"at"`
	// Of a gain: the person holds it in the system already, and only gets a reason for it.
	Held bool `json:"held"`
}

// LimitHit is a limit that a plan is beyond.
type LimitHit struct {
	Code   string `json:"code" enum:"circuit_breaker,share_of_people"`
	Limit  int    `json:"limit"`
	Count  int    `json:"count"`
	Detail string `json:"detail"`
}

// Sizes of what is told.
const (
	sampled   = 20
	foremost  = 100
	mostShare = 10 // percent of the people that may gain or lose without confirm
)

// simulation collects what would happen.
type simulation struct {
	PolicyImpact
	departments map[string]*DepartmentImpact
	sum         hash.Hash
	each        func(PersonImpact) error // nil, or who wants all of them
}

// held is what somebody may use. An entitlement of "" is an account of the system.
type held struct{ connector, entitlement string }

func newSimulation(each func(PersonImpact) error) *simulation {
	s := &simulation{departments: map[string]*DepartmentImpact{}, sum: sha256.New(), each: each}
	s.ByDepartment, s.Sample, s.LimitsHit, s.Notes = []DepartmentImpact{}, []PersonImpact{}, []LimitHit{}, []string{}
	return s
}

// simulate goes through everybody as the evaluation does, and writes nothing. each may be nil.
func (b *book) simulate(ctx context.Context, tx *pg.Tx, each func(PersonImpact) error) (*simulation, error) {
	s := newSimulation(each)
	var after *string
	for {
		ids, err := peopleAfter(ctx, tx, after, batch)
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			break
		}
		if err := s.part(ctx, tx, b, ids); err != nil {
			return nil, err
		}
		after = &ids[len(ids)-1]
	}
	s.finish()
	return s, nil
}

// affected is somebody whose access a plan changes.
type affected struct {
	PersonImpact
	systems []string // in which they gain something
}

func (s *simulation) part(ctx context.Context, tx *pg.Tx, b *book, ids []string) error {
	living, err := reasons(ctx, tx, ids, true)
	if err != nil {
		return err
	}
	found, changes, err := s.changes(ctx, tx, b, ids, living)
	if err != nil {
		return err
	}
	var shown []affected
	for _, p := range found {
		a, moved := b.compare(p, living[p.id], changes[p.id])
		s.write(p.id, changes[p.id])
		if moved {
			shown = append(shown, a)
		}
	}
	if err := s.accounts(ctx, tx, shown); err != nil {
		return err
	}
	if err := s.held(ctx, tx, shown); err != nil {
		return err
	}
	for _, a := range shown {
		if err := s.show(a.PersonImpact); err != nil {
			return err
		}
	}
	return nil
}

// changes are what the rules would do to these people, in the order of their ids.
func (s *simulation) changes(
	ctx context.Context,
	tx *pg.Tx,
	b *book,
	ids []string,
	living map[string][]reason,
) ([]*person, map[string][]change, error) {
	var people []*person
	var list []change
	err := b.eachPerson(ctx, tx, ids, func(p *person) error {
		if p.gone() {
			return nil
		}
		s.PeopleTotal++
		out := b.look(p, b.concerned(living[p.id]))
		if len(out.matched) > 0 {
			s.Matched++
		}
		if len(out.changes) > 0 {
			people, list = append(people, p), append(list, out.changes...)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	t := tally{stats: map[string]Stats{}}
	if list, err = b.withoutTaken(ctx, tx, list, &t); err != nil {
		return nil, nil, err
	}
	byPerson := map[string][]change{}
	for _, c := range list {
		byPerson[c.identity] = append(byPerson[c.identity], c)
	}
	slices.SortFunc(people, func(a, b *person) int { return cmp.Compare(a.id, b.id) })
	return people, byPerson, nil
}

// concerned leaves the reasons of the rules of the book, and of the roles that a plan is about: it is about them alone.
func (b *book) concerned(living []reason) []reason {
	var of []reason
	for _, r := range living {
		if r.policy && (b.byID[r.key.policy] != nil || r.of != sourcePolicy && b.around[r.key.role]) {
			of = append(of, r)
		}
	}
	return of
}

// compare says what somebody may use after the changes and not before, and the other way round.
func (b *book) compare(p *person, living []reason, changes []change) (a affected, moved bool) {
	a.PersonImpact = PersonImpact{
		IdentityID: p.id,
		Display:    p.text("display_name"),
		Department: p.text("department"),
		Gains:      []GrantShift{},
		Losses:     []GrantShift{},
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
	for _, list := range [][]GrantShift{a.Gains, a.Losses} {
		slices.SortFunc(list, func(x, y GrantShift) int {
			return cmp.Or(
				cmp.Compare(x.ConnectorID, y.ConnectorID),
				cmp.Compare(orEmpty(x.EntitlementID), orEmpty(y.EntitlementID)),
			)
		})
	}
	return a, len(a.Gains)+len(a.Losses) > 0
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (h held) shift(at time.Time) GrantShift {
	g := GrantShift{ConnectorID: h.connector}
	if h.entitlement != "" {
		g.EntitlementID = &h.entitlement
	}
	if !at.IsZero() {
		g.At = &at
	}
	return g
}

// future is what lives after the changes, and when things begin or end that do not do so at once.
func future(living []reason, changes []change) (after []reason, times map[held]time.Time) {
	ended, times := map[string]bool{}, map[held]time.Time{}
	for _, c := range changes {
		h := held{c.key.connector, c.key.entitlement}
		switch {
		case c.add && !c.renew:
			after = append(after, reason{policy: true, key: c.key, state: ledger.Active})
			times[h] = c.starts
		case !c.add:
			ended[c.reason.id] = true
			times[h] = c.at
		}
	}
	for _, r := range living {
		if !ended[r.id] {
			after = append(after, r)
		}
	}
	return after, times
}

// usable is what reasons let somebody hold, as the ledger reckons it: anything that one allows and none denies. What is
// only to begin counts, for a plan is about where things go.
func usable(living []reason) map[held]bool {
	allowed, denied := map[held]bool{}, map[held]bool{}
	for _, r := range living {
		if r.account != "" && r.key.effect == ledger.Deny {
			continue // it is about one account, and says nothing about what the person holds by others
		}
		into := allowed
		if r.key.effect == ledger.Deny {
			into = denied
		}
		into[held{r.key.connector, r.key.entitlement}] = true
	}
	for h := range allowed {
		if denied[h] || denied[held{h.connector, ""}] {
			delete(allowed, h)
		}
	}
	return allowed
}

// write adds somebody's changes to the hash: what is done and how, but not the moment.
func (s *simulation) write(id string, changes []change) {
	for _, c := range changes {
		what := "end"
		switch {
		case c.renew:
			what = "renew"
			s.ReasonsAdded++
		case c.add:
			what = "add"
			s.ReasonsAdded++
		default:
			s.ReasonsEnded++
		}
		k := c.key
		fmt.Fprintf(
			s.sum,
			"%s %s %s %s %s %s %t\n",
			id,
			what,
			k.connector,
			k.entitlement,
			k.role,
			k.effect,
			c.at.IsZero(),
		)
	}
}

// accounts counts the accounts that people gain something in and do not have.
func (s *simulation) accounts(ctx context.Context, tx *pg.Tx, shown []affected) error {
	const sql = `
		select count(*)
		  from (select distinct w.identity_id, w.connector_id
		          from unnest(@people::text[]::uuid[], @systems::text[]::uuid[]) w (identity_id, connector_id)) w
		 where not exists (select from account a
		                    where a.identity_id = w.identity_id
		                      and a.connector_id = w.connector_id
		                      and a.status not in ('deleted', 'disconnected'))`
	people, systems := []string{}, []string{}
	for _, a := range shown {
		for _, system := range once(a.systems) {
			people, systems = append(people, a.IdentityID), append(systems, system)
		}
	}
	if len(people) == 0 {
		return nil
	}
	var n int
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"people": people, "systems": systems}).Scan(&n); err != nil {
		return fmt.Errorf("count accounts to be made: %w", err)
	}
	s.AccountsCreated += n
	return nil
}

func (s *simulation) show(p PersonImpact) error {
	s.IdentitiesAffected++
	s.GrantsAdded += len(p.Gains)
	s.GrantsEnded += len(p.Losses)
	held, only := p.heldOf()
	s.GrantsHeld += held
	if only {
		s.ReasonsOnly++
	}
	d := s.departments[p.Department]
	if d == nil {
		d = &DepartmentImpact{Department: p.Department}
		s.departments[p.Department] = d
	}
	d.IdentitiesAffected++
	d.GrantsAdded += len(p.Gains)
	d.GrantsEnded += len(p.Losses)
	if len(s.Sample) < sampled {
		s.Sample = append(s.Sample, p)
	}
	if s.each != nil {
		return s.each(p)
	}
	return nil
}

func (s *simulation) finish() {
	for _, d := range s.departments {
		s.ByDepartment = append(s.ByDepartment, *d)
	}
	slices.SortFunc(s.ByDepartment, func(a, b DepartmentImpact) int {
		return cmp.Or(cmp.Compare(b.IdentitiesAffected, a.IdentitiesAffected), cmp.Compare(a.Department, b.Department))
	})
	s.ByDepartment = s.ByDepartment[:min(len(s.ByDepartment), foremost)]
	s.PlanHash = hex.EncodeToString(s.sum.Sum(nil))
}

// limits notes what a plan of one policy is beyond.
func (s *simulation) limits(f Fields) {
	if b := f.CircuitBreaker; b != nil && s.ReasonsAdded+s.ReasonsEnded > b.MaxChanges {
		s.LimitsHit = append(s.LimitsHit, LimitHit{
			"circuit_breaker",
			b.MaxChanges,
			s.ReasonsAdded + s.ReasonsEnded,
			fmt.Sprintf(
				"%d changes, where its breaker lets %d pass within %s",
				s.ReasonsAdded+s.ReasonsEnded,
				b.MaxChanges,
				b.Window,
			),
		})
	}
	if most := s.PeopleTotal * mostShare / 100; s.IdentitiesAffected*100 > s.PeopleTotal*mostShare {
		s.LimitsHit = append(s.LimitsHit, LimitHit{
			"share_of_people",
			most,
			s.IdentitiesAffected,
			fmt.Sprintf(
				"%d of %d people gain or lose something, more than %d %%",
				s.IdentitiesAffected,
				s.PeopleTotal,
				mostShare,
			),
		})
	}
}
