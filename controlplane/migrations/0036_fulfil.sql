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
create index fulfilment_by_assignment on fulfilment (tenant_id, assignment_id) where assignment_id is not null;

create table fulfilment_turn (
    tenant_id uuid   not null references tenant,
    id        bigint not null generated always as identity,
    source_id uuid   not null,
    constraint fulfilment_turn_pk primary key (tenant_id, id)
);
comment on table fulfilment_turn is 'Items and assignments of which a reason has ended: fulfilments to look at.';
call secure_tenant_table('fulfilment_turn', 'select, insert, update, delete');
call readable_across('fulfilment_turn', 'tenant_id');

-- +goose StatementBegin
create function reason_tells_fulfilment() returns trigger language plpgsql
as $$
begin
    insert into fulfilment_turn (tenant_id, source_id) values (new.tenant_id, new.source_id);
    return null;
end $$;
-- +goose StatementEnd
comment on function reason_tells_fulfilment() is
    'Whatever ends requested access, be it its time, an administrator or the end of a role, its request hears of it.';

create trigger reason_tells_fulfilment after update on access_reason for each row
    when (new.state = 'ended' and old.state <> 'ended' and new.source_type in ('access_request', 'role_assignment')
      and new.kind in ('request', 'emergency'))
    execute function reason_tells_fulfilment();
