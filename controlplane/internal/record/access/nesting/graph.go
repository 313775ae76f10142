package nesting

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// upward knows, for every entitlement, those that it is nested in.
type upward map[[16]byte][][16]byte

// pairs are entitlements, each with one that its holders hold too.
type pairs struct{ below, above [][16]byte }

// ReadUpward reads the nesting of one connector.
func ReadUpward(ctx context.Context, tx *pg.Tx, connectorID string) (upward, error) {
	up := upward{}
	var member, parent [16]byte
	if err := pg.Each(
		ctx,
		tx,
		"read nesting",
		[]any{&member, &parent},
		func() error { up[member] = append(up[member], parent); return nil },
		`select n.member_id, n.parent_id from entitlement_edge n where n.connector_id = $1`,
		connectorID,
	); err != nil {
		return nil, err
	}
	return up, nil
}

// closure calls fn with what each of these entitlements brings, a few at a time: a chain of ten thousand groups, of
// which are all held, gives fifty million pairs, which need not all be in memory. What is in a cycle
// brings itself, which is no news.
func (up upward) closure(of [][16]byte, fn func(pairs) error) error {
	const enough = 200_000
	var p pairs
	for _, begin := range of {
		seen := map[[16]byte]bool{begin: true}
		for todo := [][16]byte{begin}; len(todo) > 0; {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, parent := range up[at] {
				if !seen[parent] {
					seen[parent] = true
					todo = append(todo, parent)
					p.below, p.above = append(p.below, begin), append(p.above, parent)
				}
			}
		}
		if len(p.below) >= enough {
			if err := fn(p); err != nil {
				return err
			}
			p.below, p.above = p.below[:0], p.above[:0]
		}
	}
	if len(p.below) == 0 {
		return nil
	}
	return fn(p)
}

// ParseID reads an ID of the database. It panics if the text is none.
func ParseID(id string) [16]byte { return uuid.MustParse(id) }

// WayBack is the shortest way from an entitlement along its nesting back to itself, beginning with it; nothing: there
// is none.
func (up upward) WayBack(from [16]byte) []string {
	before := map[[16]byte][16]byte{}
	for todo := [][16]byte{from}; len(todo) > 0; {
		at := todo[0]
		todo = todo[1:]
		for _, parent := range up[at] {
			if parent == from {
				way := []string{}
				for ; at != from; at = before[at] {
					way = append(way, uuid.UUID(at).String())
				}
				way = append(way, uuid.UUID(from).String())
				slices.Reverse(way)
				return way
			}
			if _, met := before[parent]; !met {
				before[parent] = at
				todo = append(todo, parent)
			}
		}
	}
	return nil
}
