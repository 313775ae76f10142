-- +goose Up

create table provisioning_task (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    connector_id    uuid        not null,
    operation       text        not null,
    identity_id     uuid,
    account_id      uuid,
    grant_id        uuid,
    entitlement_id  uuid,
    payload         jsonb       not null default '{}',
    reason_refs     jsonb       not null default '[]',
    created_from    text        not null,
    mode            text        not null default 'auto',
    lane            text        not null default 'normal',
    state           text        not null default 'queued',
    idempotency_key uuid        not null,
    depends_on      uuid[]      not null default '{}',
    attempts        int         not null default 0,
    next_attempt_at timestamptz not null default now(),
    lease_owner     uuid,
    lease_until     timestamptz,
    outcome         text,
    error           jsonb,
    error_class     text,
    advice          text,
    plan            jsonb,
    changes         jsonb,
    verified        text        not null default 'none',
    verified_by     text,
    verified_at     timestamptz,
    verified_run_id uuid,
    assigned_to     uuid,
    note            text,
    created_by      jsonb       not null default '{}',
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    finished_at     timestamptz,
    version         int         not null default 1,
    tries           int         not null default 0,
    unsure          boolean     not null default false,
    replan          boolean     not null default false,
    executed_by     jsonb,
    constraint provisioning_task_pk primary key (tenant_id, id),
    constraint provisioning_task_operation_known check (operation in ('create_account', 'update_account', 'rename_account', 'enable', 'disable',
        'delete_account', 'unlock', 'set_password', 'grant', 'revoke')),
    constraint provisioning_task_mode_known check (mode in ('auto', 'manual', 'simulate')),
    constraint provisioning_task_lane_known check (lane in ('normal', 'urgent')),
    constraint provisioning_task_state_known check (state in ('queued', 'blocked', 'running', 'verifying', 'retrying', 'done', 'failed', 'manual', 'cancelled', 'simulated')),
    constraint provisioning_task_verified_known check (verified in ('none', 'pending', 'yes', 'no'))
);
comment on table provisioning_task is 'One change of a target system that is to be made, is being made or was made. Rows are never deleted.';
comment on column provisioning_task.tries is 'The attempts that count: those that ended because of the change itself, not because nobody could sign in or the target asked for patience.';
comment on column provisioning_task.unsure is 'Whether it may have been made although nobody saw it: what is there now is read before it is sent again.';
comment on column provisioning_task.replan is 'Whether the person was to have the opposite while it was being made: they are looked at again when it has ended.';
call secure_tenant_table('provisioning_task', 'select, insert, update');
call readable_across('provisioning_task', 'tenant_id, connector_id, state, next_attempt_at, lease_until, lane, mode');

-- What is planned twice is planned once: one open change of a grant, of whether an account can be used, and of each kind of an account.
-- A deletion that waits for the account to be disabled stands beside that.
create unique index provisioning_task_of_grant on provisioning_task (tenant_id, grant_id)
    where grant_id is not null and state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual');
create unique index provisioning_task_of_life on provisioning_task (tenant_id, account_id)
    where operation in ('create_account', 'enable', 'disable', 'delete_account') and account_id is not null and mode <> 'simulate'
      and state in ('queued', 'running', 'retrying', 'failed', 'manual');
create unique index provisioning_task_of_account on provisioning_task (tenant_id, account_id, operation)
    where operation not in ('grant', 'revoke') and account_id is not null and mode <> 'simulate'
      and state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual');
create unique index provisioning_task_simulated on provisioning_task (tenant_id, connector_id, identity_id, account_id, entitlement_id, operation) nulls not distinct
    where mode = 'simulate' and created_from <> 'manual' and state <> 'cancelled';

create index provisioning_task_due on provisioning_task (next_attempt_at, tenant_id, connector_id)
    where state in ('queued', 'retrying') and mode <> 'manual';
create index provisioning_task_held on provisioning_task (tenant_id, connector_id, lease_until) where state = 'running';
create index provisioning_task_lane on provisioning_task (tenant_id, connector_id, lane, next_attempt_at, id)
    where state in ('queued', 'retrying') and mode <> 'manual';
create index provisioning_task_waiting on provisioning_task using gin (depends_on) where state in ('blocked', 'manual');
create index provisioning_task_unverified on provisioning_task (tenant_id, connector_id) where state = 'verifying';
create index provisioning_task_finished on provisioning_task (tenant_id, connector_id, operation, finished_at) where finished_at is not null;
create index provisioning_task_by_account on provisioning_task (tenant_id, account_id);
create index provisioning_task_by_identity on provisioning_task (tenant_id, identity_id);

create table provisioning_attempt (
    tenant_id   uuid        not null references tenant,
    task_id     uuid        not null,
    n           int         not null,
    at          timestamptz not null default now(),
    request_id  uuid        not null,
    outcome     text,
    error_class text,
    upstream    jsonb,
    executed_by jsonb,
    latency_ms  int,
    constraint provisioning_attempt_pk primary key (tenant_id, task_id, n)
);
comment on table provisioning_attempt is 'Each time a task was sent. A row without outcome is one whose end nobody saw.';
call secure_tenant_table('provisioning_attempt', 'select, insert, update');

-- One process at a time makes a connector's changes, so that how many are made at once is known, and none meets another.
create table provisioning_lane (
    tenant_id    uuid        not null references tenant,
    connector_id uuid        not null,
    owner        uuid,
    lease_until  timestamptz,
    wait_until   timestamptz,
    wait_code    text,
    wait_reason  text,
    wait_since   timestamptz,
    failures     int         not null default 0,
    counted_from timestamptz not null default '-infinity',
    ops          text[],
    ops_why      text,
    ops_version  int,
    planned_mode text,
    constraint provisioning_lane_pk primary key (tenant_id, connector_id)
);
comment on table provisioning_lane is 'The making of changes in one connector''s target: who is at it, until when it waits and why, and what the connector can change.';
comment on column provisioning_lane.failures is 'How often, one after the other, the target could not be worked with at all.';
comment on column provisioning_lane.counted_from is 'Since when changes count for the circuit breaker: it was closed then.';
comment on column provisioning_lane.planned_mode is 'The write mode under which people were last looked at; another one has them looked at again.';
call secure_tenant_table('provisioning_lane');
call readable_across('provisioning_lane', 'tenant_id, connector_id, lease_until, wait_until');

create table provisioning_switch (
    tenant_id  uuid        not null references tenant,
    writes     boolean     not null default true,
    reason     text,
    changed_by jsonb       not null default '{}',
    changed_at timestamptz not null default now(),
    version    int         not null default 1,
    constraint provisioning_switch_pk primary key (tenant_id)
);
comment on table provisioning_switch is 'The tenant''s kill switch: without writes nothing is sent to any target. A tenant without a row writes.';
call secure_tenant_table('provisioning_switch');

-- What we made of accounts and grants. A grant or an account that no reason of ours ever asked for is native: it is never taken away by rule.
alter table account
    add column wanted_at    timestamptz,
    add column disabled_for text,
    add column disabled_at  timestamptz,
    add constraint account_disabled_for_known check (disabled_for in ('left', 'leave', 'unwanted', 'order'));
comment on column account.wanted_at is 'Since when a reason of ours asks, or has asked, for it.';
comment on column account.disabled_for is 'Why we disabled it; null: we did not, or it was enabled again.';
create index account_we_disabled on account (tenant_id, disabled_at) where disabled_for is not null;
alter table access_grant add column wanted_at timestamptz;
comment on column access_grant.wanted_at is 'Since when a reason of ours asks, or has asked, for it.';
create index access_grant_to_end on access_grant (tenant_id, ends_at) where status = 'active' and ends_at is not null and wanted_at is not null;

-- Who leaves, returns or is to be gone at once is looked at, whether or not a reason of theirs changes.
-- +goose StatementBegin
create function identity_marks_access() returns trigger language plpgsql
as $$
begin
    insert into access_turn (tenant_id, identity_id, urgent) values (new.tenant_id, new.id, new.urgent and new.status in ('deactivated', 'archived'));
    return null;
end $$;
-- +goose StatementEnd
create trigger identity_marks_access after update on identity for each row
    when (old.status is distinct from new.status or old.urgent is distinct from new.urgent)
    execute function identity_marks_access();

-- An account that comes to somebody who has reasons, or that comes alive again, may be what their reasons ask for, or what they may no longer have.
-- +goose StatementBegin
create function account_marks_access() returns trigger language plpgsql
as $$
begin
    insert into access_turn (tenant_id, identity_id)
    select new.tenant_id, i.id
      from identity i
     where i.tenant_id = new.tenant_id
       and i.id in (old.identity_id, new.identity_id)
       and (i.status in ('deactivated', 'archived', 'on_leave')
         or exists (select from access_reason r where r.tenant_id = i.tenant_id and r.identity_id = i.id and r.connector_id = new.connector_id and r.state = 'active'));
    return null;
end $$;
-- +goose StatementEnd
create trigger account_marks_access after update on account for each row
    when (old.identity_id is distinct from new.identity_id
       or new.identity_id is not null and old.is_disabled is true and new.is_disabled is not true
       or new.identity_id is not null and old.status in ('missing', 'deleted') and new.status in ('active', 'locked'))
    execute function account_marks_access();

-- +goose StatementBegin
create function accounts_mark_access() returns trigger language plpgsql
as $$
begin
    insert into access_turn (tenant_id, identity_id)
    select distinct n.tenant_id, n.identity_id
      from added n
     where n.identity_id is not null
       and n.status in ('active', 'locked')
       and (exists (select from access_reason r where r.tenant_id = n.tenant_id and r.identity_id = n.identity_id and r.connector_id = n.connector_id and r.state = 'active')
         or exists (select from identity i where i.tenant_id = n.tenant_id and i.id = n.identity_id and i.status in ('deactivated', 'archived')));
    return null;
end $$;
-- +goose StatementEnd
create trigger accounts_mark_access after insert on account referencing new table as added for each statement
    execute function accounts_mark_access();
