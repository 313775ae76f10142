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
    constraint provisioning_task_pk primary key (tenant_id, id),
    constraint provisioning_task_operation_known check (operation in ('create_account', 'update_account', 'rename_account', 'enable', 'disable',
        'delete_account', 'unlock', 'set_password', 'grant', 'revoke')),
    constraint provisioning_task_mode_known check (mode in ('auto', 'manual', 'simulate')),
    constraint provisioning_task_lane_known check (lane in ('normal', 'urgent')),
    constraint provisioning_task_state_known check (state in ('queued', 'blocked', 'running', 'verifying', 'retrying', 'done', 'failed', 'manual', 'cancelled', 'simulated')),
    constraint provisioning_task_verified_known check (verified in ('none', 'pending', 'yes', 'no'))
);
comment on table provisioning_task is 'One change of a target system that is to be made, is being made or was made. Rows are never deleted.';
call secure_tenant_table('provisioning_task', 'select, insert, update');

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
