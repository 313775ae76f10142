-- +goose Up

create table fulfilment (
    tenant_id      uuid        not null references tenant,
    item_id        uuid        not null,
    request_id     uuid        not null,
    identity_id    uuid        not null,
    role_id        uuid,
    entitlement_id uuid,
    account_id     uuid,
    assignment_id  uuid,
    kind           text        not null,
    state          text        not null,
    starts_at      timestamptz,
    lasts          interval,
    ends_at        timestamptz,
    verified_at    timestamptz,
    due_at         timestamptz not null default now(),
    told           jsonb       not null default '{}',
    ended_reason   text,
    created_at     timestamptz not null default now(),
    updated_at     timestamptz not null default now(),
    constraint fulfilment_pk primary key (tenant_id, item_id),
    constraint fulfilment_state_known check (state in ('scheduled', 'provisioning', 'fulfilled', 'failed', 'ending', 'closed'))
);
comment on table fulfilment is 'What became of an approved item of an access request, from the decision until the access is gone again.';
comment on column fulfilment.lasts is 'How long it is for: counted from verified_at, when the target was seen to have it.';
comment on column fulfilment.due_at is 'When it is looked at next.';
call secure_tenant_table('fulfilment', 'select, insert, update');
call readable_across('fulfilment', 'tenant_id, state, due_at');
create index fulfilment_due on fulfilment (due_at) where state <> 'closed';
