package action

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
)

// handOver moves the responsibilities of leavers to their backup owners: sponsored identities to the backup owners of
// those records, owned entitlements and roles to the backup owner of the leaver. Where there is no active backup
// owner, a responsibility stays, and Handover lists it. A second call finds nothing.
func handOver(ctx context.Context, tx *pg.Tx, now time.Time) error {
	const sponsored = `
		update identity i
		   set sponsor_id = i.backup_owner_id, updated_at = @now, version = i.version + 1
		  from identity gone, identity heir
		 where i.tenant_id = current_tenant()
		   and i.status <> 'archived'
		   and i.sponsor_id is not null
		   and gone.tenant_id = current_tenant()
		   and gone.id = i.sponsor_id
		   and gone.status in ('deactivated', 'archived')
		   and heir.tenant_id = current_tenant()
		   and heir.id = i.backup_owner_id
		   and heir.status not in ('deactivated', 'archived')
		returning 'identity', i.id::text, i.display_name, 'sponsor_id', gone.id::text, heir.id::text`
	const entitlements = `update entitlement e` + toHeirs + `
		returning 'entitlement', e.id::text, e.display_name, 'owner_ids', gone.id::text, heir.id::text`
	const roles = `
		with moved as (
		    update role e` + toHeirs + `
		       and e.lifecycle <> 'retired'
		    returning e.tenant_id, e.id, e.version, e.owner_ids, e.name, gone.id as gone, heir.id as heir
		), kept as (` + keepOwners + `
		)
		select 'role', id::text, name, 'owner_ids', gone::text, heir::text from moved`
	var entries []audit.Entry
	args := pgx.NamedArgs{"now": now, "by": actor(tx.Viewer)}
	for _, sql := range []string{sponsored, entitlements, roles} {
		rows, err := tx.Query(ctx, sql, args)
		if err != nil {
			return fmt.Errorf("hand over: %w", err)
		}
		type handed struct{ Type, ID, Display, Field, From, To string }
		all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[handed])
		if err != nil {
			return fmt.Errorf("hand over: %w", err)
		}
		for _, h := range all {
			entries = append(
				entries,
				audit.Entry{
					Action:  h.Type + ".updated",
					Subject: audit.Subject{Type: h.Type, ID: h.ID, Display: h.Display},
					Changes: []audit.Change{
						{Field: h.Field, From: h.From, To: h.To},
					},
					Context: map[string]any{"reason": "handover"},
				},
			)
		}
	}
	return audit.RecordAll(ctx, tx, entries)
}

// toHeirs gives what leavers own, e, to their backup owners, who may own it already.
const toHeirs = `
		   set owner_ids = case when heir.id = any(e.owner_ids) then array_remove(e.owner_ids, gone.id)
		       else array_replace(e.owner_ids, gone.id, heir.id) end,
		       updated_at = @now, version = e.version + 1
		  from identity gone, identity heir
		 where e.tenant_id = current_tenant()
		   and e.owner_ids <> '{}'
		   and gone.tenant_id = current_tenant()
		   and gone.id = any(e.owner_ids)
		   and gone.status in ('deactivated', 'archived')
		   and heir.tenant_id = current_tenant()
		   and heir.id = gone.backup_owner_id
		   and heir.status not in ('deactivated', 'archived')`

// keepOwners keeps what the roles of moved say at their new versions, with other owners: drafts and comparisons go
// back to every version.
const keepOwners = `
		    insert into role_version (tenant_id, role_id, version, content, changed_by)
		    select m.tenant_id, m.id, m.version, said.content || jsonb_build_object('owner_ids', m.owner_ids),
		        @by::jsonb
		      from moved m
		     cross join lateral (select v.content from role_version v where v.role_id = m.id order by v.version desc
		         limit 1) said`

func actor(v viewer.Viewer) map[string]any {
	return map[string]any{"type": string(v.Kind), "id": v.ID, "display": v.Display}
}

// Responsibility is something that an identity owns, sponsors or manages.
type Responsibility struct {
	// Type of the object. report: an identity whose manager this person is.
	Type string `json:"type" db:"type" enum:"entitlement,role,identity,account,report"`
	// ID of the entitlement, role or identity.
	ID string `json:"id" db:"id"`
	// Name of the entitlement, role or identity.
	Display string `json:"display" db:"display"`
	// How the person is responsible: as its owner, sponsor, backup owner or manager.
	As string `json:"as" db:"as" enum:"owner,sponsor,backup_owner,manager"`
}

// handoverLimit is the most of what is listed of each kind.
const handoverLimit = 500

// Handover lists the responsibilities of an identity, which others have to take over when it leaves.
func (s *Service) Handover(ctx context.Context, v viewer.Viewer, id string) (list []Responsibility, err error) {
	const sql = `
		(select 'entitlement' as type, e.id::text, coalesce(nullif(e.display_name, ''), e.name) as display,
		    'owner' as "as"
		   from entitlement e where e.tenant_id = current_tenant() and $1 = any(e.owner_ids) order by e.id limit $2)
		 union all
		(select 'role', r.id::text, r.name, 'owner' from role r
		  where r.tenant_id = current_tenant() and $1 = any(r.owner_ids) and r.lifecycle <> 'retired' order by r.name,
		      r.id limit $2)
		 union all
		(select 'identity', i.id::text, i.display_name, 'sponsor' from identity i
		  where i.tenant_id = current_tenant() and i.sponsor_id = $1 and i.status <> 'archived' order by i.id limit $2)
		 union all
		(select 'identity', i.id::text, i.display_name, 'backup_owner' from identity i
		  where i.tenant_id = current_tenant() and i.backup_owner_id = $1 and i.status <> 'archived' order by i.id
		      limit $2)
		 union all
		(select 'report', i.id::text, i.display_name, 'manager' from identity i
		  where i.tenant_id = current_tenant() and i.manager_id = $1 and i.status not in ('deactivated', 'archived')
		      order by i.id limit $2)`
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if _, err := identity.Find(ctx, tx, id); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, sql, id, handoverLimit)
		if err != nil {
			return fmt.Errorf("list the responsibilities of an identity: %w", err)
		}
		list, err = pgx.CollectRows(rows, pgx.RowToStructByName[Responsibility])
		return err
	})
	return list, err
}

// HandoverView is what others have to take over.
type HandoverView struct {
	// At most 500 of each kind.
	Items []Responsibility `json:"items" nullable:"false"`
}

type oneIn struct {
	// ID of the identity.
	ID string `path:"id"`
}

// handover is GET …/handover.
func (s *Service) handover(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[HandoverView], error) {
	list, err := s.Handover(ctx, v, in.ID)
	if err != nil {
		return nil, err
	}
	return &httpapi.One[HandoverView]{Body: HandoverView{Items: list}}, nil
}
