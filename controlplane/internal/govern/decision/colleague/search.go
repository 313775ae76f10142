package colleague

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

const (
	maxColleagues  = 20   // what fits a list to choose from
	shortestSearch = 2    // letters or digits of a name: fewer would list people rather than find one
	maxLooked      = 2000 // who match are looked at, one by one, for whether they can receive anything
)

// Query says whom to find.
type Query struct {
	Q    string
	Only []string // when not empty: these alone
	Not  []string // never these; of those who have no record of their own, their users
}

// check returns a fault if too little is given to find a person by. Where certain people alone may be named, all of
// them can be listed: their ids come with the task.
func (a Query) check() error {
	said := 0
	for _, r := range a.Q {
		if unicode.In(r, unicode.Letter, unicode.Number, unicode.Mark) {
			said++
		}
	}
	if said >= shortestSearch || len(a.Only) > 0 && a.Q == "" {
		return nil
	}
	return fault.Coded(fault.Malformed, "invalid_parameter", "enter in q the name of the person: at least %d letters "+
		"of the name, or a whole e-mail address", shortestSearch).
		With(fault.Field{Parameter: "q", Code: "too_short",
			Detail: fmt.Sprintf("at least %d letters or digits", shortestSearch)})
}

// withName are those of whose name some word begins with each word that is asked for. Beyond the last letter there is
// no word.
const withName = `
		with asked as materialized (
			select a.word, a.word || U&'\+10FFFF' as beyond from unnest(search_words(@q)) a (word)
		),
		near as materialized (
			select w.identity_id as id, a.word
			  from asked a
			  join decision_colleague_word w on w.word >= a.word and w.word < a.beyond
			 where cardinality(@only::text[]) = 0 or w.identity_id = any(@only::text[]::uuid[])
		),
		hit as materialized (
			select n.id
			  from near n
			 group by 1
			having count(distinct n.word) = (select count(*) from asked)
			 order by 1
			 limit @looked
		)`

// withAddress are people with an e-mail address.
const withAddress = `
		with hit as materialized (
			select e.id
			  from identity e
			 where e.email_lc = lower(@q)
			   and e.status <> 'archived'
			   and e.kind = 'human'
			   and (cardinality(@only::text[]) = 0 or e.id = any(@only::text[]::uuid[]))
		)`

// withLeave are all who may be named.
const withLeave = `
		with hit as materialized (
			select unnest(@only::text[]::uuid[]) as id
		)`

// canReceive keeps of them the people who are at work and can sign in.
const canReceive = `,
		there as (
			select i.id, i.display_name as display, coalesce(i.title, '') as title,
			    coalesce(i.department, '') as department, coalesce(i.email, u.email) as email
			  from hit h
			  join identity i on i.id = h.id
			  left join app_user u on u.identity_id = i.id
			 where unable_to_decide(i.id) = ''
			   and i.id <> all(@not::text[]::uuid[])
			   and (u.id is null or u.id <> all(@not::text[]::uuid[]))
			 order by i.display_name, i.id
			 limit @rows
		)
		select (select count(*) from hit), coalesce((select jsonb_agg(t order by t.display, t.id) from there t), '[]')`

// way is how a person is looked for.
func (a Query) way() string {
	switch {
	case a.Q == "":
		return withLeave
	case strings.Contains(a.Q, "@"):
		return withAddress
	}
	return withName
}

// fewByIndex is part of every search.
var fewByIndex = pg.FewByIndex.SQL()

// Find returns the people who match and can receive a decision, 20 at most, by name.
func (a Query) Find(ctx context.Context, tx *pg.Tx) (found DecisionColleagues, err error) {
	a.Q = strings.TrimSpace(a.Q)
	if err := a.check(); err != nil {
		return found, err
	}
	args := pgx.NamedArgs{
		"q":      a.Q,
		"only":   decision.NonNil(a.Only),
		"not":    decision.NonNil(a.Not),
		"looked": maxLooked + 1,
		"rows":   maxColleagues + 1,
	}
	var list []DecisionColleague
	var hits int
	var b pgx.Batch
	b.Queue(fewByIndex)
	b.Queue(a.way()+canReceive, args).QueryRow(func(row pgx.Row) error { return row.Scan(&hits, &list) })
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return found, fmt.Errorf("find colleagues: %w", err)
	}
	list = toldApart(list)
	return DecisionColleagues{
		Items: list[:min(len(list), maxColleagues)],
		More:  len(list) > maxColleagues || hits > maxLooked,
	}, nil
}

// toldApart leaves the e-mail addresses of those alone who look like another without.
func toldApart(list []DecisionColleague) []DecisionColleague {
	look := func(c DecisionColleague) [3]string { return [3]string{c.Display, c.Title, c.Department} }
	alike := map[[3]string]int{}
	for _, c := range list {
		alike[look(c)]++
	}
	for i, c := range list {
		if alike[look(c)] == 1 {
			list[i].Email = ""
		}
	}
	return list
}
