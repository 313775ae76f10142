-- +goose Up

create table access_request (
    tenant_id          uuid        not null references tenant,
    id                 uuid        not null,
    number             bigint      not null,
    requested_for      uuid        not null,
    requested_by       jsonb       not null,
    requester_id       uuid,
    kind               text        not null default 'grant',
    urgency            text        not null default 'normal',
    justification      text        not null default '',
    external_reference text,
    status             text        not null default 'submitted',
    reason_code        text,
    preview            jsonb,
    expires_at         timestamptz,
    submitted_at       timestamptz not null default now(),
    approved_at        timestamptz,
    rejected_at        timestamptz,
    fulfilled_at       timestamptz,
    closed_at          timestamptz,
    updated_at         timestamptz not null default now(),
    version            int         not null default 1,
    constraint access_request_pk primary key (tenant_id, id),
    constraint access_request_number_unique unique (tenant_id, number),
    constraint access_request_kind_known check (kind in ('grant', 'extend', 'revoke', 'return')),
    constraint access_request_urgency_known check (urgency in ('normal', 'emergency')),
    constraint access_request_status_known check (status in ('submitted', 'pending_approval', 'blocked', 'approved', 'rejected', 'cancelled',
        'expired', 'scheduled', 'provisioning', 'fulfilled', 'partially_fulfilled', 'failed', 'closed'))
);
comment on table access_request is 'Somebody asks for access, for themselves or another person. Its items are decided apart.';
comment on column access_request.requester_id is 'The identity of whoever asks; null: an integration.';
call secure_tenant_table('access_request', 'select, insert, update');

create table access_request_item (
    tenant_id      uuid        not null references tenant,
    id             uuid        not null,
    request_id     uuid        not null,
    position       int         not null,
    role_id        uuid,
    entitlement_id uuid,
    account_id     uuid,
    parameters     jsonb       not null default '{}',
    status         text        not null default 'submitted',
    duration       text,
    starts_at      timestamptz,
    ends_at        timestamptz,
    plan           jsonb       not null default '{}',
    decision       text,
    decision_code  text,
    decision_reason text,
    decided_at     timestamptz,
    target_item_id uuid,
    fulfilment     jsonb       not null default '{}',
    updated_at     timestamptz not null default now(),
    constraint access_request_item_pk primary key (tenant_id, id),
    constraint access_request_item_request foreign key (tenant_id, request_id) references access_request (tenant_id, id) on delete cascade,
    constraint access_request_item_one check ((role_id is null) <> (entitlement_id is null)),
    constraint access_request_item_status_known check (status in ('submitted', 'pending_approval', 'blocked', 'approved', 'rejected', 'cancelled',
        'expired', 'scheduled', 'provisioning', 'fulfilled', 'failed', 'closed'))
);
comment on table access_request_item is 'One role or entitlement of a request.';
comment on column access_request_item.plan is 'Who had to agree, as it was resolved when the request was submitted.';
comment on column access_request_item.target_item_id is 'Of a request to extend or return: the item that gave the access.';
comment on column access_request_item.fulfilment is 'How far the access is: what the fulfilment last told.';
call secure_tenant_table('access_request_item', 'select, insert, update');
create index access_request_item_by_request on access_request_item (tenant_id, request_id);
