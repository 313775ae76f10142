package authority

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// Several sources may have a record of one person. What each record says is kept beside it (identity_source.told), so
// that a field follows from the current records alone: the filled record of the source with the lowest authority_rank
// wins; of sources with the same rank, the connector that was created first. The order of sync runs decides nothing. A
// record counts while it is not removed and its connector is not deleted. What a person has pinned, and what an
// identity that was created through the API has of its own, is no source's.

// Order sorts records r by authority: the first decides.
const Order = `r.rank, r.connector_id, r.external_id collate "C"`

// Records are source records on their way into identities: a temporary table with a row for each, with identity_id,
// external_id, SourceFields, source_status and the columns of RecordColumns; told is what the record itself says
// (ToldSQL).
type Records struct {
	Table     string
	Connector string   // of the records; empty: the rows stand for people whose stored records are merged anew
	Filled    []string // fields that the sync run fills for anybody; of the others, a record says what it said before
	Bare      bool     // the table has no attributes
}

// RecordColumns are the columns of Records that MergeRecords fills, except told, which it completes.
const RecordColumns = `told jsonb, says jsonb, said_before text, owner_id uuid, owner_external_id text`

// reportedValue is the SQL of a field of a row as source records keep it.
func reportedValue(row, field string) string {
	if pin.FieldTypes[field] == "timestamptz" {
		return fmt.Sprintf(`to_jsonb(to_char(%s.%s at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))`, row, field)
	}
	return fmt.Sprintf("to_jsonb(%s.%s)", row, field)
}

// fieldsReported is the SQL of the standard fields that a row reports.
func fieldsReported(row string) string {
	pairs := make([]string, len(pin.SourceFields))
	for i, f := range pin.SourceFields {
		pairs[i] = fmt.Sprintf("'%s', %s", f, reportedValue(row, f))
	}
	return "jsonb_strip_nulls(jsonb_build_object(" + strings.Join(pairs, ", ") + "))"
}

// ReportedSQL is the SQL of what a row of SourceFields and attributes reports: its filled fields by name, custom
// attributes as attributes.<name>.
func ReportedSQL(row string) string {
	return fieldsReported(row) + ` || case when ` + row + `.attributes = '{}' then '{}'::jsonb
		else coalesce((select jsonb_object_agg('attributes.' || a.key, a.value) from jsonb_each(` + row +
		`.attributes) a where a.value <> 'null'), '{}') end`
}

// MergeRecords turns each row into what its identity becomes: SourceFields and attributes hold the values to be
// written, says what the sources say together, owner_id and owner_external_id the authoritative record, source_status
// the state that this one gives and said_before the one that was given before. Rows of new people stay as they are.
func MergeRecords(ctx context.Context, tx *pg.Tx, r Records) error {
	for _, sql := range []string{`drop table if exists k_record, k_merge`, gatherRecords(r.Table), `analyze k_record`} {
		if err := pg.Exec(ctx, tx, "gather the records of people", sql); err != nil {
			return err
		}
	}
	if r.Connector != "" {
		if err := r.enter(ctx, tx); err != nil {
			return err
		}
	}
	for _, sql := range []string{mergeRecords, `analyze k_merge`, keepTakenNames, r.become()} {
		if err := pg.Exec(ctx, tx, "merge the records of people", sql); err != nil {
			return err
		}
	}
	return nil
}

// gatherRecords lists the stored records of the people of a table. A record of which it is not known what it said,
// said what its identity has.
func gatherRecords(table string) string {
	return `
		create temp table k_record on commit drop as
		with who as (select distinct identity_id as id from ` + table + ` where identity_id is not null)
		select s.identity_id, s.connector_id, s.external_id, coalesce(c.authority_rank, 100) as rank,
		       s.removed_at is null and c.deleted_at is null as live,
		       s.connector_id is not distinct from i.source_connector_id as own, s.source_status as said,
		       s.source_status as said_before, coalesce(s.told, case
		           when s.connector_id = i.source_connector_id then ` + fieldsReported("i") + ` else '{}' end) as was,
		       null::jsonb as told
		  from who
		  join identity i
		    on i.tenant_id = current_tenant() and i.id = who.id
		  join identity_source s
		    on s.tenant_id = current_tenant() and s.identity_id = i.id
		  left join connector c
		    on c.tenant_id = current_tenant() and c.id = s.connector_id`
}

// enter replaces what the records of the sync run reported before by what they report now.
func (r Records) enter(ctx context.Context, tx *pg.Tx) error {
	mapped := `array(select 'attributes.' || jsonb_object_keys(m.attributes))`
	if r.Bare {
		mapped = `'{}'::text[]`
	}
	said := `
		update k_record r
		   set live = true, said = m.source_status, told = (r.was - $2::text[] - ` + mapped + `) || m.told
		  from ` + r.Table + ` m
		 where r.connector_id = $1 and r.external_id = m.external_id and r.identity_id = m.identity_id`
	first := `
		insert into k_record (identity_id, connector_id, external_id, rank, live, own, said, told)
		select i.id, $1::uuid, m.external_id,
		       coalesce((select c.authority_rank from connector c where c.tenant_id = current_tenant()
		       and c.id = $1::uuid), 100), true, false, m.source_status, m.told
		  from ` + r.Table + ` m
		  join identity i
		    on i.tenant_id = current_tenant() and i.id = m.identity_id
		 where not exists (select from k_record k where k.connector_id = $1::uuid and k.external_id = m.external_id)`
	const keep = `
		update %s m
		   set told = r.told
		  from k_record r
		 where r.connector_id = $1 and r.external_id = m.external_id and r.identity_id = m.identity_id`
	if err := pg.Exec(ctx, tx, "enter what records say", said, r.Connector, r.Filled); err != nil {
		return err
	}
	for _, sql := range []string{first, fmt.Sprintf(keep, r.Table)} {
		if err := pg.Exec(ctx, tx, "enter what records say", sql, r.Connector); err != nil {
			return err
		}
	}
	return nil
}

// mergeRecords says what the records of each person say together. Whom no record knows any more stays as they are.
const mergeRecords = `
	create temp table k_merge on commit drop as
	select r.identity_id,
	       told_by_rank(coalesce(r.told, r.was) order by r.rank desc, r.connector_id desc,
	         r.external_id collate "C" desc) filter (where r.live) as told,
	       array_agg(r.was) filter (where r.was is not null) as was,
	       (array_agg(r.connector_id order by ` + Order + `) filter (where r.live))[1] as owner_id,
	       (array_agg(r.external_id order by ` + Order + `) filter (where r.live))[1] as owner_external_id,
	       (array_agg(r.said order by ` + Order + `) filter (where r.live))[1] as said,
	       (array_agg(r.said_before order by ` + Order + `) filter (where r.own))[1] as said_before
	  from k_record r
	 group by r.identity_id
	having bool_or(r.live)`

// keepTakenNames leaves an identity its external_id and source if another identity has the ones that it would get.
const keepTakenNames = `
	update k_merge k
	   set owner_id = i.source_connector_id, owner_external_id = i.external_id
	  from identity i
	 where i.tenant_id = current_tenant()
	   and i.id = k.identity_id
	   and (i.source_connector_id is null
	        or exists (select
	                     from identity o
	                    where o.tenant_id = current_tenant()
	                      and o.external_id = k.owner_external_id
	                      and o.source_connector_id = k.owner_id
	                      and o.status <> 'archived'
	                      and o.id <> i.id))`

// become writes into the rows what the identities become.
func (r Records) become() string {
	set := make([]string, 0, len(pin.SourceFields)+6)
	for _, f := range pin.SourceFields {
		set = append(set, f+" = "+becomes(f))
	}
	set = append(set, "says = k.told", "owner_id = k.owner_id", "owner_external_id = k.owner_external_id",
		"source_status = case when k.owner_id is not null then k.said end", "said_before = k.said_before")
	if !r.Bare {
		set = append(set, "attributes = "+attributesBecome)
	}
	return `
		update ` + r.Table + ` m
		   set ` + strings.Join(set, ",\n\t\t       ") + `
		  from k_merge k
		  join identity i
		    on i.tenant_id = current_tenant() and i.id = k.identity_id
		 where m.identity_id = k.identity_id`
}

// becomes is the value that a field gets. A value that no record has ever given is not taken away, and what an
// identity that was created through the API has of its own stays.
func becomes(field string) string {
	kind := pin.FieldTypes[field]
	if kind == "" {
		kind = "text"
	}
	says := fmt.Sprintf("(k.told ->> '%s')::%s", field, kind)
	given := fmt.Sprintf("exists (select from unnest(k.was) w where w -> '%s' = %s)", field, reportedValue("i", field))
	if field == "display_name" { // never empty
		return fmt.Sprintf(
			"case when i.source_connector_id is not null or %s then coalesce(%s, "+
				"i.display_name) else i.display_name end",
			given,
			says,
		)
	}
	return strings.NewReplacer("{f}", field, "{says}", says, "{given}", given).Replace(
		`case when i.source_connector_id is not null and k.told ? '{f}' then {says}
		            when i.{f} is null or {given} then {says} else i.{f} end`)
}

// attributesBecome are the custom attributes to be written: null for those that are to go.
const attributesBecome = `coalesce((
		           select jsonb_object_agg(substr(e.key, 12), e.value)
		             from (select w.key, 'null'::jsonb as value
		                     from unnest(k.was) s (told)
		                    cross join jsonb_each(s.told) w
		                    where w.key like 'attributes.%' and not k.told ? w.key and i.attributes -> substr(w.key,
		                        12) = w.value
		                    union all
		                   select t.key, t.value
		                     from jsonb_each(k.told) t
		                    where t.key like 'attributes.%'
		                      and (i.source_connector_id is not null or not i.attributes ? substr(t.key, 12)
		                           or exists (select from unnest(k.was) w
		                               where w -> t.key = i.attributes -> substr(t.key, 12)))) e), '{}')`

// StatusApplies is the SQL condition that the state reported by the authoritative source of row m applies to its
// identity i: it has not been changed by hand since the source last reported another state.
const StatusApplies = `(m.owner_id is not null and m.source_status is not null
		           and (i.status_source <> 'manual' or m.said_before is not null and m.source_status is distinct
		             from m.said_before))`

// AdoptSourceNames gives the identities of a table of Records the source and the external_id of their authoritative
// records. Reports that name one of them as manager by the old external_id get the new one.
func AdoptSourceNames(ctx context.Context, tx *pg.Tx, table string) error {
	const moves = `
		create temp table k_name on commit drop as
		select distinct i.id, i.external_id as was, m.owner_id, m.owner_external_id
		  from %s m
		  join identity i
		    on i.tenant_id = current_tenant() and i.id = m.identity_id
		 where m.owner_id is not null
		   and i.status <> 'archived'
		   and (i.source_connector_id <> m.owner_id or i.external_id <> m.owner_external_id)`
	const names = `
		update identity i
		   set source_connector_id = n.owner_id, external_id = n.owner_external_id
		  from k_name n
		 where i.tenant_id = current_tenant() and i.id = n.id`
	const reports = `
		update identity i
		   set manager_external_id = n.owner_external_id
		  from k_name n
		 where i.tenant_id = current_tenant()
		   and i.manager_id = n.id
		   and i.manager_external_id = n.was`
	for _, sql := range []string{`drop table if exists k_name`, fmt.Sprintf(moves, table), names, reports} {
		if err := pg.Exec(ctx, tx, "name people by their source", sql); err != nil {
			return err
		}
	}
	return nil
}

// attributesMerged are the custom attributes of an identity i after those of a row m of Records. What no source keeps
// stays.
const attributesMerged = `case when m.attributes = '{}' then i.attributes
		           else (select coalesce(jsonb_object_agg(a.key, a.value), '{}')
		               from jsonb_each(i.attributes || m.attributes) a where a.value <> 'null') end`

// Assignments is the SQL list of assignments that write a row m of Records to its identity i.
func Assignments() string {
	set := make([]string, len(pin.SourceFields), len(pin.SourceFields)+1)
	for i, f := range pin.SourceFields {
		set[i] = f + " = m." + f
		// the day of a person who left by hand is over when their source reports that they are here
		if f == "last_working_at" {
			set[i] = `last_working_at = case when ` + StatusApplies + ` and not m.says ? 'last_working_at'
		                   and m.source_status is distinct from m.said_before
		                and i.standing = 'deactivated' and m.source_status <> 'deactivated'
		                    and i.last_working_at <= now()
		               then null else m.last_working_at end`
		}
	}
	return strings.Join(append(set, "attributes = "+attributesMerged), ",\n\t\t       ")
}
