-- +goose Up

create table access_policy (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    name            text        not null,
    description     text        not null default '',
    enabled         boolean     not null default true,
    mode            text        not null default 'shadow',
    effect          text        not null default 'assign',
    birthright      boolean     not null default false,
    priority        int         not null default 100,
    owner_ids       uuid[]      not null default '{}',
    subject         jsonb       not null,
    resources       jsonb       not null default '{}',
    lifecycle       jsonb       not null default '{}',
    breaker         jsonb,
    tripped_at      timestamptz,
    origin          jsonb       not null default '{"kind": "manual"}',
    stats           jsonb       not null default '{}',
    evaluated_at    timestamptz,
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    deleted_at      timestamptz,
    version         int         not null default 1,
    constraint access_policy_pk primary key (tenant_id, id),
    constraint access_policy_mode_known check (mode in ('shadow', 'enforce')),
    constraint access_policy_effect_known check (effect in ('assign', 'deny'))
);
comment on table access_policy is 'Who is given, or may not hold, what, by rule. One with birthright fires by itself when an identity is made or changes.';
call secure_tenant_table('access_policy');

-- Whose rules have to be looked at. Rows are only ever added and taken.
create table identity_turn (
    tenant_id   uuid        not null references tenant,
    id          bigint      not null generated always as identity,
    identity_id uuid        not null,
    urgent      boolean     not null default false,
    since       timestamptz not null default now(),
    constraint identity_turn_pk primary key (tenant_id, id)
);
comment on table identity_turn is 'People who were made or have changed in what rules ask for. The evaluation of policies takes the rows.';
call secure_tenant_table('identity_turn', 'select, insert, delete');
call readable_across('identity_turn', 'tenant_id, urgent, since');
