-- +goose Up

-- What a run is for, how it reads, and where it may go on.
alter table sync_run
    add column purpose         text        not null default 'apply',
    add column strategy        text,
    add column read_as         jsonb,
    add column checkpoint      text,
    add column read_ended      boolean     not null default false,
    add column evaluated       boolean     not null default false,
    add column cursor          text,
    add column settings_digest bytea,
    add column report          jsonb       not null default '{}',
    add column held_until      timestamptz,
    add column release         jsonb,
    add column resumes         int         not null default 0,
    add column reread          bigint      not null default 0,
    add column first_load      boolean     not null default false,
    add column streams         boolean     not null default false,
    add column failures        int         not null default 0,
    add column round           int         not null default 0,
    add column rate_wait_until timestamptz,
    add column message         text        not null default '',
    add constraint sync_run_purpose_known check (purpose in ('apply', 'preview'));
comment on column sync_run.purpose is 'apply makes what was read true; preview only tells what would change.';
comment on column sync_run.checkpoint is 'The connector''s own word for how far the staged chunks reach. Stored with them.';
comment on column sync_run.read_ended is 'The last chunk is staged: whoever takes this run over need not read again.';
comment on column sync_run.evaluated is 'The changes are weighed: whoever takes this run over applies what is not held.';
comment on column sync_run.cursor is 'Where the next incremental run starts, once this run''s data is merged.';
comment on column sync_run.reread is 'Records that were read a second time after resuming.';
comment on column sync_run.read_as is 'What the connector is asked to read, chosen once: incremental or all, from which cursor.';
comment on column sync_run.first_load is 'No earlier run has read this connector without a cap: there is nothing to compare with.';
comment on column sync_run.streams is 'Nothing of this connector was stored when the run began, so it merges behind the reading.';
comment on column sync_run.failures is 'Attempts since the run last moved on.';
comment on column sync_run.round is 'How often the run was held. What is merged after a release is noted under its round.';

-- What a chunk counted, so that a run taken over counts on exactly. A record that was set aside whole has no row in the stages;
-- digest tells those apart that have no key either.
alter table sync_chunk add column counters jsonb not null default '{}';
alter table sync_error add column whole boolean not null default false, add column digest bytea;

-- A held run does not keep the next one from starting: that one computes anew and takes its place.
drop index sync_run_one_active;
create unique index sync_run_one_active on sync_run (tenant_id, connector_id)
    where status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying');
create index sync_run_held on sync_run (held_until) where status = 'held';

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
    constraint sync_position_pk primary key (tenant_id, connector_id),
    constraint sync_position_connector foreign key (tenant_id, connector_id) references connector (tenant_id, id)
);
comment on table sync_position is
    'How far a connector''s merged data reaches: written in the transaction that ends the merge, never apart from it. full_due says why the next run must read everything; fields are those of people that the source fills for anybody, which a run that reads changes cannot see.';
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
comment on table sync_merge is 'Parts of a run that are merged, each noted in the transaction that did it: a crash repeats none and counts none twice.';
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
comment on table stage_scope is 'What a connector attests to have read to its end. Without an attestation nothing is taken for gone.';
call secure_tenant_table('stage_scope');

create table stage_present (
    tenant_id   uuid not null,
    run_id      uuid not null,
    seq         int  not null,
    kind        text not null,
    external_id text not null,
    constraint stage_present_pk primary key (tenant_id, run_id, seq, kind, external_id)
);
comment on table stage_present is 'Records that a run found still there without reading them.';
call secure_tenant_table('stage_present');

-- A staged record whose change is held is left out of the merge. Null: not held.
alter table stage_identity add column held boolean;
alter table stage_account add column held boolean;
alter table stage_entitlement add column held boolean;
alter table stage_grant add column held boolean;

create table sync_change (
    tenant_id    uuid        not null references tenant,
    run_id       uuid        not null,
    n            bigint      generated always as identity,
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
    constraint sync_change_pk primary key (tenant_id, run_id, n),
    constraint sync_change_run foreign key (tenant_id, run_id) references sync_run (tenant_id, id) on delete cascade,
    constraint sync_change_object_known check (object in ('identity', 'account', 'entitlement', 'grant', 'nesting')),
    constraint sync_change_change_known check (change in ('create', 'update', 'disable', 'missing', 'remove', 'reappear')),
    constraint sync_change_state_known check (state in ('pending', 'applied', 'held', 'previewed', 'skipped', 'discarded'))
);
comment on table sync_change is
    'What a run changes, or would change: computed before anything is merged, weighed by the guard, and kept as the run''s report. A connector''s first load lists none: all of it is new, and created_run_id says so.';
call secure_tenant_table('sync_change');
create index sync_change_by_kind on sync_change (tenant_id, run_id, object, change, n);
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
comment on table sync_hold is 'A kind of change that was too large to apply unseen, with the limit it broke. It ends by release or discard; left alone it expires to discard.';
call secure_tenant_table('sync_hold');

-- The limits of the guard, and how often absence must be proven, where they differ from the defaults.
alter table connector
    add column safety   jsonb not null default '{}',
    add column deletion jsonb not null default '{}';

-- How often a record has been absent from a complete reading, and which run brought it.
alter table identity_source add column missing_runs int not null default 0, add column removed_at timestamptz, add column created_run_id uuid;
alter table account add column missing_runs int not null default 0, add column deleted_at timestamptz, add column created_run_id uuid;
alter table entitlement add column missing_runs int not null default 0, add column removed_at timestamptz, add column created_run_id uuid;
alter table entitlement_edge add column missing_runs int not null default 0;
alter table access_grant add column missing_runs int not null default 0, add column revoked_at timestamptz, add column created_run_id uuid;
