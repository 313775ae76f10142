package simulation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Sizes of what is shown.
const (
	sampled  = 20  // people
	foremost = 100 // departments
)

// simulation collects what would happen.
type simulation struct {
	impact.PolicyImpact
	// departments are the figures by department.
	departments map[string]*impact.DepartmentImpact
	// sum is the hash over every change, which becomes the plan_hash.
	sum  hash.Hash
	each func(impact.PersonImpact) error // nil, or who wants all of them
}

// newSimulation begins a simulation. each receives everyone affected; nil: they are not wanted.
func newSimulation(each func(impact.PersonImpact) error) *simulation {
	s := &simulation{departments: map[string]*impact.DepartmentImpact{}, sum: sha256.New(), each: each}
	s.ByDepartment, s.Sample = []impact.DepartmentImpact{}, []impact.PersonImpact{}
	s.LimitsHit, s.Notes = []impact.LimitHit{}, []string{}
	return s
}

// simulate goes through everybody as the evaluation does, and writes nothing. each may be nil.
func simulate(
	ctx context.Context,
	tx *pg.Tx,
	b *evaluation.Rulebook,
	each func(impact.PersonImpact) error,
) (*simulation, error) {
	s := newSimulation(each)
	if err := evaluation.EachBatch(ctx, tx, func(ids []string) error { return s.part(ctx, tx, b, ids) }); err != nil {
		return nil, err
	}
	s.finish()
	return s, nil
}

// part simulates some people. All changes go into the plan's hash, also those that move no one's
// access, so that a confirmation is for exactly this plan.
func (s *simulation) part(ctx context.Context, tx *pg.Tx, b *evaluation.Rulebook, ids []string) error {
	living, err := evaluation.ReadReasons(ctx, tx, ids, true)
	if err != nil {
		return err
	}
	found, changes, reviews, err := s.changes(ctx, tx, b, ids, living)
	if err != nil {
		return err
	}
	var shown []affected
	for _, p := range found {
		a, moved := compare(p, living[p.ID], changes[p.ID])
		a.ToReview = reviews[p.ID]
		s.write(p.ID, changes[p.ID])
		s.writeReviews(p.ID, a.ToReview)
		if moved || len(a.ToReview) > 0 {
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
	b *evaluation.Rulebook,
	ids []string,
	living map[string][]evaluation.Reason,
) (
	people []*evaluation.Person,
	byPerson map[string][]evaluation.Change,
	reviews map[string][]impact.GrantShift,
	err error,
) {
	byPerson, reviews = map[string][]evaluation.Change{}, map[string][]impact.GrantShift{}
	var list []evaluation.Change
	err = b.EachPerson(ctx, tx, ids, func(p *evaluation.Person) error {
		if p.Gone() {
			return nil
		}
		s.PeopleTotal++
		out := b.Diff(p, concerned(b, living[p.ID]))
		if len(out.Matched) > 0 {
			s.Matched++
		}
		if kept := toReview(out.Reviews); len(kept) > 0 {
			reviews[p.ID] = kept
		}
		if len(out.Changes)+len(reviews[p.ID]) > 0 {
			people, list = append(people, p), append(list, out.Changes...)
		}
		return nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	t := evaluation.Result{Stats: map[string]accesspolicy.Stats{}}
	if list, err = b.WithoutTaken(ctx, tx, list, &t); err != nil {
		return nil, nil, nil, err
	}
	for _, c := range list {
		byPerson[c.Identity] = append(byPerson[c.Identity], c)
	}
	slices.SortFunc(people, func(a, b *evaluation.Person) int { return cmp.Compare(a.ID, b.ID) })
	return people, byPerson, reviews, nil
}

// concerned leaves the reasons of the rules of the book, and of the roles that a plan is about: it is about them alone.
func concerned(b *evaluation.Rulebook, living []evaluation.Reason) []evaluation.Reason {
	var of []evaluation.Reason
	for _, r := range living {
		if r.Policy && (b.ByID[r.Key.Policy] != nil || r.Source != evaluation.SourcePolicy && b.Around[r.Key.Role]) {
			of = append(of, r)
		}
	}
	return of
}

// write adds a person's changes to the hash: what is done and how, but not the moment.
func (s *simulation) write(id string, changes []evaluation.Change) {
	for _, c := range changes {
		what := "end"
		switch {
		case c.Renew:
			what = "renew"
			s.ReasonsAdded++
		case c.Add:
			what = "add"
			s.ReasonsAdded++
		default:
			s.ReasonsEnded++
		}
		k := c.Key
		fmt.Fprintf(
			s.sum,
			"%s %s %s %s %s %s %t\n",
			id,
			what,
			k.Connector,
			k.Entitlement,
			k.Role,
			k.Effect,
			c.At.IsZero(),
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
		for _, system := range accesspolicy.Distinct(a.systems) {
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

// show counts a person, keeps the first ones as a sample, and gives the person on.
func (s *simulation) show(p impact.PersonImpact) error {
	if len(p.ToReview) > 0 {
		s.PeopleToReview++
		s.GrantsToReview += len(p.ToReview)
	}
	if len(p.ToReview) > 0 && len(p.Gains)+len(p.Losses) == 0 {
		return s.give(p)
	}
	s.IdentitiesAffected++
	s.GrantsAdded += len(p.Gains)
	s.GrantsEnded += len(p.Losses)
	held, only := p.CountHeld()
	s.GrantsHeld += held
	if only {
		s.ReasonsOnly++
	}
	d := s.departments[p.Department]
	if d == nil {
		d = &impact.DepartmentImpact{Department: p.Department}
		s.departments[p.Department] = d
	}
	d.IdentitiesAffected++
	d.GrantsAdded += len(p.Gains)
	d.GrantsEnded += len(p.Losses)
	return s.give(p)
}

// give keeps the first people as a sample, and gives the person on.
func (s *simulation) give(p impact.PersonImpact) error {
	if len(s.Sample) < sampled {
		s.Sample = append(s.Sample, p)
	}
	if s.each != nil {
		return s.each(p)
	}
	return nil
}

// finish sorts departments by the number of people affected, keeps the foremost, and writes the
// hash.
func (s *simulation) finish() {
	for _, d := range s.departments {
		s.ByDepartment = append(s.ByDepartment, *d)
	}
	slices.SortFunc(s.ByDepartment, func(a, b impact.DepartmentImpact) int {
		return cmp.Or(cmp.Compare(b.IdentitiesAffected, a.IdentitiesAffected), cmp.Compare(a.Department, b.Department))
	})
	s.ByDepartment = s.ByDepartment[:min(len(s.ByDepartment), foremost)]
	s.PlanHash = hex.EncodeToString(s.sum.Sum(nil))
}

// held marks what people gain and hold in the system already.
func (s *simulation) held(ctx context.Context, tx *pg.Tx, shown []affected) error {
	var gains []impact.Gain
	var of []*impact.GrantShift
	for i := range shown {
		for j := range shown[i].Gains {
			g := &shown[i].Gains[j]
			gains, of = append(
				gains,
				impact.Gain{
					IdentityID:    shown[i].IdentityID,
					ConnectorID:   g.ConnectorID,
					EntitlementID: orEmpty(g.EntitlementID),
				},
			), append(
				of,
				g,
			)
		}
	}
	held, err := impact.HeldAlready(ctx, tx, gains)
	if err != nil {
		return err
	}
	for i, is := range held {
		of[i].Held = is
	}
	return nil
}
