package check

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exemption"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Person returns the verdict about the access of one person with changes. If the changes add access, only violations
// count that the added access is part of.
func Person(
	ctx context.Context,
	tx *pg.Tx,
	identityID string,
	changes effective.Changes,
	now time.Time,
) (SeparationVerdict, error) {
	v := Clear()
	book, err := rulebook.For(ctx, tx)
	if err != nil || len(book.Rules.Policies()) == 0 {
		return v, err
	}
	p, err := effective.One(ctx, tx, identityID, changes, Past(book), now)
	if err != nil {
		return v, err
	}
	if err := exemption.Apply(ctx, tx, book, map[string]*effective.Person{identityID: p}, now); err != nil {
		return v, err
	}
	found := book.Rules.Check(&p.Access)
	if len(changes.Add) > 0 {
		found = Involving(found, p.Added())
	}
	all := make([]Found, len(found))
	var covers Covers
	var allowed AllAllowed
	if len(found) > 0 {
		if covers, err = ReadCovers(ctx, tx, []string{identityID}); err != nil {
			return v, err
		}
		if allowed, err = ReadAllowed(ctx, tx, []string{identityID}); err != nil {
			return v, err
		}
	}
	for i := range found {
		all[i] = Found{Person: p, Violation: found[i]}
		all[i].weigh(book, covers, allowed, nil)
	}
	if v.Violations, err = Describe(ctx, tx, book, all); err != nil {
		return v, err
	}
	v.Effect = worst(v.Violations)
	return v, nil
}

// Candidate is access that is about to be requested or approved for a person.
type Candidate struct {
	IdentityID string
	Add        []effective.Addition
	Proposed   []string // IDs of policies for whose violations a mitigation is proposed with the request
}

// InOrder returns the verdict about each candidate, together with those of the same person before it that are not
// blocked: of two that only together violate a policy, the second is. One that needs an exception counts for the next.
// decided leaves out request items that wait for approval. All people are read at once.
func InOrder(
	ctx context.Context,
	tx *pg.Tx,
	candidates []Candidate,
	decided bool,
	now time.Time,
) ([]SeparationVerdict, error) {
	verdicts := make([]SeparationVerdict, len(candidates))
	for i := range verdicts {
		verdicts[i] = Clear()
	}
	book, err := rulebook.For(ctx, tx)
	if err != nil || len(book.Rules.Policies()) == 0 || len(candidates) == 0 {
		return verdicts, err
	}
	changes := map[string]effective.Changes{}
	positions := make([][]int, len(candidates)) // of each candidate's additions among those of its person
	for i, c := range candidates {
		change := changes[c.IdentityID]
		for _, a := range c.Add {
			positions[i] = append(positions[i], len(change.Add))
			change.Add = append(change.Add, a)
		}
		changes[c.IdentityID] = change
	}
	people, err := effective.LoadChanged(ctx, tx, changes, decided, Past(book), now)
	if err != nil {
		return nil, err
	}
	if err := exemption.Apply(ctx, tx, book, people, now); err != nil {
		return nil, err
	}
	covers, err := ReadCovers(ctx, tx, slices.Collect(maps.Keys(changes)))
	if err != nil {
		return nil, err
	}
	allowed, err := ReadAllowed(ctx, tx, slices.Collect(maps.Keys(changes)))
	if err != nil {
		return nil, err
	}
	var found []Found
	var of []int // candidates, in the order of found
	taken := map[string][]int{}
	for i, c := range candidates {
		with := slices.Concat(taken[c.IdentityID], positions[i])
		p := people[c.IdentityID].WithAdded(with)
		blocked := false
		for _, v := range Involving(book.Rules.Check(&p.Access), p.Added()) {
			one := Found{Person: p, Violation: v}
			one.weigh(book, covers, allowed, c.Proposed)
			blocked = blocked || one.effect(book) == Block
			found, of = append(found, one), append(of, i)
		}
		if !blocked {
			taken[c.IdentityID] = with
		}
	}
	described, err := Describe(ctx, tx, book, found)
	if err != nil {
		return nil, err
	}
	for k, c := range described {
		v := &verdicts[of[k]]
		v.Violations = append(v.Violations, c)
		v.Effect = worst(v.Violations)
	}
	return verdicts, nil
}

// Watches reports whether the tenant has policies that are evaluated.
func Watches(ctx context.Context, tx *pg.Tx) (bool, error) {
	book, err := rulebook.For(ctx, tx)
	if err != nil {
		return false, err
	}
	return len(book.Rules.Policies()) > 0, nil
}

// Involving returns the violations of which any of the sources performs a side.
func Involving(found []conflict.Violation, sources []int) []conflict.Violation {
	return slices.DeleteFunc(found, func(v conflict.Violation) bool {
		return !slices.ContainsFunc(v.Sides, func(side conflict.Performed) bool {
			return slices.ContainsFunc(side.Sources, func(s int) bool { return slices.Contains(sources, s) })
		})
	})
}

// Past returns how long ago access may have ended to count for a policy in the book; 0 if no policy asks.
func Past(b *rulebook.Book) time.Duration {
	var longest time.Duration
	for _, p := range b.Rules.Policies() {
		if p.Kind == conflict.History {
			longest = max(longest, p.Window)
		}
	}
	return longest
}

// People evaluates people by the policies in a book, and returns what it finds in the order of the people.
func People(
	ctx context.Context,
	tx *pg.Tx,
	b *rulebook.Book,
	ids []string,
	now time.Time,
) ([]Found, error) {
	people, err := effective.Load(ctx, tx, ids, Past(b), now)
	if err != nil {
		return nil, err
	}
	if err := exemption.Apply(ctx, tx, b, people, now); err != nil {
		return nil, err
	}
	pass := b.Rules.NewPass()
	var found []Found
	for _, id := range ids {
		p := people[id]
		for _, v := range b.Rules.CheckSuspects(&p.Access, pass.Suspects(p.Access.Entitlements())) {
			found = append(found, Found{Person: p, Violation: v})
		}
	}
	return found, nil
}
