-- +goose Up

-- Where in the stage a change comes from, so that a part of what is held can be let go.
alter table sync_change
    add column stage_seq int,
    add column stage_ord int,
    add column parent_id uuid;
comment on column sync_change.parent_id is 'Of a grant, the entitlement that is held; of a nesting, the outer one, while object_id is the inner.';
create index sync_change_held on sync_change (tenant_id, run_id, n) where state = 'held';

-- Who tells of a nesting decides which reading can prove that it is gone.
alter table entitlement_edge
    add column told_by text not null default 'grant',
    add constraint entitlement_edge_told_by_known check (told_by in ('grant', 'parent'));
comment on column entitlement_edge.told_by is
    'grant: the outer entitlement lists its members. parent: the inner entitlement''s own record names those it belongs to.';

-- A grant that is missing, or being revoked, is still held as far as is known: absence has no effect on what anybody may see
-- until it is proven.

-- +goose StatementBegin
create function holds_access(status text) returns boolean language sql immutable parallel safe
as $$ select status in ('active', 'pending', 'ending', 'revoking', 'missing') $$;
-- +goose StatementEnd
comment on function holds_access(text) is 'The states of a grant in which its holder is shown to whoever owns the entitlement.';

-- +goose StatementBegin
create or replace function visible_identity() returns table (id uuid) language sql stable parallel safe
as $$
    select m.id from managed_identity() m
     union
    select a.identity_id
      from owned_entitlement() o
      join access_grant g
        on g.tenant_id = current_tenant()
       and g.entitlement_id = o.id
       and holds_access(g.status)
      join account a
        on a.tenant_id = current_tenant()
       and a.id = g.account_id
     where a.identity_id is not null
$$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function visible_grant() returns table (id uuid) language sql stable parallel safe
as $$
    select g.id
      from managed_identity() m
      join account a
        on a.tenant_id = current_tenant()
       and a.identity_id = m.id
      join access_grant g
        on g.tenant_id = current_tenant()
       and g.account_id = a.id
     union
    select g.id
      from owned_entitlement() o
      join access_grant g
        on g.tenant_id = current_tenant()
       and g.entitlement_id = o.id
       and holds_access(g.status)
      join account a
        on a.tenant_id = current_tenant()
       and a.id = g.account_id
     where a.identity_id is not null
$$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function visible_account() returns table (id uuid) language sql stable parallel safe
as $$
    select a.id
      from managed_identity() m
      join account a
        on a.tenant_id = current_tenant()
       and a.identity_id = m.id
     union
    select a.id
      from owned_entitlement() o
      join access_grant g
        on g.tenant_id = current_tenant()
       and g.entitlement_id = o.id
       and holds_access(g.status)
      join account a
        on a.tenant_id = current_tenant()
       and a.id = g.account_id
     where a.identity_id is not null
$$;
-- +goose StatementEnd
