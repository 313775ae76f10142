-- +goose Up

-- Connectors, agents, sync runs, schemas and field mappings.

-- Functions are created before the tables that they read.
set local check_function_bodies = off;

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
    safety                 jsonb       not null default '{}',
    deletion               jsonb       not null default '{}',
    correlation            jsonb       not null default '{}',
    schema_snapshot_id     uuid,
    mapping_version        int         not null default 0,
    copied_mapping_from_id uuid,
    status_since           timestamptz not null default now(),
    status_before          text,
    trusted_from           timestamptz,
    purged_at              timestamptz,
    had_credentials        boolean     not null default false,
    first_imported_at      timestamptz,
    authority_applied      int,
    constraint connector_pk primary key (tenant_id, id),
    constraint connector_copied_from foreign key (tenant_id, copied_mapping_from_id) references connector (tenant_id, id),
    constraint connector_mode_known check (mode in ('hosted', 'agent')),
    constraint connector_purpose_known check (purpose in ('source', 'target', 'both')),
    constraint connector_status_known check (status in ('draft', 'ready', 'active', 'paused', 'degraded', 'quarantined', 'disabled', 'deleted'))
);
comment on table connector is
    'One connector: a connection to one source or target system. The column credentials is encrypted with the '
    'tenant''s key.';
comment on column connector.schema_snapshot_id is
    'Schema snapshot that the mappings are based on. There is no foreign key: snapshots are deleted only with '
    'their connector, and a circular reference would block erasing a tenant. Null before the first discovery.';
comment on column connector.mapping_version is
    'Number of times that the mappings were saved. 0 means never; then heuristics map the fields.';
comment on column connector.status_since is 'When the current status began.';
comment on column connector.status_before is
    'Status to which a paused or disabled connector returns. Null in other states.';
comment on column connector.trusted_from is
    'When a person last requested a new attempt. Earlier refusals by the target system are ignored. Null if no '
    'person has.';
comment on column connector.purged_at is
    'When the data of a deleted connector was erased, 30 days after its deletion. After that it cannot be '
    'restored. Null until then.';
comment on column connector.had_credentials is
    'True if a deleted connector had credentials. They were erased at deletion and are required again after a '
    'restore.';
comment on column connector.first_imported_at is
    'When the first full sync ended. Access found by then is existing access and is not reported as a finding. '
    'Null until that sync ends.';
comment on column connector.authority_applied is
    'The authority_rank with which identities were last merged. If it differs from authority_rank, they must be '
    'merged again. Null: the connector is deleted.';
call secure_tenant_table('connector');
create unique index connector_business_id_unique on connector (tenant_id, business_id) where deleted_at is null;
create index connector_by_creation on connector (tenant_id, created_at, id);
create index connector_to_purge on connector (tenant_id, deleted_at) where deleted_at is not null and purged_at is null;

create table sync_run (
    tenant_id             uuid        not null references tenant,
    id                    uuid        not null,
    connector_id          uuid        not null,
    type                  text        not null,
    mode                  text        not null default 'hosted',
    agent_id              uuid,
    agent_group           text,
    trigger               text        not null default 'api',
    incremental           boolean     not null,
    effective_incremental boolean     not null default false,
    fallback_reason       text,
    max_records           int,
    chunk_size            int         not null,
    callback_url          text,
    status                text        not null default 'queued',
    phase                 text        not null default 'dispatch',
    counters              jsonb       not null default '{}',
    complete              jsonb       not null default '{}',
    watermark             timestamptz,
    estimate              jsonb,
    warnings              jsonb       not null default '[]',
    error                 jsonb,
    chunks                int         not null default 0,
    merged_seq            int         not null default 0,
    attempt               int         not null default 0,
    lease_owner           uuid,
    lease_until           timestamptz,
    progress_at           timestamptz,
    cancel_requested      boolean     not null default false,
    progress_seq          bigint      not null default 0,
    callback_state        text,
    callback_attempts     int         not null default 0,
    callback_next_at      timestamptz,
    callback_error        text,
    executed_by           jsonb,
    requested_by          jsonb       not null default '{}',
    wait_until            timestamptz,
    started_at            timestamptz,
    finished_at           timestamptz,
    created_at            timestamptz not null default now(),
    updated_at            timestamptz not null default now(),
    purpose               text        not null default 'apply',
    strategy              text,
    read_as               jsonb,
    checkpoint            text,
    read_ended            boolean     not null default false,
    evaluated             boolean     not null default false,
    cursor                text,
    settings_digest       bytea,
    report                jsonb       not null default '{}',
    held_until            timestamptz,
    release               jsonb,
    resumes               int         not null default 0,
    reread                bigint      not null default 0,
    first_load            boolean     not null default false,
    streams               boolean     not null default false,
    failures              int         not null default 0,
    round                 int         not null default 0,
    rate_wait_until       timestamptz,
    message               text        not null default '',
    lapsed                uuid[]      not null default '{}',
    continues_run_id      uuid,
    constraint sync_run_pk primary key (tenant_id, id),
    constraint sync_run_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id),
    constraint sync_run_purpose_known check (purpose in ('apply', 'preview')),
    constraint sync_run_status_known check (status in ('queued', 'waiting_agent', 'running', 'evaluating', 'held', 'applying',
                                                       'succeeded', 'partial', 'failed', 'cancelled', 'discarded', 'expired', 'previewed'))
);
comment on table sync_run is
    'One execution of a connector''s sync. The columns lease_owner and attempt prevent two processes from working '
    'on it.';
comment on column sync_run.purpose is 'apply merges the data; preview only reports the changes.';
comment on column sync_run.read_as is
    'What the connector is asked to read: all or changes, and from which cursor. It is chosen once. Null until '
    'the first attempt.';
comment on column sync_run.checkpoint is
    'The connector''s own marker for the position of the staged chunks. It is stored together with them.';
comment on column sync_run.read_ended is
    'True if the last chunk is staged. A process that resumes the run does not read again.';
comment on column sync_run.evaluated is
    'True if the changes were checked against the safety limits. A process that resumes the run applies the '
    'changes that are not on hold.';
comment on column sync_run.cursor is 'Where the next incremental sync starts, after this run''s data is merged.';
comment on column sync_run.reread is 'Number of records that were read a second time after a resume.';
comment on column sync_run.first_load is
    'True if no earlier run without a record limit has read this connector, so there is no data to compare with.';
comment on column sync_run.streams is
    'True if the connector had no stored data when the run began, so the run merges while it reads.';
comment on column sync_run.failures is 'Number of attempts since the last progress.';
comment on column sync_run.round is
    'How many times the run became a held sync run. Parts merged after a release are recorded under their round.';
comment on column sync_run.lapsed is
    'Processes whose lease on the run expired since the last progress and that did not return. The second one '
    'ends the run.';
comment on column sync_run.continues_run_id is
    'The limited run that this limited run continues. Null: the run starts from the beginning.';
call secure_tenant_table('sync_run');
call readable_across('sync_run');
create index sync_run_by_connector on sync_run (tenant_id, connector_id, created_at desc, id desc);
create index sync_run_callbacks on sync_run (callback_next_at) where callback_state = 'pending';
create index sync_run_held on sync_run (held_until) where status = 'held';
create unique index sync_run_one_active on sync_run (tenant_id, connector_id)
    where status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying');
create index sync_run_to_claim on sync_run (created_at) where status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying');

create table sync_chunk (
    tenant_id  uuid        not null references tenant,
    run_id     uuid        not null,
    attempt    int         not null,
    seq        int         not null,
    records    int         not null,
    created_at timestamptz not null default now(),
    counters   jsonb       not null default '{}',
    constraint sync_chunk_pk primary key (tenant_id, run_id, attempt, seq),
    constraint sync_chunk_run foreign key (tenant_id, run_id) references sync_run (tenant_id, id) on delete cascade
);
comment on table sync_chunk is
    'One chunk of records that was committed and acknowledged. A chunk that is received twice is stored once.';
call secure_tenant_table('sync_chunk');

create table sync_error (
    tenant_id   uuid        not null references tenant,
    run_id      uuid        not null,
    n           bigint      not null generated always as identity,
    object      text        not null,
    external_id text        not null default '',
    code        text        not null,
    message     text        not null,
    field       text        not null default '',
    retryable   boolean     not null default false,
    created_at  timestamptz not null default now(),
    whole       boolean     not null default false,
    digest      bytea,
    constraint sync_error_pk primary key (tenant_id, run_id, n),
    constraint sync_error_run foreign key (tenant_id, run_id) references sync_run (tenant_id, id) on delete cascade
);
comment on table sync_error is
    'One record that a sync run rejected, with the reason. The reason names fields and contains no values.';
call secure_tenant_table('sync_error');

create table stage_identity (
    tenant_id         uuid        not null,
    run_id            uuid        not null,
    seq               int         not null,
    ord               int         not null,
    new_id            uuid        not null,
    external_id       text        not null,
    native_ref        text,
    row_hash          bytea       not null,
    email             text,
    username          text,
    first_name        text,
    middle_name       text,
    last_name         text,
    preferred_name    text,
    display_name      text,
    employee_number   text,
    department        text,
    division          text,
    organization      text,
    cost_center       text,
    title             text,
    job_code          text,
    location          text,
    country           text,
    employment_type   text,
    manager_ref_kind  text,
    manager_ref_value text,
    hire_date         date,
    start_date        date,
    termination_date  date,
    is_disabled       boolean,
    source_status     text,
    attributes        jsonb       not null,
    deleted           boolean     not null,
    held              boolean,
    last_working_at   timestamptz,
    leave_from        date,
    leave_to          date,
    constraint stage_identity_pk primary key (tenant_id, run_id, seq, ord)
);
comment on table stage_identity is
    'One person that a sync run read and mapped and has not merged yet. The column new_id becomes the identity''s '
    'ID if the person is new.';
call secure_tenant_table('stage_identity');

create table stage_account (
    tenant_id            uuid        not null,
    run_id               uuid        not null,
    seq                  int         not null,
    ord                  int         not null,
    new_id               uuid        not null,
    external_id          text        not null,
    native_ref           text,
    row_hash             bytea       not null,
    native_identity      text,
    identity_external_id text,
    username             text,
    email                text,
    display_name         text,
    first_name           text,
    last_name            text,
    employee_number      text,
    account_type         text        not null,
    is_disabled          boolean,
    is_locked            boolean,
    password_expired     boolean,
    mfa_enrolled         boolean,
    privileged           boolean,
    expires_at           timestamptz,
    last_login_at        timestamptz,
    password_last_set_at timestamptz,
    native_created_at    timestamptz,
    native_modified_at   timestamptz,
    owner_refs           jsonb       not null default '[]',
    attributes           jsonb       not null,
    deleted              boolean     not null,
    held                 boolean,
    constraint stage_account_pk primary key (tenant_id, run_id, seq, ord)
);
comment on table stage_account is 'One account that a sync run read and has not merged yet.';
call secure_tenant_table('stage_account');

create table stage_entitlement (
    tenant_id           uuid    not null,
    run_id              uuid    not null,
    seq                 int     not null,
    ord                 int     not null,
    new_id              uuid    not null,
    external_id         text    not null,
    native_ref          text,
    row_hash            bytea   not null,
    native_identity     text,
    kind                text    not null,
    name                text    not null,
    display_name        text    not null,
    description         text,
    resource            jsonb,
    parent_external_ids text[],
    privileged          boolean,
    requestable         boolean,
    grantable           boolean,
    revocable           boolean,
    exclusion_group     text,
    max_members         int,
    owner_refs          jsonb   not null default '[]',
    attributes          jsonb   not null,
    deleted             boolean not null,
    held                boolean,
    constraint stage_entitlement_pk primary key (tenant_id, run_id, seq, ord)
);
comment on table stage_entitlement is 'One entitlement that a sync run read and has not merged yet.';
call secure_tenant_table('stage_entitlement');

create table stage_grant (
    tenant_id                         uuid        not null,
    run_id                            uuid        not null,
    seq                               int         not null,
    ord                               int         not null,
    new_id                            uuid        not null,
    external_id                       text,
    row_hash                          bytea       not null,
    account_external_id               text,
    principal_entitlement_external_id text,
    principal_ref_kind                text,
    principal_ref_value               text,
    entitlement_external_id           text        not null,
    directness                        text        not null,
    immutable                         boolean,
    assigned_by                       text,
    starts_at                         timestamptz,
    expires_at                        timestamptz,
    granted_at                        timestamptz,
    last_used_at                      timestamptz,
    attributes                        jsonb,
    deleted                           boolean     not null,
    held                              boolean,
    constraint stage_grant_pk primary key (tenant_id, run_id, seq, ord)
);
comment on table stage_grant is
    'One grant that a sync run read and has not merged yet. It may refer to records that arrive later in the run.';
call secure_tenant_table('stage_grant');

create table agent (
    tenant_id         uuid        not null references tenant,
    id                uuid        not null,
    name              text        not null,
    description       text        not null default '',
    agent_group       text        not null default '',
    state             text        not null default 'pending',
    instance_id       uuid,
    identity_key      bytea,
    sealing_key       bytea,
    join_seq          bigint      not null default 0,
    last_nonce        text,
    last_boot_id      text,
    boot_id           text,
    version_name      text,
    os                text,
    arch              text,
    hostname          text,
    ip_last           text,
    clock_skew_ms     bigint,
    connector_types   text[]      not null default '{}',
    stats             jsonb       not null default '{}',
    connected_since   timestamptz,
    last_seen_at      timestamptz,
    token_epoch       int         not null default 1,
    token_issued_at   timestamptz,
    token_expires_at  timestamptz,
    quarantine_reason text,
    revoked_at        timestamptz,
    revoked_reason    text,
    labels            jsonb       not null default '{}',
    created_at        timestamptz not null default now(),
    updated_at        timestamptz not null default now(),
    version           int         not null default 1,
    draining          boolean     not null default false,
    degraded          text[]      not null default '{}',
    seen_online       boolean     not null default false,
    seen_since        timestamptz,
    told_online       boolean     not null default false,
    told_gone_at      timestamptz,
    back_by           timestamptz,
    flapping_since    timestamptz,
    constraint agent_pk primary key (tenant_id, id),
    constraint agent_state_known check (state in ('pending', 'registered', 'online', 'offline', 'draining', 'disabled', 'quarantined', 'revoked'))
);
comment on table agent is
    'One agent at a customer''s site. The column state contains the stored state; online and offline are derived '
    'from agent_session.';
comment on column agent.draining is 'True if an administrator stopped the assignment of new tasks to the agent.';
comment on column agent.degraded is
    'Reasons why a connected agent is degraded: clock_skew, spool_nearly_full, spool_failed or '
    'version_below_minimum.';
comment on column agent.seen_online is
    'True if the agent was online at the last presence check. The column seen_since states when that began.';
comment on column agent.told_online is
    'True if the last recorded presence event was agent.online. The column told_gone_at states when the last '
    'agent.offline event was recorded.';
comment on column agent.back_by is
    'Deadline for the return of an agent that announced its departure. It counts as offline only after this time. '
    'Null if no departure was announced.';
comment on column agent.flapping_since is
    'When the agent began to connect and disconnect more often than events are recorded. Null if it is stable.';
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
comment on table agent_enrollment is
    'One single-use enrollment token of an agent. The same key can repeat the enrollment until the token expires, '
    'because a response can be lost.';
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
    hostname     text,
    machine      text,
    ip           text,
    draining     boolean     not null default false,
    proved_at    timestamptz,
    constraint agent_session_pk primary key (tenant_id, agent_id),
    constraint agent_session_agent foreign key (tenant_id, agent_id) references agent (tenant_id, id) on delete cascade
);
comment on table agent_session is
    'The control plane process that holds an agent''s connection. A newer connection has a higher epoch, which '
    'invalidates the older one.';
comment on column agent_session.machine is 'Fingerprint of the agent''s host, used to detect copies of the agent.';
comment on column agent_session.draining is 'True if the agent reported that it accepts no new tasks.';
comment on column agent_session.proved_at is
    'When the connection last answered a challenge that only a live connection can answer. Null means that it has '
    'answered none.';
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
comment on table agent_task is
    'One call to an agent whose connection belongs to another control plane process. Requests and results are '
    'encrypted, because they contain settings and samples.';
call secure_tenant_table('agent_task');
call readable_across('agent_task', 'tenant_id, id, agent_id, agent_group, state, deadline');

create table sync_position (
    tenant_id       uuid        not null references tenant,
    connector_id    uuid        not null,
    cursor          text,
    watermark       timestamptz,
    strategy        text,
    run_id          uuid        not null,
    settings_digest bytea       not null,
    full_run_id     uuid,
    full_at         timestamptz,
    full_due        text,
    fields          text[]      not null default '{}',
    updated_at      timestamptz not null default now(),
    removals        text,
    constraint sync_position_pk primary key (tenant_id, connector_id),
    constraint sync_position_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id),
    constraint sync_position_removals_known check (removals in ('immediate', 'next_incremental'))
);
comment on table sync_position is
    'How far a connector''s merged data reaches, written in the transaction that ends the merge. If full_due is '
    'set, it states why the next sync must be full. The column fields lists the person fields that the source '
    'fills; an incremental sync cannot detect these.';
comment on column sync_position.removals is
    'When incremental syncs detect removed memberships: immediate or next_incremental. Null means that this is '
    'unproven; then a full sync runs once a day if there are direct grants.';
call secure_tenant_table('sync_position');

create table sync_merge (
    tenant_id uuid  not null references tenant,
    run_id    uuid  not null,
    part      text  not null,
    lo        int   not null,
    hi        int   not null,
    counters  jsonb not null default '{}',
    constraint sync_merge_pk primary key (tenant_id, run_id, part, lo),
    constraint sync_merge_run foreign key (tenant_id, run_id) references sync_run (tenant_id, id) on delete cascade
);
comment on table sync_merge is
    'One part of a sync run that was merged, recorded in the same transaction. After a crash, no part is merged '
    'or counted twice.';
call secure_tenant_table('sync_merge');

create table stage_scope (
    tenant_id uuid    not null,
    run_id    uuid    not null,
    kind      text    not null,
    key       text    not null,
    complete  boolean not null,
    count     bigint  not null,
    constraint stage_scope_pk primary key (tenant_id, run_id, kind, key)
);
comment on table stage_scope is
    'One scope that the connector reported as completely read, or as incomplete. Without a complete scope, no '
    'record in it counts as removed.';
call secure_tenant_table('stage_scope');

create table stage_present (
    tenant_id   uuid not null,
    run_id      uuid not null,
    seq         int  not null,
    kind        text not null,
    external_id text not null,
    constraint stage_present_pk primary key (tenant_id, run_id, seq, kind, external_id)
);
comment on table stage_present is 'One record that a sync run confirmed as present without reading its content.';
call secure_tenant_table('stage_present');

create table sync_change (
    tenant_id    uuid        not null references tenant,
    run_id       uuid        not null,
    n            bigint      not null generated always as identity,
    connector_id uuid        not null,
    object       text        not null,
    change       text        not null,
    object_id    uuid,
    external_id  text        not null default '',
    display      text        not null default '',
    guard        text,
    fields       text[]      not null default '{}',
    before       jsonb,
    after        jsonb,
    department   text,
    container    text,
    manager      text,
    state        text        not null default 'pending',
    reason       text,
    at           timestamptz not null default now(),
    stage_seq    int,
    stage_ord    int,
    parent_id    uuid,
    constraint sync_change_pk primary key (tenant_id, run_id, n),
    constraint sync_change_run foreign key (tenant_id, run_id) references sync_run (tenant_id, id) on delete cascade,
    constraint sync_change_change_known check (change in ('create', 'update', 'disable', 'missing', 'remove', 'reappear')),
    constraint sync_change_object_known check (object in ('identity', 'account', 'entitlement', 'grant', 'nesting')),
    constraint sync_change_state_known check (state in ('pending', 'applied', 'held', 'previewed', 'skipped', 'discarded'))
);
comment on table sync_change is
    'One change that a sync run makes or would make. The changes are computed before the merge, checked against '
    'the safety limits, and kept as the run''s report. A connector''s first load has none, because all records are '
    'new; created_run_id identifies them.';
comment on column sync_change.parent_id is
    'For a grant, its entitlement. For a nesting, the outer entitlement; object_id is the inner one. Null for '
    'other objects.';
call secure_tenant_table('sync_change');
create index sync_change_by_kind on sync_change (tenant_id, run_id, object, change, n);
create index sync_change_held on sync_change (tenant_id, run_id, n) where state = 'held';
create index sync_change_rolling on sync_change (tenant_id, connector_id, guard, at) where guard is not null and state = 'applied';

create table sync_hold (
    tenant_id    uuid        not null references tenant,
    id           uuid        not null,
    run_id       uuid        not null,
    connector_id uuid        not null,
    kind         text        not null,
    rule         text        not null,
    allowed      bigint      not null,
    observed     bigint      not null,
    recent       bigint      not null default 0,
    population   bigint      not null,
    cause        text        not null default '',
    state        text        not null default 'open',
    digest       bytea       not null,
    expires_at   timestamptz not null,
    decided_at   timestamptz,
    decided_by   jsonb,
    comment      text,
    created_at   timestamptz not null default now(),
    constraint sync_hold_pk primary key (tenant_id, id),
    constraint sync_hold_kind_unique unique (tenant_id, run_id, kind),
    constraint sync_hold_run foreign key (tenant_id, run_id) references sync_run (tenant_id, id) on delete cascade,
    constraint sync_hold_rule_known check (rule in ('limit', 'total_loss', 'settings_changed')),
    constraint sync_hold_state_known check (state in ('open', 'partly_released', 'released', 'discarded', 'expired', 'superseded', 'previewed'))
);
comment on table sync_hold is
    'One kind of change that the safety limits stopped, with the limit that was exceeded. A person releases or '
    'discards it. If no person decides, it expires and the changes are discarded.';
call secure_tenant_table('sync_hold');

create table schema_snapshot (
    tenant_id    uuid        not null references tenant,
    id           uuid        not null,
    connector_id uuid        not null,
    source       text        not null,
    objects      jsonb       not null,
    warnings     jsonb       not null default '[]',
    digest       text        not null,
    executed_by  jsonb,
    taken_by     jsonb       not null default '{}',
    taken_at     timestamptz not null default now(),
    constraint schema_snapshot_pk primary key (tenant_id, id),
    constraint schema_snapshot_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id),
    constraint schema_snapshot_source_known check (source in ('wizard', 'rediscover', 'auto'))
);
comment on table schema_snapshot is
    'Result of one discovery: the fields of a system with types and samples, without secrets. Rows never change.';
call secure_tenant_table('schema_snapshot');
create index schema_snapshot_by_connector on schema_snapshot (tenant_id, connector_id, taken_at desc, id desc);

create table field_mapping (
    tenant_id    uuid    not null references tenant,
    id           uuid    not null,
    connector_id uuid    not null,
    position     int     not null,
    object       text    not null,
    source_path  text    not null,
    action       text    not null,
    target_field text    not null default '',
    transform    text    not null default '',
    heuristic    text    not null default '',
    confidence   double precision not null default 0,
    note         text    not null default '',
    overridden   boolean not null default false,
    constraint field_mapping_pk primary key (tenant_id, id),
    constraint field_mapping_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id),
    constraint field_mapping_action_known check (action in ('map', 'ignore')),
    constraint field_mapping_object_known check (object in ('identity', 'account', 'entitlement', 'grant'))
);
comment on table field_mapping is
    'The mapping of one source field. If a connector has none of a kind, heuristics map people, and other records keep the fields that the connector names.';
call secure_tenant_table('field_mapping');
create index field_mapping_in_order on field_mapping (tenant_id, connector_id, position);
create unique index field_mapping_target_unique on field_mapping (tenant_id, connector_id, object, target_field) where target_field <> '';
create unique index field_mapping_unique on field_mapping (tenant_id, connector_id, object, md5(source_path), target_field);

create table schema_diff (
    tenant_id        uuid        not null references tenant,
    id               uuid        not null,
    connector_id     uuid        not null,
    from_snapshot_id uuid        not null,
    to_snapshot_id   uuid        not null,
    base_snapshot_id uuid        not null,
    state            text        not null default 'open',
    added            jsonb       not null,
    removed          jsonb       not null,
    type_changed     jsonb       not null,
    decisions        jsonb       not null default '[]',
    replaced_by_id   uuid,
    version          int         not null default 1,
    created_at       timestamptz not null default now(),
    updated_at       timestamptz not null default now(),
    closed_at        timestamptz,
    constraint schema_diff_pk primary key (tenant_id, id),
    constraint schema_diff_base foreign key (tenant_id, base_snapshot_id) references schema_snapshot (tenant_id, id),
    constraint schema_diff_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id),
    constraint schema_diff_from foreign key (tenant_id, from_snapshot_id) references schema_snapshot (tenant_id, id),
    constraint schema_diff_replaced_by foreign key (tenant_id, replaced_by_id) references schema_diff (tenant_id, id),
    constraint schema_diff_to foreign key (tenant_id, to_snapshot_id) references schema_snapshot (tenant_id, id),
    constraint schema_diff_state_known check (state in ('open', 'accepted', 'partially_accepted', 'dismissed'))
);
comment on table schema_diff is
    'Differences between a later discovery and the schema snapshot that the mappings are based on, with the '
    'decisions about them.';
comment on column schema_diff.base_snapshot_id is
    'Snapshot that the next decisions start from: the original snapshot, or one that includes the decisions so '
    'far.';
call secure_tenant_table('schema_diff');
create index schema_diff_by_connector on schema_diff (tenant_id, connector_id, created_at desc, id desc);
create unique index schema_diff_one_open on schema_diff (tenant_id, connector_id) where closed_at is null;

create table connector_schedule (
    tenant_id        uuid        not null references tenant,
    connector_id     uuid        not null,
    incremental_cron text,
    full_cron        text,
    timezone         text        not null default 'UTC',
    jitter           text        not null default 'PT0S',
    incremental_at   timestamptz,
    full_at          timestamptz,
    due_at           timestamptz,
    last_occurrence  jsonb,
    skipped          int         not null default 0,
    created_at       timestamptz not null default now(),
    updated_at       timestamptz not null default now(),
    constraint connector_schedule_pk primary key (tenant_id, connector_id),
    constraint connector_schedule_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id)
);
comment on table connector_schedule is 'Sync schedule of a connector.';
comment on column connector_schedule.incremental_at is
    'Next unprocessed occurrence of incremental_cron, without jitter. Null if incremental_cron is null.';
comment on column connector_schedule.full_at is
    'Next unprocessed occurrence of full_cron, without jitter. Null if full_cron is null.';
comment on column connector_schedule.due_at is
    'When the schedule is processed next. This is the earlier of the two next occurrences including jitter, or '
    'later during a wait. Null if neither cron expression is set.';
comment on column connector_schedule.last_occurrence is
    'Result of the last occurrence and the reason for it. Null before the first occurrence.';
comment on column connector_schedule.skipped is
    'Number of occurrences that started nothing since the last one that started a sync run.';
call secure_tenant_table('connector_schedule');
call readable_across('connector_schedule', 'tenant_id, connector_id, due_at');
create index connector_schedule_due on connector_schedule (due_at) where due_at is not null;

-- +goose StatementBegin
create function connector_status_moved() returns trigger language plpgsql
as $$
begin
    new.status_since := now();
    return new;
end $$;
-- +goose StatementEnd
comment on function connector_status_moved is 'Trigger on connector: sets status_since when the status changes.';

create trigger status_moved before update of status on connector
    for each row when (old.status is distinct from new.status) execute function connector_status_moved();
