package requestcatalog

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/eligibility"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// found is an item of a page: what it is, where it stands in the order, and why it is offered.
type found struct {
	// Key is the sort key, Why the reason for the offer. System is that of an entitlement.
	ID, Kind, Key string
	Why, System   string
	ruling        eligibility.Ruling
}

// find gives the items that are offered to the person and that the filters leave, one more than the page has if there
// is one, and how many there are in all.
func (f CatalogFilters) find(ctx context.Context, tx *pg.Tx, page pg.Page) (list []found, total int64, err error) {
	met, err := audiences(ctx, tx, f.ForIdentityID)
	if err != nil {
		return nil, 0, err
	}
	args := pgx.NamedArgs{
		"met":       keys(met),
		"q":         f.Q,
		"kind":      f.Kind,
		"risk":      f.RiskLevel,
		"tag":       f.Tag,
		"connector": f.ConnectorID,
		"rows":      page.Limit + 1,
		"offset":    page.Offset,
		"key":       "",
		"id":        "",
	}
	after := ""
	if len(page.After) == 2 {
		after, args["key"], args["id"] = `where (m.key, m.id) > (@key, @id::uuid)`, page.After[0], page.After[1]
	}
	sql := all
	if f.Q != "" {
		sql = matching
	}
	standing, err := standingOf(ctx, tx, f.ForIdentityID)
	if err != nil {
		return nil, 0, err
	}
	limits := ""
	if l := standing.Limits(); !l.None() {
		limits, args["closed"], args["closed_systems"] = eligible, l.Closed, l.ClosedSystems
		args["open"], args["open_systems"] = l.Open, l.OpenSystems
	}
	sql += fmt.Sprintf(offered, limits) + `
		select (select count(*) from seen), coalesce((
		       select jsonb_agg(jsonb_build_object('ID', p.id, 'Kind', p.kind, 'Key', p.key, 'Why',
		           coalesce(p.audience, ''), 'System', coalesce(p.system::text, '')) order by p.key, p.id)
		         from (select m.* from seen m ` + after + ` order by m.key, m.id limit @rows offset @offset) p), '[]')`
	var b pgx.Batch
	b.Queue(fewByIndex)
	b.Queue(sql, args).QueryRow(func(row pgx.Row) error { return row.Scan(&total, &list) })
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return nil, 0, fmt.Errorf("look through the catalog: %w", err)
	}
	for i := range list {
		list[i].ruling = standing.Of(list[i].ID, list[i].System)
		list[i].Why = because(met[list[i].Why], list[i].ruling)
	}
	return list, total, nil
}

// because is why something is offered: by its own condition, by a policy, by both, or to everybody.
func because(condition string, ruling eligibility.Ruling) string {
	switch {
	case condition == "" && !ruling.Limited:
		return everybody
	case condition == "":
		return ruling.Why
	case !ruling.Limited:
		return condition
	}
	return condition + "; " + ruling.Why
}

// standingOf is what the policies that say who can request something say of a person.
func standingOf(ctx context.Context, tx *pg.Tx, identity string) (*eligibility.Standing, error) {
	book, err := eligibility.Load(ctx, tx, time.Now())
	if err != nil {
		return nil, err
	}
	standings, err := book.Of(ctx, tx, []string{identity})
	return standings[identity], err
}

// fewByIndex is part of every search.
var fewByIndex = pg.FewByIndex.SQL()

// all gives every item, in the order of names.
const all = `
		with hit as (
			select i.id, 0 as far from catalog_item i
		),`

// matching gives the items of which some word begins with each word that is asked for, and how far they are from it: a
// word of the name is near, and a whole word nearer than its beginning. Beyond the last letter there is no word.
const matching = `
		with asked as materialized (
			select a.word, a.word || U&'\+10FFFF' as beyond from unnest(search_words(@q)) a (word)
		),
		near as (
			select w.item_id, a.word, min(w.weight * 2 - (w.word = a.word)::int) as far
			  from asked a
			  join catalog_word w on w.word >= a.word and w.word < a.beyond
			 group by 1, 2
		),
		hit as (
			select n.item_id as id, sum(n.far)::int as far
			  from near n
			 group by 1
			having count(*) = (select count(*) from asked)
		),`

// offered keeps of the hits what the person may see and the filters leave; %s is eligible, or empty.
const offered = `
		seen as materialized (
			select i.id, i.kind, i.audience, case i.kind when 'entitlement' then i.connector_ids[1] end as system,
			       (lpad(h.far::text, 4, '0') || i.sort_name) collate "C" as key
			  from hit h
			  join catalog_item i on i.id = h.id
			 where (i.audience is null or i.audience = any(@met))
			   and (@kind = '' or i.kind = @kind)
			   and (coalesce(cardinality(@risk::text[]), 0) = 0 or i.risk_level = any(@risk))
			   and (@tag = '' or @tag = any(i.tags))
			   and (@connector = '' or nullif(@connector, '')::uuid = any(i.connector_ids))
			   and not (i.kind = 'entitlement' and exists (select from connector c where c.id = i.connector_ids[1]
			     and c.deleted_at is not null))
			   %s
		)`

// eligible leaves out what policies close to the person; see eligibility.Limits.
const eligible = `
			   and (i.id not in (select c.id from unnest(@closed::text[]::uuid[]) c (id))
			        or i.kind = 'entitlement' and i.connector_ids[1] = any(@open_systems::text[]::uuid[]))
			   and (i.kind <> 'entitlement'
			        or i.connector_ids[1] <> all(@closed_systems::text[]::uuid[])
			        or i.id in (select o.id from unnest(@open::text[]::uuid[]) o (id)))`

// audiences says which audiences of the catalog somebody belongs to, and why. It goes from one audience to the next:
// there are few of them, and many items of each.
func audiences(ctx context.Context, tx *pg.Tx, identity string) (map[string]string, error) {
	const sql = `
		with recursive each (audience, visible_to) as (
			(select i.audience, i.visible_to from catalog_item i where i.audience is not null order by i.audience
			    limit 1)
			 union all
			select n.audience, n.visible_to
			  from each e
			 cross join lateral (select i.audience, i.visible_to from catalog_item i where i.audience > e.audience
			     order by i.audience limit 1) n
		)
		select e.audience, e.visible_to::text from each e`
	of := map[string]string{}
	var audience, text string
	if err := pg.Each(
		ctx,
		tx,
		"read audiences",
		[]any{&audience, &text},
		func() error { of[audience] = text; return nil },
		sql,
	); err != nil {
		return nil, err
	}
	texts := make([]string, 0, len(of))
	for _, text := range of {
		texts = append(texts, text)
	}
	met, err := audienceOf(ctx, tx, identity, texts)
	if err != nil {
		return nil, err
	}
	why := map[string]string{}
	for audience, text := range of {
		if because, is := met[text]; is {
			why[audience] = because
		}
	}
	return why, nil
}

// keys are the keys of a map, in any order.
func keys(m map[string]string) []string {
	list := make([]string, 0, len(m))
	for key := range m {
		list = append(list, key)
	}
	return list
}
