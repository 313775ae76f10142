-- +goose Up

create table entitlement (
    tenant_id            uuid        not null references tenant,
    id                   uuid        not null,
    connector_id         uuid,
    external_id          text        not null,
    native_ref           text,
    native_identity      text,
    kind                 text        not null default 'group',
    name                 text        not null default '',
    display_name         text        not null default '',
    description          text,
    business_description text,
    resource             jsonb,
    privileged           boolean     not null default false,
    risk_level           text        not null default 'low',
    requestable          boolean     not null default false,
    grantable            boolean     not null default true,
    revocable            boolean     not null default true,
    exclusion_group      text,
    max_members          int,
    owner_ids            uuid[]      not null default '{}',
    lifecycle            text        not null default 'active',
    attributes           jsonb       not null default '{}',
    labels               jsonb       not null default '{}',
    row_hash             bytea       not null,
    first_seen_at        timestamptz not null default now(),
    changed_run_id       uuid,
    missing_since        timestamptz,
    created_at           timestamptz not null default now(),
    updated_at           timestamptz not null default now(),
    version              int         not null default 1,
    constraint entitlement_pk primary key (tenant_id, id),
    constraint entitlement_external_id_unique unique nulls not distinct (tenant_id, connector_id, external_id),
    constraint entitlement_risk_known check (risk_level in ('low', 'medium', 'high', 'critical')),
    constraint entitlement_lifecycle_known check (lifecycle in ('active', 'deprecated', 'retired'))
);
comment on table entitlement is 'A right that can be granted in one target system: a group, role, permission set or licence.';
call secure_tenant_table('entitlement');
create index entitlement_by_connector on entitlement (tenant_id, connector_id, id);
create index entitlement_by_native_ref on entitlement (tenant_id, connector_id, native_ref) where native_ref is not null;

create table entitlement_edge (
    tenant_id      uuid        not null references tenant,
    member_id      uuid        not null,
    parent_id      uuid        not null,
    connector_id   uuid        not null,
    first_seen_at  timestamptz not null default now(),
    changed_run_id uuid,
    missing_since  timestamptz,
    constraint entitlement_edge_pk primary key (tenant_id, member_id, parent_id),
    constraint entitlement_edge_member foreign key (tenant_id, member_id) references entitlement (tenant_id, id) on delete cascade,
    constraint entitlement_edge_parent foreign key (tenant_id, parent_id) references entitlement (tenant_id, id) on delete cascade
);
comment on table entitlement_edge is 'Nesting: whoever holds member_id holds parent_id too. Cycles may occur in a target and are walked safely.';
call secure_tenant_table('entitlement_edge');
create index entitlement_edge_by_parent on entitlement_edge (tenant_id, parent_id);

create table access_grant (
    tenant_id      uuid        not null references tenant,
    id             uuid        not null,
    connector_id   uuid        not null,
    account_id     uuid        not null,
    entitlement_id uuid        not null,
    external_id    text,
    directness     text        not null default 'direct',
    status         text        not null default 'active',
    immutable      boolean     not null default false,
    assigned_by    text,
    starts_at      timestamptz,
    ends_at        timestamptz,
    granted_at     timestamptz,
    last_used_at   timestamptz,
    attributes     jsonb       not null default '{}',
    labels         jsonb       not null default '{}',
    row_hash       bytea,
    first_seen_at  timestamptz not null default now(),
    changed_run_id uuid,
    missing_since  timestamptz,
    created_at     timestamptz not null default now(),
    updated_at     timestamptz not null default now(),
    version        int         not null default 1,
    constraint access_grant_pk primary key (tenant_id, id),
    constraint access_grant_pair_unique unique (tenant_id, account_id, entitlement_id),
    constraint access_grant_directness_known check (directness in ('direct', 'inherited')),
    constraint access_grant_status_known check (status in ('requested', 'pending', 'active', 'ending', 'revoking', 'revoked', 'failed', 'missing'))
);
comment on table access_grant is 'An account holds an entitlement, directly or through nesting. A pair that is both is direct; its paths tell the rest.';
call secure_tenant_table('access_grant');
create index access_grant_by_entitlement on access_grant (tenant_id, entitlement_id);
create index access_grant_inherited on access_grant (tenant_id, connector_id) where directness = 'inherited';

-- +goose StatementBegin
create function managed_identity() returns table (id uuid) language sql stable parallel safe
as $$
    with recursive report (id) as (
        select i.id
          from identity i
         where i.tenant_id = current_tenant()
           and i.manager_id = viewer_identity()
         union
        select i.id
          from report r
          join identity i
            on i.tenant_id = current_tenant()
           and i.manager_id = r.id
    )
    select report.id
      from report
     where viewer_has_role('manager')
       and report.id <> viewer_identity()
$$;
-- +goose StatementEnd
comment on function managed_identity() is
    'Direct and indirect reports of the viewer, who is not among them. union, not union all, so that a cycle of managers ends.';

-- +goose StatementBegin
create function owned_entitlement() returns table (id uuid) language sql stable parallel safe
as $$
    select e.id
      from entitlement e
     where e.tenant_id = current_tenant()
       and viewer_has_role('resource_owner')
       and viewer_identity() = any (e.owner_ids)
$$;
-- +goose StatementEnd

-- +goose StatementBegin
create function visible_identity() returns table (id uuid) language sql stable parallel safe
as $$
    select m.id from managed_identity() m
     union
    select a.identity_id
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
comment on function visible_identity() is
    'The people a manager or resource owner may see: the one place of this rule. For viewers who see all, stores ask sees_all() instead.';

-- +goose StatementBegin
create function visible_grant() returns table (id uuid) language sql stable parallel safe
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
