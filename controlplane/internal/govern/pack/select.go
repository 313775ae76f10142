package pack

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/connectorkit/catalog"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/format"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// PendingBinding is a part of an object that has found nothing yet.
type PendingBinding struct {
	Select  *PackSelector   `json:"select,omitempty" doc:"Entitlements that are wanted."`
	Account *PackConnectors `json:"account,omitempty" doc:"Systems in which an account is wanted."`
	Role    string          `json:"role,omitempty" doc:"A role of the pack that is in conflict."`
	Reason  string          `json:"reason" enum:"no_connector,connector_not_read,no_entitlement,too_many,role_conflict" doc:"What is missing. too_many: the selector finds more than 200, so it cannot mean them."`
}

// PackConnectors selects connectors.
type PackConnectors struct {
	Tag        string `json:"tag,omitempty" doc:"One of the tags in the connector's label tag. A connector without that label has the tag of what it is."`
	Type       string `json:"type,omitempty"`
	BusinessID string `json:"business_id,omitempty"`
	Vendor     string `json:"vendor,omitempty"`
}

// PackSelector selects entitlements.
type PackSelector struct {
	Connector  PackConnectors `json:"connector"`
	Kind       string         `json:"kind,omitempty"`
	Name       string         `json:"name,omitempty"`
	NameLike   string         `json:"nameLike,omitempty"`
	ExternalID string         `json:"external_id,omitempty"`
}

func shownSelector(s format.Selector) *PackSelector {
	return &PackSelector{PackConnectors(s.Connector), s.Kind, s.Name, s.NameLike, s.ExternalID}
}

func (p PackSelector) selector() format.Selector {
	return format.Selector{
		Connector:  format.Connectors(p.Connector),
		Kind:       p.Kind,
		Name:       p.Name,
		NameLike:   p.NameLike,
		ExternalID: p.ExternalID,
	}
}

// system is a connector as selectors see it.
type system struct {
	ID          string            `db:"id"`
	BusinessID  string            `db:"business_id"`
	Type        string            `db:"type"`
	Vendor      string            `db:"vendor"`
	Environment string            `db:"environment"`
	Purpose     string            `db:"purpose"`
	Labels      map[string]string `db:"labels"`
	Read        bool              `db:"read"` // its first sync has succeeded: what is there is known
}

// systems are the tenant's connectors.
func systems(ctx context.Context, tx *pg.Tx) ([]system, error) {
	const sql = `
		select c.id::text, c.business_id, c.type, coalesce(c.vendor_key, '') as vendor, c.environment, c.purpose,
		    c.labels, c.last_success_at is not null as read
		  from connector c
		 where c.tenant_id = current_tenant()
		   and c.deleted_at is null
		 order by c.id`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return nil, fmt.Errorf("list connectors for packs: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[system])
	if err != nil {
		return nil, fmt.Errorf("list connectors for packs: %w", err)
	}
	return all, nil
}

// engine is the type of connector that serves the system, which is another one for vendors.
func (s system) engine() (engine, category string) {
	key := s.Vendor
	if key == "" {
		key = s.Type
	}
	e, ok := catalog.Find(key)
	switch {
	case !ok:
		return s.Type, ""
	case e.Engine != "":
		return e.Engine, e.Category
	}
	return e.Type, e.Category
}

// tagLabel is the label that names a connector's tags.
const tagLabel = "tag"

// tags are those of the label; a production system that has none has the tag of what it is.
func (s system) tags() []string {
	if label, ok := s.Labels[tagLabel]; ok {
		var tags []string
		for tag := range strings.SplitSeq(label, ",") {
			if tag = strings.ToLower(strings.TrimSpace(tag)); tag != "" {
				tags = append(tags, tag)
			}
		}
		return tags
	}
	if s.Environment != "production" || s.Purpose == "source" {
		return nil
	}
	engine, category := s.engine()
	if engine == catalog.LDAP || category == "directory" || category == "identity_provider" {
		return []string{"directory"}
	}
	return nil
}

// met reports whether a selector of connectors means the system.
func (s system) met(by format.Connectors) bool {
	engine, _ := s.engine()
	return (by.Tag == "" || slices.Contains(s.tags(), strings.ToLower(by.Tag))) &&
		(by.Type == "" || by.Type == s.Type || by.Type == engine) &&
		(by.BusinessID == "" || by.BusinessID == s.BusinessID) &&
		(by.Vendor == "" || strings.EqualFold(by.Vendor, s.Vendor))
}

// binder finds what selectors mean.
type binder struct {
	systems []system
	found   map[format.Selector]match
}

type match struct {
	ids  []string
	many bool
}

// mostMatches is how many entitlements a selector can mean.
const mostMatches = 200

// newBinder looks for all selectors at once.
func newBinder(ctx context.Context, tx *pg.Tx, selectors []format.Selector) (*binder, error) {
	all, err := systems(ctx, tx)
	if err != nil {
		return nil, err
	}
	b := &binder{systems: all, found: map[format.Selector]match{}}
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
	rows, err := tx.Query(ctx, sql, raw, mostMatches+1)
	if err != nil {
		return nil, fmt.Errorf("look for what selectors mean: %w", err)
	}
	var n int
	var ids []string
	_, err = pgx.ForEachRow(rows, []any{&n, &ids}, func() error {
		b.found[selectors[n]] = match{ids: slices.Clone(ids), many: len(ids) > mostMatches}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for what selectors mean: %w", err)
	}
	return b, nil
}

// pattern is a name with * for LIKE.
func pattern(like string) string {
	return strings.ReplaceAll(strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(like), "*", "%")
}

func (b *binder) connectors(by format.Connectors) (ids []string) {
	for _, s := range b.systems {
		if s.met(by) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// entitlements are what a selector means; otherwise it waits.
func (b *binder) entitlements(s format.Selector) ([]string, *PendingBinding) {
	m := b.found[s]
	waits := func(reason string) ([]string, *PendingBinding) {
		return nil, &PendingBinding{Select: shownSelector(s), Reason: reason}
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
func (b *binder) missing(by format.Connectors, otherwise string) string {
	there := false
	for _, s := range b.systems {
		if s.met(by) {
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

// accounts are the systems in which a selector wants an account: those alone of which it is known who has one already.
func (b *binder) accounts(by format.Connectors) ([]string, *PendingBinding) {
	var ids []string
	for _, s := range b.systems {
		if s.met(by) && s.Read && s.Purpose != "source" {
			ids = append(ids, s.ID)
		}
	}
	if len(ids) > 0 {
		return ids, nil
	}
	shown := PackConnectors(by)
	return nil, &PendingBinding{Account: &shown, Reason: b.missing(by, "no_connector")}
}

// selectorsOf are all selectors of a pack.
func selectorsOf(p format.Pack) (all []format.Selector) {
	for _, r := range p.Roles {
		for _, g := range r.Entitlements {
			all = append(all, g.Select)
		}
	}
	for _, policy := range slices.Concat(p.Birthrights, p.AccessGrantPolicies) {
		for _, g := range policy.Grant {
			if g.Select != nil {
				all = append(all, *g.Select)
			}
		}
	}
	return all
}
