package entitlement

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/nesting"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// maxLevels and maxNested bound what a hierarchy shows: nesting in a target may have no bounds.
const (
	maxLevels = 64
	maxNested = 1000
)

// EntitlementHierarchy is what an entitlement lies in, and what lies in it, as far as the reader may see it.
type EntitlementHierarchy struct {
	// Every holder of this entitlement holds these too, the nearest first.
	Ancestors []EntitlementLevel `json:"ancestors" nullable:"false"`
	// Every holder of one of these entitlements holds this one too, the nearest first.
	Descendants []EntitlementLevel `json:"descendants" nullable:"false"`
	// Others of them that the reader may not see.
	Hidden int `json:"hidden"`
	// There are more than are shown: at most 1000 in each direction, at most 64 deep.
	Truncated bool `json:"truncated"`
	// The cycle of nested groups that it is part of, in order. Empty: none. Every holder of one of these holds all of
	// them.
	Cycle []identity.Reference `json:"cycle" nullable:"false"`
}

// EntitlementLevel is an entitlement, and how many steps of nesting away it is.
type EntitlementLevel struct {
	// ID of the entitlement.
	ID string `json:"id" db:"id"`
	// Display name of the entitlement.
	Display string `json:"display" db:"display"`
	// Number of nesting steps from the entitlement of the request. 1: directly nested.
	Depth int `json:"depth" db:"depth"`
}

func (s *Service) hierarchy(ctx context.Context, v viewer.Viewer, in *one) (*answer[EntitlementHierarchy], error) {
	h := EntitlementHierarchy{
		Ancestors:   []EntitlementLevel{},
		Descendants: []EntitlementLevel{},
		Cycle:       []identity.Reference{},
	}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		e, err := Lookup(ctx, tx, in.ID, "")
		if err != nil {
			return err
		}
		if h.Ancestors, err = h.levels(ctx, tx, in.ID, "member_id", "parent_id"); err != nil {
			return err
		}
		if h.Descendants, err = h.levels(ctx, tx, in.ID, "parent_id", "member_id"); err != nil || e.ConnectorID == nil {
			return err
		}
		return h.circle(ctx, tx, e)
	})
	return &answer[EntitlementHierarchy]{Body: h}, err
}

// levels goes from an entitlement along its nesting, level by level: what was met before is not gone through again, so
// that neither a cycle nor a lattice takes long.
func (h *EntitlementHierarchy) levels(ctx context.Context, tx *pg.Tx, id, from, to string) ([]EntitlementLevel, error) {
	step := fmt.Sprintf(
		`select distinct n.%s::text from entitlement_edge n where n.%s = any($1::text[]::uuid[]) order by 1`,
		to,
		from,
	)
	depth, met, order := map[string]int{}, map[string]bool{id: true}, []string{}
	for level, at := 1, []string{id}; len(at) > 0; level++ {
		if level > maxLevels || len(order) > maxNested {
			h.Truncated = true
			break
		}
		next, err := pg.All[string](ctx, tx, "read hierarchy", step, at)
		if err != nil {
			return nil, err
		}
		at = nil
		for _, each := range next {
			if !met[each] {
				met[each], depth[each] = true, level
				order, at = append(order, each), append(at, each)
			}
		}
	}
	if len(order) > maxNested {
		order, h.Truncated = order[:maxNested], true
	}
	names, err := namesOf(ctx, tx, order)
	if err != nil {
		return nil, err
	}
	levels := []EntitlementLevel{}
	for _, each := range order {
		if name, seen := names[each]; seen {
			levels = append(levels, EntitlementLevel{ID: each, Display: name, Depth: depth[each]})
		}
	}
	h.Hidden += len(order) - len(levels)
	return levels, nil
}

// namesOf names those of these entitlements that the viewer may read.
func namesOf(ctx context.Context, tx *pg.Tx, ids []string) (map[string]string, error) {
	sql := `select e.id::text, coalesce(nullif(e.display_name, ''), e.name) from ` + listing.Readable(
		tx.Viewer,
		"entitlement",
		"e",
	) + ` where e.id = any(@ids::text[]::uuid[])`
	names := map[string]string{}
	var id, name string
	if err := pg.Each(
		ctx,
		tx,
		"name entitlements",
		[]any{&id, &name},
		func() error { names[id] = name; return nil },
		sql,
		pgx.NamedArgs{"ids": ids},
	); err != nil {
		return nil, err
	}
	return names, nil
}

// circle finds the shortest way from an entitlement up to itself. Of one that passes what the viewer may not see, the
// rest is shown.
func (h *EntitlementHierarchy) circle(ctx context.Context, tx *pg.Tx, e Entitlement) error {
	up, err := nesting.ReadUpward(ctx, tx, *e.ConnectorID)
	if err != nil {
		return err
	}
	way := up.WayBack(nesting.ParseID(e.ID))
	names, err := namesOf(ctx, tx, way)
	if err != nil {
		return err
	}
	for _, id := range way {
		if name, seen := names[id]; seen {
			h.Cycle = append(h.Cycle, identity.Reference{ID: id, Display: name})
		}
	}
	return nil
}
