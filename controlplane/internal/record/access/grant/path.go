package grant

import (
	"context"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// NestingPath is one way by which an account holds an entitlement: it holds the first of EntitlementIDs directly, and
// each one brings the next. The last is the entitlement itself.
type NestingPath struct {
	// IDs of the entitlements on the path. The first is held directly; the last is the entitlement of the grant.
	EntitlementIDs []string `json:"entitlement_ids" nullable:"false"`
	// The same with their names.
	Steps []NestingStep `json:"steps" nullable:"false"`
	// Kind of the path. nested: each entitlement is nested in the next.
	Kind string `json:"kind" enum:"nested"`
}

// NestingStep is an entitlement on a way.
type NestingStep struct {
	// ID of the entitlement.
	ID string `json:"id"`
	// Display name of the entitlement.
	Display string `json:"display"`
	// ID of the connector of the entitlement. Empty: it belongs to no system.
	ConnectorID string `json:"connector_id"`
	// Display name of the connector of the entitlement. Empty: it belongs to no system.
	ConnectorName string `json:"connector_name"`
}

// where says in which system a step is.
func (s NestingStep) where() string {
	if s.ConnectorName == "" {
		return ""
	}
	return " in " + s.ConnectorName
}

// inWords is a way as people read it.
func (p NestingPath) inWords() string {
	names := make([]string, len(p.Steps))
	for i, s := range p.Steps {
		names[i] = s.Display
	}
	return strings.Join(names, " → ")
}

// namePaths gives the paths of grants their names, in one statement for all.
func namePaths(ctx context.Context, tx *pg.Tx, grants []Grant) error {
	var ids []string
	for _, g := range grants {
		for _, p := range *g.Paths {
			ids = append(ids, p.EntitlementIDs...)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	sql := `
		select e.id::text, coalesce(nullif(e.display_name, ''), e.name), coalesce(e.connector_id::text, ''), ` +
		listing.ConnectorName("e.connector_id") + `
		  from entitlement e
		 where e.id = any($1::text[]::uuid[])`
	named := map[string]NestingStep{}
	var s NestingStep
	if err := pg.Each(
		ctx,
		tx,
		"name paths",
		[]any{&s.ID, &s.Display, &s.ConnectorID, &s.ConnectorName},
		func() error { named[s.ID] = s; return nil },
		sql,
		ids,
	); err != nil {
		return err
	}
	for i := range grants {
		for j := range *grants[i].Paths {
			p := &(*grants[i].Paths)[j]
			p.Steps = make([]NestingStep, len(p.EntitlementIDs))
			for k, id := range p.EntitlementIDs {
				p.Steps[k] = named[id]
			}
		}
	}
	return nil
}

// Limits of the search for paths: nesting in a target may be a lattice with more ways than anybody wants to read.
const (
	maxPaths = 20
	maxDepth = 64
	maxSteps = 20_000
)

// graph knows, for every entitlement, those that are nested in it.
type graph map[string][]string

// paths finds the ways from what an account holds directly to an entitlement, the shorter ones first. A way never
// passes an entitlement twice. The search goes deep first: in a lattice every step then leads to a way, while the
// number of beginnings would double at each layer.
func (n graph) paths(direct map[string]bool, entitlement string) []NestingPath {
	s := search{nesting: n, direct: direct, useful: n.leadsTo(direct, entitlement), found: []NestingPath{}}
	s.down([]string{entitlement})
	slices.SortStableFunc(s.found, func(a, b NestingPath) int { return len(a.EntitlementIDs) - len(b.EntitlementIDs) })
	return s.found
}

// search is the search for the ways from a direct grant through nested groups. steps bounds the
// work, since groups may be nested in very many ways.
type search struct {
	nesting graph
	direct  map[string]bool
	useful  map[string]bool
	found   []NestingPath
	steps   int
}

// down goes on from the way's last entitlement to all that are nested in it.
func (s *search) down(way []string) {
	if len(way) > maxDepth {
		return
	}
	for _, member := range s.nesting[way[len(way)-1]] {
		if s.steps++; len(s.found) == maxPaths || s.steps > maxSteps {
			return
		}
		if !s.useful[member] || slices.Contains(way, member) {
			continue
		}
		longer := append(way[:len(way):len(way)], member)
		if s.direct[member] {
			upward := slices.Clone(longer)
			slices.Reverse(upward)
			s.found = append(s.found, NestingPath{EntitlementIDs: upward, Kind: "nested"})
		}
		s.down(longer)
	}
}

// leadsTo gives the entitlements beneath one that are held directly or have such beneath themselves: the search need
// look nowhere else.
func (n graph) leadsTo(direct map[string]bool, entitlement string) map[string]bool {
	above := map[string][]string{}
	seen := map[string]bool{entitlement: true}
	todo, useful, rising := []string{entitlement}, map[string]bool{}, []string{}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, member := range n[at] {
			above[member] = append(above[member], at)
			if !seen[member] {
				seen[member] = true
				todo = append(todo, member)
			}
		}
	}
	for member := range above {
		if direct[member] {
			useful[member] = true
			rising = append(rising, member)
		}
	}
	for len(rising) > 0 {
		at := rising[0]
		rising = rising[1:]
		for _, parent := range above[at] {
			if !useful[parent] {
				useful[parent] = true
				rising = append(rising, parent)
			}
		}
	}
	return useful
}
