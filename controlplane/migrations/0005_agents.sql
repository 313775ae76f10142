-- +goose Up

create table agent (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    name            text        not null,
    description     text        not null default '',
    agent_group     text        not null default '',
    state           text        not null default 'pending',
    instance_id     uuid,
    identity_key    bytea,
    sealing_key     bytea,
    join_seq        bigint      not null default 0,
    last_nonce      text,
    last_boot_id    text,
    boot_id         text,
    version_name    text,
    os              text,
    arch            text,
    hostname        text,
    ip_last         text,
    clock_skew_ms   bigint,
    connector_types text[]      not null default '{}',
    stats           jsonb       not null default '{}',
    connected_since timestamptz,
    last_seen_at    timestamptz,
    token_epoch     int         not null default 1,
    token_issued_at timestamptz,
    token_expires_at timestamptz,
    quarantine_reason text,
    revoked_at      timestamptz,
    revoked_reason  text,
    labels          jsonb       not null default '{}',
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    version         int         not null default 1,
    constraint agent_pk primary key (tenant_id, id),
    constraint agent_state_known check (state in ('pending', 'registered', 'online', 'offline', 'draining', 'disabled', 'quarantined', 'revoked'))
);
comment on table agent is 'An agent on a customer''s site. state is what is stored; online and offline follow from agent_session.';
call secure_tenant_table('agent');
call readable_across('agent');
create unique index agent_name_unique on agent (tenant_id, lower(name)) where state <> 'revoked';

create table agent_enrollment (
    tenant_id   uuid        not null references tenant,
    jti_hash    bytea       not null,
    agent_id    uuid        not null,
    expires_at  timestamptz not null,
    used_at     timestamptz,
    used_by_key bytea,
    created_at  timestamptz not null default now(),
    constraint agent_enrollment_pk primary key (tenant_id, jti_hash),
    constraint agent_enrollment_agent foreign key (tenant_id, agent_id) references agent (tenant_id, id) on delete cascade
);
comment on table agent_enrollment is 'Single-use invitations of agents. The same key may use one again until it expires, because an answer can be lost.';
call secure_tenant_table('agent_enrollment');

create table agent_session (
    tenant_id    uuid        not null references tenant,
    agent_id     uuid        not null,
    id           uuid        not null,
    process_id   uuid        not null,
    epoch        bigint      not null,
    boot_id      text        not null,
    connected_at timestamptz not null default now(),
    last_seen_at timestamptz not null default now(),
    constraint agent_session_pk primary key (tenant_id, agent_id),
    constraint agent_session_agent foreign key (tenant_id, agent_id) references agent (tenant_id, id) on delete cascade
);
comment on table agent_session is 'Which process of the control plane holds an agent''s socket. A newer connection raises the epoch and so fences the older.';
call secure_tenant_table('agent_session');
call readable_across('agent_session');

create table agent_task (
    tenant_id   uuid        not null references tenant,
    id          uuid        not null,
    agent_id    uuid,
    agent_group text,
    kind        text        not null,
    target      jsonb       not null,
    request     bytea       not null,
    state       text        not null default 'waiting',
    process_id  uuid,
    result      bytea,
    deadline    timestamptz not null,
    created_at  timestamptz not null default now(),
    finished_at timestamptz,
    constraint agent_task_pk primary key (tenant_id, id),
    constraint agent_task_state_known check (state in ('waiting', 'running', 'done', 'cancelled'))
);
comment on table agent_task is 'Calls for agents whose socket another process holds. Requests and results are sealed: they carry settings and samples.';
call secure_tenant_table('agent_task');
call readable_across('agent_task', 'tenant_id, id, agent_id, agent_group, state, deadline');
