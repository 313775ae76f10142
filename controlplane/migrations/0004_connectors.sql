-- +goose Up

create table connector (
    tenant_id              uuid        not null references tenant,
    id                     uuid        not null,
    business_id            text        not null,
    name                   text        not null,
    description            text        not null default '',
    type                   text        not null,
    vendor_key             text,
    mode                   text        not null default 'hosted',
    agent_id               uuid,
    agent_group            text,
    environment            text        not null default 'production',
    purpose                text        not null default 'both',
    authority_rank         int         not null default 100,
    connection             jsonb       not null default '{}',
    credentials            bytea,
    credential_keys        text[]      not null default '{}',
    credentials_updated_at timestamptz,
    status                 text        not null default 'ready',
    status_reason          text,
    funnel_state           text        not null default 'bootstrapped',
    last_test              jsonb,
    last_run_id            uuid,
    last_success_at        timestamptz,
    labels                 jsonb       not null default '{}',
    created_at             timestamptz not null default now(),
    updated_at             timestamptz not null default now(),
    deleted_at             timestamptz,
    version                int         not null default 1,
    constraint connector_pk primary key (tenant_id, id),
    constraint connector_mode_known check (mode in ('hosted', 'agent')),
    constraint connector_purpose_known check (purpose in ('source', 'target', 'both')),
    constraint connector_status_known check (status in ('draft', 'ready', 'active', 'paused', 'degraded', 'quarantined', 'disabled', 'deleted'))
);
comment on table connector is 'One instance of a connection to a target system. credentials is sealed with the tenant''s key.';
call secure_tenant_table('connector');
create unique index connector_business_id_unique on connector (tenant_id, business_id) where deleted_at is null;
create index connector_by_creation on connector (tenant_id, created_at, id);

create table sync_run (
    tenant_id          uuid        not null references tenant,
    id                 uuid        not null,
    connector_id       uuid        not null,
    type               text        not null,
    mode               text        not null default 'hosted',
    agent_id           uuid,
    agent_group        text,
    trigger            text        not null default 'api',
    incremental        boolean     not null,
    effective_incremental boolean  not null default false,
    fallback_reason    text,
    max_records        int,
    chunk_size         int         not null,
    callback_url       text,
    status             text        not null default 'queued',
    phase              text        not null default 'dispatch',
    counters           jsonb       not null default '{}',
    complete           jsonb       not null default '{}',
    watermark          timestamptz,
    estimate           jsonb,
    warnings           jsonb       not null default '[]',
    error              jsonb,
    chunks             int         not null default 0,
    merged_seq         int         not null default 0,
    attempt            int         not null default 0,
    lease_owner        uuid,
    lease_until        timestamptz,
    progress_at        timestamptz,
    cancel_requested   boolean     not null default false,
    progress_seq       bigint      not null default 0,
    callback_state     text,
    callback_attempts  int         not null default 0,
    callback_next_at   timestamptz,
    callback_error     text,
    executed_by        jsonb,
    requested_by       jsonb       not null default '{}',
    wait_until         timestamptz,
    started_at         timestamptz,
    finished_at        timestamptz,
    created_at         timestamptz not null default now(),
    updated_at         timestamptz not null default now(),
    constraint sync_run_pk primary key (tenant_id, id),
    constraint sync_run_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id),
    constraint sync_run_status_known check (status in ('queued', 'waiting_agent', 'running', 'evaluating', 'held', 'applying',
                                                       'succeeded', 'partial', 'failed', 'cancelled', 'discarded', 'expired', 'previewed'))
);
comment on table sync_run is 'One reading of a target system. lease_owner and attempt fence whoever works on it.';
call secure_tenant_table('sync_run');
call readable_across('sync_run');
create unique index sync_run_one_active on sync_run (tenant_id, connector_id)
    where status in ('queued', 'waiting_agent', 'running', 'evaluating', 'held', 'applying');
create index sync_run_by_connector on sync_run (tenant_id, connector_id, created_at desc, id desc);
create index sync_run_callbacks on sync_run (callback_next_at) where callback_state = 'pending';
create index sync_run_to_claim on sync_run (created_at) where status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying');

create table sync_chunk (
    tenant_id  uuid        not null references tenant,
    run_id     uuid        not null,
    attempt    int         not null,
    seq        int         not null,
    digest     bytea       not null,
    records    int         not null,
    created_at timestamptz not null default now(),
    constraint sync_chunk_pk primary key (tenant_id, run_id, attempt, seq),
    constraint sync_chunk_run foreign key (tenant_id, run_id) references sync_run (tenant_id, id) on delete cascade
);
comment on table sync_chunk is 'Chunks that were committed, and so acknowledged. The same chunk twice is no second chunk.';
call secure_tenant_table('sync_chunk');

create table sync_error (
    tenant_id   uuid        not null references tenant,
    run_id      uuid        not null,
    n           bigint      generated always as identity,
    object      text        not null,
    external_id text        not null default '',
    code        text        not null,
    message     text        not null,
    field       text        not null default '',
    retryable   boolean     not null default false,
    created_at  timestamptz not null default now(),
    constraint sync_error_pk primary key (tenant_id, run_id, n),
    constraint sync_error_run foreign key (tenant_id, run_id) references sync_run (tenant_id, id) on delete cascade
);
comment on table sync_error is 'Records that a run set aside, each with its reason. The reason names fields, never values.';
call secure_tenant_table('sync_error');

create table stage_identity (
    tenant_id uuid not null, run_id uuid not null, seq int not null, ord int not null,
    new_id uuid not null, external_id text not null, native_ref text, row_hash bytea not null,
    email text, username text, first_name text, middle_name text, last_name text, preferred_name text, display_name text,
    employee_number text, department text, division text, organization text, cost_center text, title text, job_code text,
    location text, country text, employment_type text, manager_ref_kind text, manager_ref_value text,
    hire_date date, start_date date, termination_date date, is_disabled boolean, source_status text,
    attributes jsonb not null, deleted boolean not null,
    constraint stage_identity_pk primary key (tenant_id, run_id, seq, ord)
);
comment on table stage_identity is 'People as a run read and mapped them, until they are merged. new_id is used if the person turns out to be new.';
call secure_tenant_table('stage_identity');

create table stage_account (
    tenant_id uuid not null, run_id uuid not null, seq int not null, ord int not null,
    new_id uuid not null, external_id text not null, native_ref text, row_hash bytea not null,
    native_identity text, identity_external_id text, username text, email text, display_name text, first_name text, last_name text,
    employee_number text, account_type text not null, is_disabled boolean, is_locked boolean, password_expired boolean, mfa_enrolled boolean,
    privileged boolean, expires_at timestamptz, last_login_at timestamptz, password_last_set_at timestamptz,
    native_created_at timestamptz, native_modified_at timestamptz, attributes jsonb not null, deleted boolean not null,
    constraint stage_account_pk primary key (tenant_id, run_id, seq, ord)
);
comment on table stage_account is 'Accounts as a run read them, until they are merged.';
call secure_tenant_table('stage_account');

create table stage_entitlement (
    tenant_id uuid not null, run_id uuid not null, seq int not null, ord int not null,
    new_id uuid not null, external_id text not null, native_ref text, row_hash bytea not null,
    native_identity text, kind text not null, name text not null, display_name text not null, description text, resource jsonb,
    parent_external_ids text[], privileged boolean, requestable boolean, grantable boolean, revocable boolean, exclusion_group text,
    max_members int, attributes jsonb not null, deleted boolean not null,
    constraint stage_entitlement_pk primary key (tenant_id, run_id, seq, ord)
);
comment on table stage_entitlement is 'Entitlements as a run read them, until they are merged.';
call secure_tenant_table('stage_entitlement');

create table stage_grant (
    tenant_id uuid not null, run_id uuid not null, seq int not null, ord int not null,
    new_id uuid not null, external_id text, row_hash bytea not null,
    account_external_id text, principal_entitlement_external_id text, principal_ref_kind text, principal_ref_value text,
    entitlement_external_id text not null, directness text not null, immutable boolean, assigned_by text,
    starts_at timestamptz, expires_at timestamptz, granted_at timestamptz, last_used_at timestamptz, attributes jsonb, deleted boolean not null,
    constraint stage_grant_pk primary key (tenant_id, run_id, seq, ord)
);
comment on table stage_grant is 'Grants as a run read them, until they are merged. References may point to what comes later in the run.';
call secure_tenant_table('stage_grant');
