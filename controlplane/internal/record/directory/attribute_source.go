package directory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/authority"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// AttributeSource says where the value of a field is from.
type AttributeSource struct {
	// The source of the value; null if a user set it.
	ConnectorID *string `json:"connector_id"`
	// Origin of the value. hr: a source system. import: an import that replaced the value of a source system. manual:
	// everything else.
	Kind string `json:"kind" enum:"hr,manual,import"`
	// When the source's record was last read as different, or the value was set by hand; null where that is not known.
	ObservedAt *time.Time `json:"observed_at"`
	// The value stays, whatever the source sends.
	Pinned bool `json:"pinned"`
	// End of the pin. Null: the value is not pinned, or pinned until it is unpinned.
	PinnedUntil *time.Time `json:"pinned_until"`
	// Who pinned the value, or set it by an action. Null: neither.
	PinnedBy *pin.PinnedBy `json:"pinned_by"`
	// An action set the value; it stays until the source sends a new value.
	UntilSourceChanges bool `json:"until_source_changes"`
	// Of pinned values: the value of the source.
	SourceValue any `json:"source_value,omitempty"`
}

// about adds what is known of one person beyond the record itself.
func about(ctx context.Context, tx *pg.Tx, d *IdentityDetail) (err error) {
	const sql = `
		select exists (with recursive up (id) as (
		                   select i.manager_id from identity i where i.tenant_id = current_tenant() and i.id = $1
		                       and i.manager_id is not null
		                    union
		                   select i.manager_id from up join identity i on i.tenant_id = current_tenant()
		                       and i.id = up.id where i.manager_id is not null)
		               select from up where up.id = $1),
		       array(select i.id::text from identity i where i.tenant_id = current_tenant() and i.merged_into_id = $1
		           order by i.id)`
	if err := tx.QueryRow(ctx, sql, d.ID).Scan(&d.ManagerCycle, &d.MergedIDs); err != nil {
		return fmt.Errorf("read the summary of an identity: %w", err)
	}
	if d.AttributeSources, err = attributeSources(ctx, tx, d.Identity); err != nil {
		return err
	}
	return nameWhoPinned(ctx, tx, d.AttributeSources)
}

// nameWhoPinned shows users by their names, in place of the e-mail addresses by which they sign in and which the
// readers of a person need not know. A user who is gone, or has no name, has none here.
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
	names := map[string]string{}
	var id, name string
	if err := pg.Each(
		ctx,
		tx,
		"find the names of who pinned",
		[]any{&id, &name},
		func() error { names[id] = name; return nil },
		sql,
		ids,
	); err != nil {
		return err
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

// observed is what one source's record fills.
type observed struct {
	// Connector is the source; Own says that it is the identity's own source.
	Connector string
	Own       bool
	Told      []string // the fields that it fills; nil: not known
	Manager   bool     // the record names a manager
	At        time.Time
}

// attributeSources says, for each field that has a value, which source filled it: the first of the
// person's records, in the order of authority, that reports the field.
func attributeSources(ctx context.Context, tx *pg.Tx, i identity.Identity) (map[string]AttributeSource, error) {
	const sql = `
		select r.connector_id::text as connector, r.own, r.told, r.manager, r.at
		  from (select s.connector_id, s.external_id, s.connector_id is not distinct from $2::uuid as own,
		               case when s.told is not null then array(select jsonb_object_keys(s.told)) end as told,
		               s.manager_ref_value is not null as manager, s.changed_at as at,
		                   coalesce(c.authority_rank, 100) as rank
		          from identity_source s
		          left join connector c
		            on c.tenant_id = current_tenant()
		           and c.id = s.connector_id
		         where s.tenant_id = current_tenant()
		           and s.identity_id = $1
		           and s.removed_at is null
		           and c.deleted_at is null) r
		 order by ` + authority.Order
	records, err := pg.All[observed](ctx, tx, "find sources of attributes", sql, i.ID, i.SourceConnectorID)
	if err != nil {
		return nil, err
	}
	filled, err := audit.Initial(i.IdentityFields)
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
		sources[pin.CustomPrefix+name] = sourceOf(pin.CustomPrefix+name, records)
	}
	for f, pin := range i.Pins {
		sources[f] = AttributeSource{
			Kind:               pin.Kind,
			ObservedAt:         &pin.At,
			Pinned:             !pin.Soft,
			PinnedUntil:        pin.Until,
			PinnedBy:           &pin.By,
			UntilSourceChanges: pin.Soft,
			SourceValue:        pin.SourceValue,
		}
	}
	return sources, nil
}

// sourceOf is the first record that fills a field, in the order in which records decide. Values set by hand have none.
func sourceOf(field string, records []observed) AttributeSource {
	synced := slices.Contains(pin.SourceFields, field) || strings.HasPrefix(field, pin.CustomPrefix)
	for _, r := range records {
		if synced && (r.Told == nil && r.Own || slices.Contains(r.Told, field)) {
			return r.source()
		}
	}
	return AttributeSource{Kind: "manual"}
}

// managerSource is the source whose record names the manager, where the manager follows from one.
func managerSource(i identity.Identity, records []observed) AttributeSource {
	for _, r := range records {
		if i.ManagerFromSource && r.Manager {
			return r.source()
		}
	}
	return AttributeSource{Kind: "manual"}
}

// source is the record as the origin of a field.
func (r observed) source() AttributeSource {
	return AttributeSource{ConnectorID: &r.Connector, Kind: "hr", ObservedAt: &r.At}
}
