-- +goose Up

-- Webhooks and their deliveries.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

create table webhook (
    tenant_id            uuid        not null references tenant,
    id                   uuid        not null,
    name                 text        not null,
    url                  text        not null,
    state                text        not null default 'enabled',
    state_reason         text        not null default '',
    state_changed_at     timestamptz not null default now(),
    events               text[]      not null,
    filter               jsonb,
    headers_sealed       bytea,
    header_names         text[]      not null default '{}',
    max_rps              int,
    ordered_per_subject  boolean     not null default false,
    format               text        not null default 'standard',
    owner_ids            uuid[]      not null default '{}',
    last_success_at      timestamptz,
    last_failure_at      timestamptz,
    consecutive_failures int         not null default 0,
    exhausted            int         not null default 0,
    exhausted_since      timestamptz,
    blocked              int         not null default 0,
    warned_at            timestamptz,
    pinged_at            timestamptz,
    probe_at             timestamptz,
    probes               int         not null default 0,
    paced_until          timestamptz,
    created_at           timestamptz not null default now(),
    updated_at           timestamptz not null default now(),
    version              int         not null default 1,
    constraint webhook_pk primary key (tenant_id, id),
    constraint webhook_format_known check (format in ('standard', 'cloudevents')),
    constraint webhook_max_rps_positive check (max_rps > 0),
    constraint webhook_state_known check (state in ('enabled', 'disabled', 'disabled_auto'))
);
comment on table webhook is 'One webhook: an address that receives events.';
comment on column webhook.exhausted is
    'Number of deliveries abandoned since the last success. The column exhausted_since is the time of the first; '
    'blocked counts those to refused addresses.';
comment on column webhook.probe_at is
    'When the next delivery may be tried while the endpoint fails repeatedly. The column probes counts these '
    'attempts. Null while it works.';
comment on column webhook.paced_until is
    'Earliest start of the next delivery under max_rps. Null before the first limited delivery.';
call secure_tenant_table('webhook');
call readable_across('webhook', 'tenant_id, id, state, probe_at');
create unique index webhook_name_unique on webhook (tenant_id, lower(name));

create table webhook_secret (
    tenant_id  uuid        not null references tenant,
    id         uuid        not null,
    webhook_id uuid        not null,
    sealed     bytea       not null,
    state      text        not null default 'active',
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    constraint webhook_secret_pk primary key (tenant_id, id),
    constraint webhook_secret_webhook foreign key (tenant_id, webhook_id) references webhook (tenant_id, id) on delete cascade,
    constraint webhook_secret_state_known check (state in ('active', 'retiring'))
);
comment on table webhook_secret is
    'One secret that signs a webhook''s deliveries. A retiring secret signs in addition to the active one until it '
    'expires.';
call secure_tenant_table('webhook_secret');
create index webhook_secret_by_webhook on webhook_secret (tenant_id, webhook_id);

create table webhook_delivery (
    tenant_id     uuid        not null,
    id            uuid        not null,
    webhook_id    uuid        not null,
    event_id      uuid        not null,
    event_type    text        not null,
    resource_id   uuid        not null,
    sequence      bigint      not null,
    purpose       text        not null default 'event',
    redelivery_of uuid,
    format        text        not null,
    state         text        not null default 'pending',
    attempt       int         not null default 0,
    repeats       int         not null default 0,
    offsets       int[]       not null,
    first_at      timestamptz,
    due_at        timestamptz not null,
    overdue       boolean     not null default false,
    lease_owner   uuid,
    lease_until   timestamptz,
    attempts      jsonb       not null default '[]',
    last_status   int,
    last_error    text,
    created_at    timestamptz not null default now(),
    ended_at      timestamptz,
    constraint webhook_delivery_pk primary key (tenant_id, id),
    constraint webhook_delivery_attempts_bounded check (attempt between 0 and 5),
    constraint webhook_delivery_purpose_known check (purpose in ('event', 'redelivery', 'replay', 'ping')),
    constraint webhook_delivery_state_known check (state in ('pending', 'succeeded', 'exhausted', 'skipped'))
);
comment on table webhook_delivery is
    'One delivery of one event to one webhook. Completed deliveries are deleted after 30 days, and all deliveries '
    'are deleted with their webhook.';
comment on column webhook_delivery.attempt is
    'Number of attempts with a known outcome. The column repeats counts attempts whose outcome is unknown.';
comment on column webhook_delivery.offsets is
    'When each attempt is due, in milliseconds. The first counts from created_at, the others from first_at. They '
    'are chosen once at random.';
comment on column webhook_delivery.overdue is 'True if a due attempt was missed and has been postponed once.';
call secure_tenant_table('webhook_delivery');
call readable_across('webhook_delivery', 'tenant_id, webhook_id, state, due_at');
create index webhook_delivery_due on webhook_delivery (tenant_id, webhook_id, due_at) where state = 'pending';
create index webhook_delivery_in_turn on webhook_delivery (tenant_id, webhook_id, resource_id, sequence) where state = 'pending';
create index webhook_delivery_leased on webhook_delivery (tenant_id, webhook_id, lease_until) where lease_until is not null;
create index webhook_delivery_listed on webhook_delivery (tenant_id, webhook_id, created_at, id);
create index webhook_delivery_of_event on webhook_delivery (tenant_id, event_id);
