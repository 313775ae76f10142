package pin

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Records is a temporary table of source records after authority.MergeRecords: what a sync run is about to write of
// identities.
type Records struct {
	Table      string
	Bare       bool // the table has no attributes
	UpdatePins bool // notes what the sources say now, and drops pins that are over
}

// Keep leaves pinned fields as they are: it replaces their values in the rows by those of the identities. Where nobody
// has a pin it costs one index lookup.
func Keep(ctx context.Context, tx *pg.Tx, k Records) error {
	var there bool
	if err := tx.QueryRow(ctx, `select exists (select from identity where tenant_id = current_tenant()
		and pins <> '{}')`).
		Scan(&there); err != nil ||
		!there {
		return err
	}
	const judged = `
		create temp table k_pin on commit drop as
		select p.line, p.id, p.key, p.pin, p.came,
		       case when p.key = 'status' then p.came is null or p.came = nullif(p.pin -> 'source_value', 'null')
		            when (p.pin ->> 'soft')::boolean then p.came is not distinct from nullif(p.pin -> 'source_value',
		              'null')
		            else coalesce((p.pin ->> 'until')::timestamptz > now(), true) end as keep
		  from (select m.ctid as line, i.id, e.key, e.value as pin,
		               case e.key when 'status' then to_jsonb(m.source_status) else m.says -> e.key end as came
		          from %s m
		          join identity i
		            on i.tenant_id = current_tenant()
		           and i.id = m.identity_id
		           and i.pins <> '{}'
		         cross join jsonb_each(i.pins) e
		         where m.says is not null) p`
	if err := pg.Exec(ctx, tx, "keep what is pinned", `drop table if exists k_pin`); err != nil {
		return err
	}
	if err := pg.Exec(ctx, tx, "keep what is pinned", fmt.Sprintf(judged, k.Table)); err != nil {
		return err
	}
	if err := pg.Exec(ctx, tx, "keep what is pinned", k.keep()); err != nil {
		return err
	}
	if !k.UpdatePins {
		return nil
	}
	const forget = `
		update identity i
		   set pins = n.pins
		  from (select id, coalesce(jsonb_object_agg(key, case when (pin ->> 'soft')::boolean or key = 'status' then pin
		                   else pin || jsonb_build_object('source_value', came) end) filter (where keep), '{}') as pins
		          from (select distinct on (id, key) * from k_pin order by id, key) k
		         group by id) n
		 where i.tenant_id = current_tenant()
		   and i.id = n.id
		   and i.pins <> n.pins`
	return pg.Exec(ctx, tx, "note what sources say", forget)
}

// keep is the statement that gives rows what their identities have in pinned fields.
func (k Records) keep() string {
	set := make([]string, len(SourceFields), len(SourceFields)+2)
	for i, f := range SourceFields {
		set[i] = fmt.Sprintf("%[1]s = case when '%[1]s' = any(k.kept) then i.%[1]s else m.%[1]s end", f)
	}
	set = append(set, "source_status = case when 'status' = any(k.kept) then null else m.source_status end")
	if !k.Bare {
		set = append(
			set,
			"attributes = m.attributes - array(select substr(a, 12) from unnest(k.kept) a where a like 'attributes.%')",
		)
	}
	return `
		update ` + k.Table + ` m
		   set ` + strings.Join(set, ",\n\t\t       ") + `
		  from (select line, id, array_agg(key) filter (where keep) as kept from k_pin group by line,
		      id having bool_or(keep)) k
		  join identity i
		    on i.tenant_id = current_tenant()
		   and i.id = k.id
		 where m.ctid = k.line`
}
