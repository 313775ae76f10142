-- +goose Up

create table role (
    tenant_id   uuid        not null references tenant,
    id          uuid        not null,
    key         text        not null,
    name        text        not null,
    description text        not null default '',
    role_type   text        not null default 'business',
    lifecycle   text        not null default 'active',
    owner_ids   uuid[]      not null default '{}',
    origin      jsonb       not null default '{"kind": "manual"}',
    labels      jsonb       not null default '{}',
    created_at  timestamptz not null default now(),
    updated_at  timestamptz not null default now(),
    version     int         not null default 1,
    constraint role_pk primary key (tenant_id, id),
    constraint role_key_unique unique (tenant_id, key),
    constraint role_type_known check (role_type in ('birthright', 'business', 'application', 'emergency', 'technical')),
    constraint role_lifecycle_known check (lifecycle in ('draft', 'proposed', 'active', 'deprecated', 'retired'))
);
comment on table role is 'A bundle of entitlements of any number of target systems, known to the tenant alone.';
call secure_tenant_table('role');

create table role_entitlement (
    tenant_id      uuid    not null references tenant,
    role_id        uuid    not null,
    entitlement_id uuid    not null,
    constraint role_entitlement_pk primary key (tenant_id, role_id, entitlement_id),
    constraint role_entitlement_role foreign key (tenant_id, role_id) references role (tenant_id, id) on delete cascade,
    constraint role_entitlement_entitlement foreign key (tenant_id, entitlement_id) references entitlement (tenant_id, id) on delete cascade
);
comment on table role_entitlement is 'What a role holds.';
call secure_tenant_table('role_entitlement');
create index role_entitlement_by_entitlement on role_entitlement (tenant_id, entitlement_id);

create table access_reason (
    tenant_id      uuid        not null references tenant,
    id             uuid        not null,
    identity_id    uuid        not null,
    connector_id   uuid        not null,
    entitlement_id uuid,
    account_id     uuid,
    effect         text        not null default 'allow',
    kind           text        not null,
    source_type    text        not null,
    source_id      uuid        not null,
    source_version int         not null default 1,
    role_id        uuid,
    note           text,
    state          text        not null default 'active',
    starts_at      timestamptz not null default now(),
    ends_at        timestamptz,
    ended_at       timestamptz,
    end_reason     text,
    details        jsonb       not null default '{}',
    created_by     jsonb       not null default '{}',
    created_at     timestamptz not null default now(),
    constraint access_reason_pk primary key (tenant_id, id),
    constraint access_reason_effect_known check (effect in ('allow', 'deny')),
    constraint access_reason_kind_known check (kind in ('birthright', 'policy', 'role', 'request', 'emergency', 'certified', 'exception', 'imported', 'manual')),
    constraint access_reason_state_known check (state in ('scheduled', 'active', 'ended'))
);
comment on table access_reason is
    'Why somebody should hold an entitlement, or an account of a system where entitlement_id is null. They should while any allow is active and no deny is. Rows are never deleted: they are the history of access.';
comment on column access_reason.account_id is 'The account that it is for, where that was said; else it is for their main account of the system.';
comment on column access_reason.source_id is 'The policy, role, request or user that it comes from.';
comment on column access_reason.ends_at is 'When it is to end: a limit of time, or the end of a grace.';
call secure_tenant_table('access_reason', 'select, insert, update');
create unique index access_reason_live on access_reason (tenant_id, identity_id, connector_id, entitlement_id, account_id, effect, kind, source_id, role_id)
    nulls not distinct where state <> 'ended';
create index access_reason_by_entitlement on access_reason (tenant_id, entitlement_id, identity_id) where state <> 'ended';
create index access_reason_by_source on access_reason (tenant_id, source_id) where state <> 'ended';
create index access_reason_to_start on access_reason (tenant_id, starts_at) where state = 'scheduled';
create index access_reason_to_end on access_reason (tenant_id, ends_at) where state = 'active' and ends_at is not null;
-- For the reasons of a pair, those that have ended too.
create index access_reason_history on access_reason (tenant_id, identity_id, entitlement_id);
-- Denials are few, and asked for with every allow.
create index access_reason_denying on access_reason (tenant_id, identity_id, connector_id) where effect = 'deny' and state = 'active';
create index access_reason_by_role on access_reason (tenant_id, role_id) where role_id is not null and state <> 'ended';

-- Whose access has to be looked at. Rows are only ever added and taken, never changed, so that nobody who adds one waits.
create table access_turn (
    tenant_id   uuid        not null references tenant,
    id          bigint      not null generated always as identity,
    identity_id uuid        not null,
    urgent      boolean     not null default false,
    since       timestamptz not null default now(),
    constraint access_turn_pk primary key (tenant_id, id)
);
comment on table access_turn is 'People of whom what they should hold, or an account of theirs, has changed. Provisioning takes the rows and plans.';
call secure_tenant_table('access_turn', 'select, insert, delete');
call readable_across('access_turn', 'tenant_id, urgent, since');

alter table access_grant
    add column suppress_reimport_until timestamptz,
    add column reappeared              boolean not null default false;
comment on column access_grant.suppress_reimport_until is
    'After we revoked it: until then a read that still shows it is taken for a late answer, and not for its return.';
comment on column access_grant.reappeared is 'It came back in the target after we had revoked it, and without a reason of ours.';

create index access_grant_reappeared on access_grant (tenant_id, connector_id) where reappeared;

-- +goose StatementBegin
create function grant_leaves_and_returns() returns trigger language plpgsql
as $$
begin
    if old.status = 'revoking' and new.status = 'revoked' then
        new.suppress_reimport_until := now() + interval '10 minutes';
        new.reappeared := false;
    elsif new.status = 'pending' then
        new.suppress_reimport_until := null;
        new.reappeared := false;
    end if;
    return new;
end $$;
-- +goose StatementEnd
comment on function grant_leaves_and_returns() is
    'Whoever ends a revocation, we or a reading that no longer finds the grant, begins the time in which a target may still answer late; a new order to grant ends it.';

create trigger grant_leaves_and_returns before update of status on access_grant
    for each row when (old.status = 'revoking' and new.status = 'revoked' or new.status = 'pending' and old.status <> 'pending')
    execute function grant_leaves_and_returns();
