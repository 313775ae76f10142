-- +goose Up

-- The four tables that a sync fills by the hundred thousand (identity, identity_source, account, access_grant) have no foreign
-- keys: a check a row costs more than the row. Their references are made by joins over rows of the same tenant, nothing they
-- point to is ever deleted, and `grantwright check` looks for any that dangle.

create table identity (
    tenant_id           uuid        not null references tenant,
    id                  uuid        not null,
    external_id         text        not null,
    source_connector_id uuid,
    kind                text        not null default 'human',
    employment_type     text,
    email               text,
    email_lc            text        generated always as (lower(email)) stored,
    secondary_emails    text[]      not null default '{}',
    username            text,
    first_name          text,
    middle_name         text,
    last_name           text,
    preferred_name      text,
    display_name        text        not null default '',
    employee_number     text,
    department          text,
    division            text,
    organization        text,
    cost_center         text,
    title               text,
    job_code            text,
    job_family          text,
    location            text,
    country             text,
    locale              text,
    timezone            text,
    manager_external_id text,
    manager_id          uuid,
    manager_from_source boolean     not null default false,
    sponsor_id          uuid,
    backup_owner_id     uuid,
    hire_date           date,
    start_date          date,
    termination_date    date,
    last_working_at     timestamptz,
    leave_from          date,
    leave_to            date,
    status              text        not null default 'active',
    status_reason       text,
    status_source       text        not null default 'manual',
    status_changed_at   timestamptz not null default now(),
    attributes          jsonb       not null default '{}',
    labels              jsonb       not null default '{}',
    last_synced_at      timestamptz,
    created_at          timestamptz not null default now(),
    updated_at          timestamptz not null default now(),
    version             int         not null default 1,
    constraint identity_pk primary key (tenant_id, id),
    constraint identity_kind_known check (kind in ('human', 'non_human')),
    constraint identity_status_known check (status in ('pre_hire', 'active', 'on_leave', 'notice', 'deactivated', 'archived'))
);
comment on table identity is 'A person, or non-human actor, whom the tenant governs.';
comment on column identity.manager_from_source is
    'Whether manager_external_id was taken from a source''s reference, and so goes when the reference goes. What was set through the API stays.';
call secure_tenant_table('identity');
create unique index identity_external_id_unique on identity (tenant_id, external_id, source_connector_id) nulls not distinct where status <> 'archived';
create unique index identity_email_unique on identity (tenant_id, email_lc) where status <> 'archived' and kind = 'human' and email_lc is not null;
create index identity_by_department on identity (tenant_id, department, id);
create index identity_by_manager on identity (tenant_id, manager_id);
create index identity_by_employee_number on identity (tenant_id, employee_number) where employee_number is not null;
create index identity_by_unresolved_manager on identity (tenant_id, manager_external_id) where manager_id is null and manager_external_id is not null;

-- +goose StatementBegin
create function sees_all() returns boolean language sql stable parallel safe
as $$ select coalesce(current_setting('app.sees', true), '') = 'all' $$;
-- +goose StatementEnd
comment on function sees_all() is 'Whether this transaction acts for the system, an admin or an auditor, who see the whole tenant.';

-- +goose StatementBegin
create function viewer_identity() returns uuid language sql stable parallel safe
as $$ select nullif(current_setting('app.identity_id', true), '')::uuid $$;
-- +goose StatementEnd
comment on function viewer_identity() is 'The identity of the person this transaction acts for, or null.';

-- +goose StatementBegin
create function viewer_has_role(role text) returns boolean language sql stable parallel safe
as $$ select role = any (string_to_array(coalesce(current_setting('app.roles', true), ''), ',')) $$;
-- +goose StatementEnd

create table identity_source (
    tenant_id           uuid        not null references tenant,
    connector_id        uuid        not null,
    external_id         text        not null,
    identity_id         uuid        not null,
    native_ref          text,
    manager_ref_kind    text,
    manager_ref_value   text,
    row_hash            bytea       not null,
    match_rule          text        not null,
    first_seen_at       timestamptz not null default now(),
    changed_at          timestamptz not null default now(),
    changed_run_id      uuid,
    missing_since       timestamptz,
    constraint identity_source_pk primary key (tenant_id, connector_id, external_id)
);
comment on table identity_source is 'A person''s record in a source system and the identity it belongs to. match_rule says how the two were brought together.';
call secure_tenant_table('identity_source');
create index identity_source_by_identity on identity_source (tenant_id, identity_id);

create table account (
    tenant_id            uuid        not null references tenant,
    id                   uuid        not null,
    connector_id         uuid        not null,
    external_id          text        not null,
    native_ref           text,
    native_identity      text,
    identity_external_id text,
    identity_id          uuid,
    username             text,
    username_lc          text        generated always as (lower(username)) stored,
    email                text,
    email_lc             text        generated always as (lower(email)) stored,
    display_name         text,
    first_name           text,
    last_name            text,
    employee_number      text,
    account_type         text        not null default 'unknown',
    is_disabled          boolean,
    is_locked            boolean,
    password_expired     boolean,
    mfa_enrolled         boolean,
    privileged           boolean,
    status               text        not null default 'active',
    correlation_state    text        not null default 'uncorrelated',
    correlation          jsonb       not null default '{}',
    managed              text        not null default 'read_only',
    purpose              text,
    expires_at           timestamptz,
    last_login_at        timestamptz,
    password_last_set_at timestamptz,
    native_created_at    timestamptz,
    native_modified_at   timestamptz,
    attributes           jsonb       not null default '{}',
    labels               jsonb       not null default '{}',
    row_hash             bytea       not null,
    first_seen_at        timestamptz not null default now(),
    changed_run_id       uuid,
    missing_since        timestamptz,
    created_at           timestamptz not null default now(),
    updated_at           timestamptz not null default now(),
    version              int         not null default 1,
    constraint account_pk primary key (tenant_id, id),
    constraint account_external_id_unique unique (tenant_id, connector_id, external_id),
    constraint account_status_known check (status in ('provisioning', 'active', 'disabled', 'locked', 'missing', 'deprovisioning', 'deleted', 'failed')),
    constraint account_correlation_known check (correlation_state in ('linked', 'uncorrelated', 'disputed', 'manual', 'ignored')),
    constraint account_managed_known check (managed in ('unmanaged', 'read_only', 'managed', 'protected'))
);
comment on table account is 'A login record in one target system.';
call secure_tenant_table('account');
create index account_by_identity on account (tenant_id, identity_id) where identity_id is not null;
create index account_by_native_ref on account (tenant_id, connector_id, native_ref) where native_ref is not null;
create index account_by_username on account (tenant_id, connector_id, username_lc) where username_lc is not null;
create index account_unlinked on account (tenant_id, connector_id) where identity_id is null;
