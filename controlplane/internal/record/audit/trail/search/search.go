package search

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// maxSearched is how many events are read for a text: about half a second's work.
const maxSearched = 100_000

// search is the statement that finds how many events match and the numbers of a page: the shortest way to them depends
// on what is asked. The planner does not find it by itself: it takes filters for independent and matches for spread
// evenly, and would walk the whole log backwards in the hope of a match. Its arguments lack before, limit, offset and
// known.
func (f Filters) search() (sql string, args pgx.NamedArgs) {
	where := f.Where()
	switch {
	case f.byKind() && !f.single() && !f.timed():
		return f.kindByKind(), where.Args
	case !f.Narrows() && !f.timed():
		return wholeLog, where.Args
	case !f.Narrows():
		return period(where), where.Args
	case f.timed() || f.Q != "":
		return allAtOnce(where), where.Args
	}
	return backwards(where), where.Args
}

// bounded refuses to look for a text in more events than can be read at once.
func (f Filters) bounded(ctx context.Context, tx *pg.Tx) error {
	if f.Q == "" {
		return nil
	}
	f.Q = ""
	where := f.Where()
	where.Args["most"] = maxSearched + 1
	sql := `
	select count(*) from (select from audit_event where ` + where.String() + ` limit @most) candidates`
	if f.byKind() && !f.single() && !f.timed() {
		sql = f.withKinds() + `
	select count(*) from (select from wanted k join audit_event e on ` + f.ofKind() + ` limit @most) candidates`
	}
	var n int
	if err := tx.QueryRow(ctx, sql, where.Args).Scan(&n); err != nil {
		return fmt.Errorf("count events to search: %w", err)
	}
	if n <= maxSearched {
		return nil
	}
	return fault.Coded(fault.Malformed, "invalid_parameter", "q would have to read more than %d events; narrow it "+
		"down with from and to, or with another filter", maxSearched).
		With(fault.Field{Parameter: "q", Code: "too_broad", Detail: "give a shorter period, an action, an actor or a " +
			"subject as well"})
}

// counted counts, unless the page before did: then known is what it counted, otherwise it is negative.
func counted(sql string) string {
	return `
	select case when @known::bigint >= 0 then @known else (` + sql + `) end`
}

// wholeLog counts by the numbers, which have no gaps.
var wholeLog = counted(
	`select coalesce(max(seq) - min(seq) + 1, 0) from audit_event where tenant_id = (select current_tenant())`,
) + `,
	       array(select seq
	               from audit_event
	              where tenant_id = (select current_tenant()) and seq < @before
	              order by seq desc
	              limit @limit offset @offset)`

// period goes through the index by time once, which says how far back the page lies.
func period(where *condition) string {
	return `
	with extent as materialized (select count(*) as n, max(seq) as last from audit_event where ` + where.String() + `)
	select (select n from extent),
	       array(select seq
	               from audit_event
	              where ` + where.String() + ` and seq < @before and seq <= (select last from extent)
	              order by seq desc
	              limit @limit offset @offset)`
}

// backwards follows an index from the newest match on.
func backwards(where *condition) string {
	return counted(`select count(*) from audit_event where `+where.String()) + `,
	       array(select seq
	               from audit_event
	              where ` + where.String() + ` and seq < @before
	              order by seq desc
	              limit @limit offset @offset)`
}

const ofFound = `
	select (select count(*) from found),
	       array(select seq from found where seq < @before order by seq desc limit @limit offset @offset)`

// allAtOnce finds every match first: those of a period lie together in the index by time.
func allAtOnce(where *condition) string {
	return `
	with found as materialized (select seq from audit_event where ` + where.String() + `)` + ofFound
}

// kind is what events have in common that do not differ by filters of few values.
const kind = "action, category, outcome, actor_type, subject_type"

// kindByKind takes the newest of each kind that is asked for. However the filters go together, no event is read that
// does not match.
func (f Filters) kindByKind() string {
	ofKind := f.ofKind()
	if f.Q != "" {
		text := &condition{sql: []string{ofKind}, Args: pgx.NamedArgs{}}
		f.contains(text)
		return f.withKinds() + `, found as materialized (select e.seq from wanted k join audit_event e
			on ` + text.String() + `)` + ofFound
	}
	return f.withKinds() + counted(f.total(ofKind)) + `,
	       array(select newest.seq
	               from wanted k
	              cross join lateral (select e.seq
	                                    from audit_event e
	                                   where ` + ofKind + ` and e.seq < @before
	                                   order by e.seq desc
	                                   limit @limit::bigint + @offset::bigint) newest
	              order by newest.seq desc
	              limit @limit offset @offset)`
}

// total counts entries of the wanted kinds. Nearly all succeed, so it subtracts those that did not.
func (f Filters) total(ofKind string) string {
	const each = `
	          cross join lateral (select count(*) as n from audit_event e where `
	if f.ActorID+f.Category+f.ActorType+f.SubjectType == "" && len(f.Action) == 0 && f.Outcome == "success" {
		return `select (select coalesce(max(seq) - min(seq) + 1, 0) from audit_event
	           where tenant_id = (select current_tenant()))
	       - (select coalesce(sum(c.n), 0)::bigint from kinds k` + each + ofKind + `) c where k.outcome <> 'success')`
	}
	return `select coalesce(sum(c.n), 0)::bigint from wanted k` + each + ofKind + `) c`
}

// withKinds leaps through the index from one kind to the next, and picks those that are asked for.
func (f Filters) withKinds() string {
	within, wanted := f.within(), &condition{sql: []string{"true"}, Args: pgx.NamedArgs{}}
	f.kinds(wanted)
	return `
	with recursive kinds as (
	    (select ` + kind + ` from audit_event where ` + within + ` order by ` + kind + ` limit 1)
	     union all
	    select n.*
	      from kinds k
	     cross join lateral (select ` + kind + `
	                           from audit_event
	                          where ` + within + `
	                            and (` + kind + `) > (k.action, k.category, k.outcome, k.actor_type, k.subject_type)
	                          order by ` + kind + `
	                          limit 1) n
	), wanted as materialized (select * from kinds where ` + wanted.String() + `)`
}

func (f Filters) ofKind() string {
	return f.within() + ` and (e.action, e.category, e.outcome, e.actor_type, e.subject_type) = (k.action, k.category,
		k.outcome, k.actor_type, k.subject_type)`
}

// within is the tenant's log, or what one actor did of it.
func (f Filters) within() string {
	c := onTenant()
	c.equal("actor_id", f.ActorID)
	return c.String()
}
