package lookup

import (
	"context"
	"encoding/json"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Denial forbids a person a resource. Until is nil for one without an end.
type Denial struct {
	Until *time.Time
	// Note is the reason that was given for the denial.
	Note string
}

// Holding is access that exists already.
type Holding struct {
	Until *time.Time // nil: without an end
	By    string     // how the person comes to have it
}

// Duplicate is a request for the same access.
type Duplicate struct {
	RequestID string
	Serial    int64 // see accessrequest.Number
	// Status is that of the other request.
	Status string
}

// Denials returns for each wish the denial that forbids it. A denial outweighs every reason.
func Denials(ctx context.Context, tx *pg.Tx, asked string) (map[string]*Denial, error) {
	const sql = `
		select distinct on (a.wish) a.wish::text, d.ends_at, coalesce(d.note, '')
		  from jsonb_to_recordset($1::jsonb) a (wish uuid, person uuid, entitlement uuid, account uuid)
		  join entitlement e on e.id = a.entitlement
		  join access_reason d
		    on d.identity_id = a.person
		   and d.connector_id = e.connector_id
		   and d.effect = 'deny'
		   and d.state = 'active'
		   and (d.entitlement_id is null or d.entitlement_id = e.id)
		   and (d.account_id is null or d.account_id = a.account)
		 order by a.wish, coalesce(d.ends_at, 'infinity') desc`
	out := map[string]*Denial{}
	var id string
	var d Denial
	if err := pg.Each(ctx, tx, "find denials", []any{&id, &d.Until, &d.Note}, func() error {
		found := d
		out[id], d = &found, Denial{}
		return nil
	}, sql, asked); err != nil {
		return nil, err
	}
	return out, nil
}

// heldSQL finds what is held for some of the time that it is asked for: by a reason, by an assignment, or because
// the target shows it though nobody here gave it. What we have ended may be asked for again while it is still on its
// way out.
const heldSQL = `
	with asked as materialized (
	    select a.wish, a.person, a.role, a.entitlement, a.account, a.parameters,
	        coalesce(a.starts_at, now()) as starts_at, coalesce(a.ends_at, 'infinity') as ends_at
	      from jsonb_to_recordset($1::jsonb) a (wish uuid, person uuid, role uuid, entitlement uuid, account uuid,
	           parameters jsonb, starts_at timestamptz, ends_at timestamptz)
	), held as (
	    select a.wish, coalesce(r.ends_at, 'infinity') as until,
	        coalesce(nullif(r.details ->> 'source', ''), r.kind) as by
	      from asked a
	      join access_reason r
	        on r.identity_id = a.person
	       and r.entitlement_id = a.entitlement
	       and r.effect = 'allow'
	       and r.state <> 'ended'
	       and r.account_id is not distinct from a.account
	       and r.starts_at < a.ends_at
	       and coalesce(r.ends_at, 'infinity') > a.starts_at
	     union all
	    select a.wish, coalesce(r.ends_at, 'infinity'), coalesce(nullif(r.details ->> 'source', ''), r.kind)
	      from asked a
	      join access_reason r
	        on r.identity_id = a.person
	       and r.role_id = a.role
	       and r.effect = 'allow'
	       and r.state <> 'ended'
	       and r.source_type <> 'role_assignment'
	       and r.starts_at < a.ends_at
	       and coalesce(r.ends_at, 'infinity') > a.starts_at
	     union all
	    select a.wish, coalesce(s.ends_at, 'infinity'), coalesce(nullif(s.details ->> 'source', ''), s.kind)
	      from asked a
	      join role_assignment s
	        on s.identity_id = a.person
	       and s.role_id = a.role
	       and s.state <> 'ended'
	       and s.parameters = a.parameters
	       and s.starts_at < a.ends_at
	       and coalesce(s.ends_at, 'infinity') > a.starts_at
	     union all
	    select a.wish, 'infinity', case when g.directness = 'inherited' then 'another group'
	        else 'the system itself' end
	      from asked a
	      join account c
	        on c.identity_id = a.person
	       and (a.account is null or c.id = a.account)
	      join access_grant g
	        on g.account_id = c.id
	       and g.entitlement_id = a.entitlement
	       and g.status = 'active'
	     where not exists (select from access_reason r where r.identity_id = a.person
	         and r.entitlement_id = a.entitlement)
	)
	select distinct on (h.wish) h.wish::text, nullif(h.until, 'infinity'), h.by
	  from held h
	 order by h.wish, h.until desc, h.by`

// Held returns for each wish the access that exists for some of the requested time: by a reason, by an assignment, or
// because the target reports it although nothing here assigned it.
func Held(ctx context.Context, tx *pg.Tx, asked string) (map[string]*Holding, error) {
	out := map[string]*Holding{}
	var id string
	var h Holding
	if err := pg.Each(ctx, tx, "find existing access", []any{&id, &h.Until, &h.By}, func() error {
		found := h
		out[id], h = &found, Holding{}
		return nil
	}, heldSQL, asked); err != nil {
		return nil, err
	}
	return out, nil
}

// Duplicates returns for each wish the request for the same access that is open or being provisioned.
func Duplicates(ctx context.Context, tx *pg.Tx, asked string) (map[string]*Duplicate, error) {
	const sql = `
		select distinct on (a.wish) a.wish::text, q.id::text, q.number, q.status
		  from jsonb_to_recordset($1::jsonb) a (wish uuid, person uuid, role uuid, entitlement uuid, account uuid,
		      parameters jsonb)
		  join access_request_item i
		    on i.beneficiary_id = a.person
		   and i.kind = 'grant'
		   and i.status in ('submitted', 'pending_approval', 'blocked', 'approved', 'provisioning', 'failed')
		   and coalesce(i.fulfilment ->> 'state', '') not in ('ending', 'closed')
		   and i.role_id is not distinct from a.role
		   and i.entitlement_id is not distinct from a.entitlement
		   and i.account_id is not distinct from a.account
		   and i.parameters = a.parameters
		  join access_request q on q.id = i.request_id
		 order by a.wish, q.number`
	out := map[string]*Duplicate{}
	var id string
	var d Duplicate
	if err := pg.Each(
		ctx,
		tx,
		"find requests for the same",
		[]any{&id, &d.RequestID, &d.Serial, &d.Status},
		func() error {
			found := d
			out[id] = &found
			return nil
		},
		sql,
		asked,
	); err != nil {
		return nil, err
	}
	return out, nil
}

// Targets returns for each wish the newest item that gave the same access, by their ids.
func Targets(ctx context.Context, tx *pg.Tx, asked []map[string]any) (map[string]string, error) {
	const sql = `
		select distinct on (a.wish) a.wish::text, i.id::text
		  from jsonb_to_recordset($1::jsonb) a (wish uuid, person uuid, role uuid, entitlement uuid, account uuid)
		  join access_request_item i
		    on i.beneficiary_id = a.person
		   and i.kind = 'grant'
		   and i.given
		   and i.status in ('approved', 'scheduled', 'provisioning', 'fulfilled', 'failed')
		   and i.role_id is not distinct from a.role
		   and i.entitlement_id is not distinct from a.entitlement
		   and (a.account is null or i.account_id = a.account)
		 order by a.wish, i.id desc`
	text, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	of := map[string]string{}
	var wish, item string
	if err := pg.Each(
		ctx,
		tx,
		"find what gave access",
		[]any{&wish, &item},
		func() error { of[wish] = item; return nil },
		sql,
		string(text),
	); err != nil {
		return nil, err
	}
	return of, nil
}
