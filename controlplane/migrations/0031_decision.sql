-- +goose Up

create table decision_task (
    tenant_id     uuid        not null references tenant,
    id            uuid        not null,
    kind          text        not null,
    key           text        not null,
    subject       jsonb       not null,
    source        jsonb       not null,
    title         text        not null,
    summary       text        not null default '',
    context       jsonb       not null default '{}',
    actions       jsonb       not null default '[]',
    roles         text[]      not null default '{}',
    not_for       uuid[]      not null default '{}',
    delegable     boolean     not null default true,
    reassignable  boolean     not null default true,
    reassign_to   uuid[]      not null default '{}',
    state         text        not null default 'open',
    claimed_by    jsonb,
    priority      text        not null default 'normal',
    risk_level    text,
    due_at        timestamptz,
    group_key     text,
    links         jsonb       not null default '[]',
    decision      jsonb,
    apply_at      timestamptz,
    closed_reason text,
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    decided_at    timestamptz,
    version       int         not null default 1,
    constraint decision_task_pk primary key (tenant_id, id),
    constraint decision_task_state_known check (state in ('open', 'claimed', 'decided', 'expired', 'cancelled', 'superseded')),
    constraint decision_task_priority_known check (priority in ('low', 'normal', 'high', 'urgent')),
    constraint decision_task_risk_known check (risk_level in ('low', 'medium', 'high', 'critical'))
);
comment on table decision_task is 'One thing that somebody has to decide. Rows are never deleted.';
comment on column decision_task.key is 'What is asked: of a kind, one open task has it.';
comment on column decision_task.roles is 'Whoever has one of these roles may decide, beside the assignees.';
comment on column decision_task.not_for is 'People who never decide it, whatever their roles and whoever delegates to them.';
comment on column decision_task.apply_at is 'When a decision takes effect that can still be undone; null: it has.';
call secure_tenant_table('decision_task', 'select, insert, update');
create unique index decision_task_open on decision_task (tenant_id, kind, key) where state in ('open', 'claimed');

create table decision_assignee (
    tenant_id   uuid        not null references tenant,
    task_id     uuid        not null,
    identity_id uuid        not null,
    via         text        not null default 'direct',
    acting_for  uuid,
    added_at    timestamptz not null default now(),
    dropped_at  timestamptz,
    constraint decision_assignee_pk primary key (tenant_id, task_id, identity_id),
    constraint decision_assignee_task foreign key (tenant_id, task_id) references decision_task (tenant_id, id) on delete cascade,
    constraint decision_assignee_via_known check (via in ('direct', 'delegate', 'fallback', 'escalation', 'reassigned'))
);
comment on table decision_assignee is 'Who may decide a task.';
comment on column decision_assignee.dropped_at is 'Since when no longer: it was reassigned, or their delegation ended.';
call secure_tenant_table('decision_assignee', 'select, insert, update');

create table decision_delegation (
    tenant_id    uuid        not null references tenant,
    id           uuid        not null,
    delegator_id uuid        not null,
    delegate_id  uuid        not null,
    kinds        text[]      not null default '{}',
    starts_at    timestamptz not null default now(),
    ends_at      timestamptz,
    include_open boolean     not null default true,
    reason       text        not null default '',
    source       text        not null default 'self',
    state        text        not null default 'scheduled',
    set_by       jsonb       not null default '{}',
    created_at   timestamptz not null default now(),
    updated_at   timestamptz not null default now(),
    version      int         not null default 1,
    constraint decision_delegation_pk primary key (tenant_id, id),
    constraint decision_delegation_state_known check (state in ('scheduled', 'active', 'ended', 'revoked')),
    constraint decision_delegation_source_known check (source in ('self', 'admin'))
);
comment on table decision_delegation is 'Somebody decides for somebody else, for a time.';
call secure_tenant_table('decision_delegation', 'select, insert, update');
create index decision_delegation_live on decision_delegation (tenant_id, delegator_id) where state in ('scheduled', 'active');
