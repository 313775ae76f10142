-- +goose Up

-- +goose StatementBegin
create function new_event_id() returns uuid language sql volatile
as $$
    select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;
-- +goose StatementEnd
comment on function new_event_id() is 'A UUID of version 7 (RFC 9562), for rows that a statement makes by the thousand.';

create table event_wish (
    tenant_id uuid not null references tenant,
    listener  text not null,
    kind      text not null,
    constraint event_wish_pk primary key (tenant_id, listener, kind)
);
comment on table event_wish is 'Which kinds of event a listener of a tenant wants. What nobody wants is not written.';
call secure_tenant_table('event_wish');

-- The tables that a sync may fill by the hundred thousand have no foreign keys, as those of people and access.

create table event (
    tenant_id     uuid        not null,
    id            uuid        not null default new_event_id(),
    kind          text        not null,
    resource_type text        not null,
    resource_id   uuid        not null,
    sequence      bigint      not null,
    version       int,
    changed       text[]      not null default '{}',
    data          jsonb       not null default '{}',
    at            timestamptz not null default clock_timestamp(),
    constraint event_pk primary key (tenant_id, id)
);
comment on table event is 'What happened, written in the transaction that made it true and kept for 30 days.';
comment on column event.sequence is 'Counts the events of the resource, so that a receiver can put aside one that comes late.';
call secure_tenant_table('event');
create index event_by_time on event (tenant_id, at, id);

create table event_head (
    tenant_id     uuid   not null,
    resource_type text   not null,
    resource_id   uuid   not null,
    sequence      bigint not null,
    constraint event_head_pk primary key (tenant_id, resource_type, resource_id)
);
comment on table event_head is 'The last sequence number of each resource that an event was written about.';
call secure_tenant_table('event_head');

create sequence event_order;
grant usage on sequence event_order to grantwright_app;

create table event_due (
    tenant_id uuid   not null,
    listener  text   not null,
    n         bigint not null default nextval('event_order'),
    event_id  uuid   not null,
    constraint event_due_pk primary key (tenant_id, listener, n)
);
comment on table event_due is
    'The events that a listener has still to hear. A row is deleted by who handles it, in the same transaction, so that none is passed over however late it was committed.';
call secure_tenant_table('event_due');
call readable_across('event_due', 'tenant_id, listener');

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
    constraint webhook_state_known check (state in ('enabled', 'disabled', 'disabled_auto')),
    constraint webhook_format_known check (format in ('standard', 'cloudevents')),
    constraint webhook_max_rps_positive check (max_rps > 0)
);
comment on table webhook is 'An address that is told of events.';
comment on column webhook.exhausted is 'Deliveries given up since the last success; exhausted_since: the first of them; blocked: those whose address was refused.';
comment on column webhook.probe_at is 'While the endpoint keeps failing, when the next delivery may be tried; probes: how many were since.';
comment on column webhook.paced_until is 'Where max_rps lets the next delivery begin.';
create unique index webhook_name_unique on webhook (tenant_id, lower(name));
call secure_tenant_table('webhook');
call readable_across('webhook', 'tenant_id, id, state, probe_at');

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
comment on table webhook_secret is 'What a webhook''s deliveries are signed with. A retiring one signs beside the active one until it expires.';
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
    constraint webhook_delivery_purpose_known check (purpose in ('event', 'redelivery', 'replay', 'ping')),
    constraint webhook_delivery_state_known check (state in ('pending', 'succeeded', 'exhausted', 'skipped')),
    constraint webhook_delivery_attempts_bounded check (attempt between 0 and 5)
);
comment on table webhook_delivery is 'One event on its way to one webhook. Deleted after 30 days.';
comment on column webhook_delivery.attempt is 'Attempts whose outcome is known; repeats: how often one was begun whose outcome nobody knows.';
comment on column webhook_delivery.offsets is 'When each attempt is due, in milliseconds: the first from created_at, the others from first_at. Drawn once.';
comment on column webhook_delivery.overdue is 'The attempt that is due was missed, and has been put off once.';
call secure_tenant_table('webhook_delivery');
call readable_across('webhook_delivery', 'tenant_id, webhook_id, state, due_at');
create index webhook_delivery_due on webhook_delivery (tenant_id, webhook_id, due_at) where state = 'pending';
create index webhook_delivery_in_turn on webhook_delivery (tenant_id, webhook_id, resource_id, sequence) where state = 'pending';
create index webhook_delivery_leased on webhook_delivery (tenant_id, webhook_id, lease_until) where lease_until is not null;
create index webhook_delivery_listed on webhook_delivery (tenant_id, webhook_id, created_at, id);
create index webhook_delivery_of_event on webhook_delivery (tenant_id, event_id);
