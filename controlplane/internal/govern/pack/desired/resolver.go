package desired

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// shownSelector is a selector as the API shows it.
func shownSelector(s format.Selector) *installation.PackSelector {
	return &installation.PackSelector{
		Connector:  installation.PackConnectors(s.Connector),
		Kind:       s.Kind,
		Name:       s.Name,
		NameLike:   s.NameLike,
		ExternalID: s.ExternalID,
	}
}

// SelectorFrom is a pending selector in the form of the file format.
func SelectorFrom(p installation.PackSelector) format.Selector {
	return format.Selector{
		Connector:  format.Connectors(p.Connector),
		Kind:       p.Kind,
		Name:       p.Name,
		NameLike:   p.NameLike,
		ExternalID: p.ExternalID,
	}
}

// Resolver finds the entitlements and connectors that selectors mean.
type Resolver struct {
	systems []Connector
	found   map[format.Selector]match
}

// match is what a selector has found: IDs of entitlements, and whether there were more than are
// taken.
type match struct {
	ids  []string
	many bool
}

// mostMatches is how many entitlements a selector can mean.
const mostMatches = 200

// NewResolver looks up all these selectors in one query. Entitlements answers for them alone.
func NewResolver(ctx context.Context, tx *pg.Tx, selectors []format.Selector) (*Resolver, error) {
	all, err := connectors(ctx, tx)
	if err != nil {
		return nil, err
	}
	b := &Resolver{systems: all, found: map[format.Selector]match{}}
	type wish struct {
		N          int      `json:"n"`
		Connectors []string `json:"connectors"`
		Kind       string   `json:"kind"`
		Name       string   `json:"name"`
		Pattern    string   `json:"pattern"`
		ExternalID string   `json:"external_id"`
	}
	var wishes []wish
	for n, s := range selectors {
		if ids := b.connectors(s.Connector); len(ids) > 0 {
			wishes = append(wishes, wish{n, ids, s.Kind, s.Name, pattern(s.NameLike), s.ExternalID})
		}
	}
	if len(wishes) == 0 {
		return b, nil
	}
	raw, err := json.Marshal(wishes)
	if err != nil {
		return nil, fmt.Errorf("write selectors: %w", err)
	}
	const sql = `
		select w.n, array_agg(x.id order by x.id)
		  from jsonb_to_recordset($1) w (n int, connectors uuid[], kind text, name text, pattern text, external_id text)
		 cross join lateral (
		    select e.id::text
		      from entitlement e
		     where e.tenant_id = current_tenant()
		       and e.connector_id = any (w.connectors)
		       and e.lifecycle = 'active'
		       and e.removed_at is null
		       and e.missing_since is null
		       and e.grantable
		       and (w.kind = '' or e.kind = w.kind)
		       and (w.external_id = '' or e.external_id = w.external_id)
		       and (w.name = '' or lower(w.name) in (lower(e.name), lower(e.display_name)))
		       and (w.pattern = '' or e.name ilike w.pattern or e.display_name ilike w.pattern)
		     limit $2) x
		 group by w.n`
	var n int
	var ids []string
	if err := pg.Each(ctx, tx, "look for what selectors mean", []any{&n, &ids}, func() error {
		b.found[selectors[n]] = match{ids: slices.Clone(ids), many: len(ids) > mostMatches}
		return nil
	}, sql, raw, mostMatches+1); err != nil {
		return nil, err
	}
	return b, nil
}

// pattern is a name with * for LIKE.
func pattern(like string) string {
	return strings.ReplaceAll(strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(like), "*", "%")
}

// connectors are the IDs of the connectors that a selector means.
func (b *Resolver) connectors(by format.Connectors) (ids []string) {
	for _, s := range b.systems {
		if s.Matches(by) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// Entitlements are the ids of the entitlements that a selector means. If there are none, or too many, it is pending
// instead.
func (b *Resolver) Entitlements(s format.Selector) ([]string, *installation.PendingBinding) {
	m := b.found[s]
	waits := func(reason string) ([]string, *installation.PendingBinding) {
		return nil, &installation.PendingBinding{Select: shownSelector(s), Reason: reason}
	}
	switch {
	case m.many:
		return waits("too_many")
	case len(m.ids) > 0:
		return m.ids, nil
	}
	return waits(b.missing(s.Connector, "no_entitlement"))
}

// missing says why nothing is there.
func (b *Resolver) missing(by format.Connectors, otherwise string) string {
	there := false
	for _, s := range b.systems {
		if s.Matches(by) {
			if s.Read {
				return otherwise
			}
			there = true
		}
	}
	if there {
		return "connector_not_read"
	}
	return "no_connector"
}

// Accounts are the ids of the connectors in which a selector wants an account. Only those with a successful sync count,
// because it is known of them who has an account already.
func (b *Resolver) Accounts(by format.Connectors) ([]string, *installation.PendingBinding) {
	var ids []string
	for _, s := range b.systems {
		if s.Matches(by) && s.Read && s.Purpose != "source" {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) > 0 {
		return ids, nil
	}
	shown := installation.PackConnectors(by)
	return nil, &installation.PendingBinding{Account: &shown, Reason: b.missing(by, "no_connector")}
}
