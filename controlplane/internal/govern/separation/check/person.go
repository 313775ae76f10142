package check

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
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
	found := book.Rules.Check(&p.Access)
	if len(changes.Add) > 0 {
		found = involving(found, p.Added())
	}
	all := make([]Found, len(found))
	for i := range found {
		all[i] = Found{Person: p, Violation: found[i]}
	}
	if v.Violations, err = Describe(ctx, tx, book, all); err != nil {
		return v, err
	}
	v.Effect = worst(v.Violations)
	return v, nil
}

// Watches reports whether the tenant has policies that are evaluated.
func Watches(ctx context.Context, tx *pg.Tx) (bool, error) {
	book, err := rulebook.For(ctx, tx)
	if err != nil {
		return false, err
	}
	return len(book.Rules.Policies()) > 0, nil
}

// involving returns the violations of which any of the sources performs a side.
func involving(found []conflict.Violation, sources []int) []conflict.Violation {
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
