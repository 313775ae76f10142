-- +goose Up

alter table identity add column manager_from_source boolean not null default false;
comment on column identity.manager_from_source is
    'Whether manager_external_id was taken from a source''s reference, and so goes when the reference goes. What was set through the API stays.';

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
       and g.status in ('active', 'pending', 'ending')
      join account a
        on a.tenant_id = current_tenant()
       and a.id = g.account_id
     where a.identity_id is not null
$$;
-- +goose StatementEnd
comment on function visible_grant() is
    'The grants a manager (all of their reports'' grants) or resource owner may see: on what they own, those through which visible_identity() shows a person, so that no grant names somebody who is hidden.';

-- +goose StatementBegin
create function visible_account() returns table (id uuid) language sql stable parallel safe
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
       and g.status in ('active', 'pending', 'ending')
      join account a
        on a.tenant_id = current_tenant()
       and a.id = g.account_id
     where a.identity_id is not null
$$;
-- +goose StatementEnd
comment on function visible_account() is
    'The accounts a manager (those of their reports) or resource owner (those that hold what they own) may see. An account without an owner is for admins and auditors.';

-- +goose StatementBegin
create function visible_entitlement() returns table (id uuid) language sql stable parallel safe
as $$
    select o.id from owned_entitlement() o
     union
    select g.entitlement_id
      from managed_identity() m
      join account a
        on a.tenant_id = current_tenant()
       and a.identity_id = m.id
      join access_grant g
        on g.tenant_id = current_tenant()
       and g.account_id = a.id
       and g.status not in ('revoked', 'failed')
$$;
-- +goose StatementEnd
comment on function visible_entitlement() is
    'The entitlements a resource owner (what they own) or manager (what their reports hold) may see.';
