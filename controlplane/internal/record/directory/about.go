package directory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/mergepatch"
)

// AttributeSource says where the value of a field is from.
type AttributeSource struct {
	ConnectorID        *string    `json:"connector_id" doc:"The source that told it; null when a person did."`
	Kind               string     `json:"kind" enum:"hr,manual,import"`
	ObservedAt         *time.Time `json:"observed_at" doc:"When the source's record was last read as different, or the value was set by hand; null where that is not known."`
	Pinned             bool       `json:"pinned" doc:"The value stays whatever the source says."`
	PinnedUntil        *time.Time `json:"pinned_until"`
	PinnedBy           *PinnedBy  `json:"pinned_by"`
	UntilSourceChanges bool       `json:"until_source_changes" doc:"An action set the value; it stays until the source says something new."`
	SourceValue        any        `json:"source_value,omitempty" doc:"Of what is pinned: what the source says instead."`
}

// about adds what is known of one person beyond the record itself.
func about(ctx context.Context, tx *pg.Tx, d *IdentityDetail) (err error) {
	const sql = `
		select exists (with recursive up (id) as (
		                   select i.manager_id from identity i where i.tenant_id = current_tenant() and i.id = $1 and i.manager_id is not null
		                    union
		                   select i.manager_id from up join identity i on i.tenant_id = current_tenant() and i.id = up.id where i.manager_id is not null)
		               select from up where up.id = $1),
		       array(select i.id::text from identity i where i.tenant_id = current_tenant() and i.merged_into_id = $1 order by i.id)`
	if err := tx.QueryRow(ctx, sql, d.ID).Scan(&d.ManagerCycle, &d.MergedIDs); err != nil {
		return fmt.Errorf("read the summary of an identity: %w", err)
	}
	if d.AttributeSources, err = attributeSources(ctx, tx, d.Identity); err != nil {
		return err
	}
	return nameWhoPinned(ctx, tx, d.AttributeSources)
}

// nameWhoPinned shows users by their names, in place of the e-mail addresses by which they sign in and which the readers of a person
// need not know. A user who is gone, or has no name, has none here.
func nameWhoPinned(ctx context.Context, tx *pg.Tx, sources map[string]AttributeSource) error {
	var ids []string
	for _, s := range sources {
		if s.PinnedBy != nil && s.PinnedBy.Type == string(viewer.User) {
			ids = append(ids, s.PinnedBy.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	const sql = `
		select u.id::text, coalesce(nullif(i.display_name, ''), u.display_name)
		  from app_user u
		  left join identity i
		    on i.tenant_id = u.tenant_id
		   and i.id = u.identity_id
		 where u.tenant_id = current_tenant()
		   and u.id::text = any($1)`
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return fmt.Errorf("find the names of who pinned: %w", err)
	}
	names := map[string]string{}
	var id, name string
	if _, err := pgx.ForEachRow(rows, []any{&id, &name}, func() error { names[id] = name; return nil }); err != nil {
		return fmt.Errorf("find the names of who pinned: %w", err)
	}
	for field, s := range sources {
		if s.PinnedBy != nil && s.PinnedBy.Type == string(viewer.User) {
			by := *s.PinnedBy
			if by.Display = names[by.ID]; by.Display == "" {
				by.Display = "User without a name"
			}
			s.PinnedBy = &by
			sources[field] = s
		}
	}
	return nil
}

// inCycle are the people of the tenant who are above themselves. It walks up from managers alone, and ends in every cycle since union
// keeps no pair twice.
const inCycle = `
	with recursive boss (id) as (
		select distinct i.manager_id from identity i where i.tenant_id = current_tenant() and i.manager_id is not null
	), up (start, id) as (
		select b.id, i.manager_id
		  from boss b
		  join identity i on i.tenant_id = current_tenant() and i.id = b.id
		 where i.manager_id is not null
		 union
		select u.start, i.manager_id
		  from up u
		  join identity i on i.tenant_id = current_tenant() and i.id = u.id
		 where i.manager_id is not null and u.id <> u.start
	)
	select start from up where start = id`

// observed is what one source's record fills.
type observed struct {
	Connector string
	Own       bool
	Told      []string // the fields that it fills; nil: not known
	Manager   bool     // the record names a manager
	At        time.Time
}

func attributeSources(ctx context.Context, tx *pg.Tx, i Identity) (map[string]AttributeSource, error) {
	const sql = `
		select r.connector_id::text as connector, r.own, r.told, r.manager, r.at
		  from (select s.connector_id, s.external_id, s.connector_id is not distinct from $2::uuid as own,
		               case when s.told is not null then array(select jsonb_object_keys(s.told)) end as told,
		               s.manager_ref_value is not null as manager, s.changed_at as at, coalesce(c.authority_rank, 100) as rank
		          from identity_source s
		          left join connector c
		            on c.tenant_id = current_tenant()
		           and c.id = s.connector_id
		         where s.tenant_id = current_tenant()
		           and s.identity_id = $1
		           and s.removed_at is null
		           and c.deleted_at is null) r
		 order by ` + authority
	rows, err := tx.Query(ctx, sql, i.ID, i.SourceConnectorID)
	if err != nil {
		return nil, fmt.Errorf("find sources of attributes: %w", err)
	}
	records, err := pgx.CollectRows(rows, pgx.RowToStructByName[observed])
	if err != nil {
		return nil, fmt.Errorf("find sources of attributes: %w", err)
	}
	filled, err := mergepatch.Initial(i.IdentityFields)
	if err != nil {
		return nil, err
	}
	sources := map[string]AttributeSource{}
	for _, f := range filled {
		if f.Field != "attributes" && f.Field != "labels" {
			sources[f.Field] = sourceOf(f.Field, records)
		}
	}
	for _, f := range []string{"manager", "manager_id", "manager_external_id"} {
		if i.ManagerID != nil || i.ManagerExternalID != nil {
			sources[f] = managerSource(i, records)
		}
	}
	for name := range i.Attributes {
		sources[customPin+name] = sourceOf(customPin+name, records)
	}
	for f, pin := range i.Pins {
		sources[f] = AttributeSource{Kind: pin.Kind, ObservedAt: &pin.At, Pinned: !pin.Soft, PinnedUntil: pin.Until, PinnedBy: &pin.By,
			UntilSourceChanges: pin.Soft, SourceValue: pin.SourceValue}
	}
	return sources, nil
}

// sourceOf is the first record that fills a field, in the order in which records decide. Nobody's is set by hand.
func sourceOf(field string, records []observed) AttributeSource {
	synced := slices.Contains(SourceFields, field) || strings.HasPrefix(field, customPin)
	for _, r := range records {
		if synced && (r.Told == nil && r.Own || slices.Contains(r.Told, field)) {
			return r.source()
		}
	}
	return AttributeSource{Kind: "manual"}
}

// managerSource is the source whose record names the manager, where the manager follows from one.
func managerSource(i Identity, records []observed) AttributeSource {
	for _, r := range records {
		if i.ManagerFromSource && r.Manager {
			return r.source()
		}
	}
	return AttributeSource{Kind: "manual"}
}

func (r observed) source() AttributeSource {
	return AttributeSource{ConnectorID: &r.Connector, Kind: "hr", ObservedAt: &r.At}
}

// previousOf is who somebody new was when they were here before: the one who left last with the same employee number, or with the
// same value of the attribute that the lifecycle names. A name alone says nothing.
func previousOf(ctx context.Context, tx *pg.Tx, l Lifecycle, employeeNumber *string, attributes map[string]any) (*string, error) {
	value, _ := attributes[l.RehireAttribute].(string)
	if l.RehireAttribute == "" {
		value = ""
	}
	if employeeNumber == nil && value == "" {
		return nil, nil
	}
	const sql = `
		select i.id::text
		  from identity i
		 where i.tenant_id = current_tenant()
		   and i.status in ('deactivated', 'archived')
		   and i.merged_into_id is null
		   and (i.employee_number = @number or @value <> '' and i.attributes ->> @attribute = @value)
		 order by i.status_changed_at desc, i.id desc
		 limit 1`
	var id string
	err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"number": employeeNumber, "attribute": l.RehireAttribute, "value": value}).Scan(&id)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("look for who came back: %w", err)
	}
	return &id, nil
}

// handOverAddress takes the e-mail address from the record of who left, where the new record of the same person has it.
func handOverAddress(ctx context.Context, tx *pg.Tx, previous, email *string) error {
	if previous == nil || email == nil {
		return nil
	}
	const sql = `
		update identity
		   set email = null, updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = $1
		   and status = 'deactivated'
		   and email_lc = lower($2)`
	if _, err := tx.Exec(ctx, sql, *previous, *email); err != nil {
		return fmt.Errorf("hand over an e-mail address: %w", err)
	}
	return nil
}

// LinkRehires says of the people whose ids the query gives, who are new, who they were when they were here before.
func LinkRehires(ctx context.Context, tx *pg.Tx, people string, args pgx.NamedArgs) error {
	args = with(args, "rehire", "")
	const sql = `
		update identity n
		   set previous_identity_id = p.previous
		  from (select distinct on (n.id) n.id, i.id as previous
		          from (%s) q (id)
		          join identity n on n.tenant_id = current_tenant() and n.id = q.id and n.status not in ('deactivated', 'archived')
		          join identity i
		            on i.tenant_id = current_tenant()
		           and i.status in ('deactivated', 'archived')
		           and i.merged_into_id is null
		           and i.id <> n.id
		           and %s
		         order by n.id, i.status_changed_at desc, i.id desc) p
		 where n.tenant_id = current_tenant()
		   and n.id = p.id
		   and n.previous_identity_id is null`
	var left bool
	if err := tx.QueryRow(ctx, `select exists (select from identity where tenant_id = current_tenant() and status in ('deactivated', 'archived') and employee_number is not null)`).Scan(&left); err != nil {
		return fmt.Errorf("look for who came back: %w", err)
	}
	if left {
		if _, err := tx.Exec(ctx, fmt.Sprintf(sql, people, "i.employee_number = n.employee_number"), args); err != nil {
			return fmt.Errorf("look for who came back: %w", err)
		}
	}
	l, err := FindLifecycle(ctx, tx)
	if err != nil || l.RehireAttribute == "" {
		return err
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf(sql, people, "i.attributes ->> @rehire = n.attributes ->> @rehire"), with(args, "rehire", l.RehireAttribute)); err != nil {
		return fmt.Errorf("look for who came back: %w", err)
	}
	return nil
}

// with is arguments with one more.
func with(args pgx.NamedArgs, name string, value any) pgx.NamedArgs {
	all := pgx.NamedArgs{name: value}
	for n, v := range args {
		if n != name {
			all[n] = v
		}
	}
	return all
}
