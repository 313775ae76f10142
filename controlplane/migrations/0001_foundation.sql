-- +goose Up

create table tenant (
    id           uuid        not null,
    slug         text        not null,
    name         text        not null,
    status       text        not null default 'active',
    funnel_state text        not null default 'bootstrapped',
    settings     jsonb       not null default '{}',
    created_at   timestamptz not null default now(),
    updated_at   timestamptz not null default now(),
    version      int         not null default 1,
    constraint tenant_pk primary key (id),
    constraint tenant_slug_unique unique (slug),
    constraint tenant_slug_shape check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
    constraint tenant_status_known check (status in ('active', 'suspended', 'closing'))
);
comment on table tenant is 'A customer. Every other table of the product but signing_key belongs to one.';

-- +goose StatementBegin
create function current_tenant() returns uuid language sql stable parallel safe
as $$ select nullif(current_setting('app.tenant_id', true), '')::uuid $$;
-- +goose StatementEnd
comment on function current_tenant() is
    'The tenant of this transaction, or null. A setting that was local to an earlier transaction reads as an empty string, hence nullif.';

-- +goose StatementBegin
create procedure secure_tenant_table(t regclass, rights text default 'select, insert, update, delete') language plpgsql
as $$
begin
    execute format('alter table %s enable row level security', t);
    execute format('alter table %s force row level security', t);
    execute format('create policy tenant_only on %s using (tenant_id = (select current_tenant())) with check (tenant_id = (select current_tenant()))', t);
    execute format('grant %s on %s to grantwright_app', rights, t);
end $$;
-- +goose StatementEnd
comment on procedure secure_tenant_table is
    'What every table with a tenant_id needs: forced row security under one policy, and the application''s rights. The subselect is evaluated once a statement; without it the setting would be read for every row.';

-- +goose StatementBegin
create procedure readable_across(t regclass, columns text default null) language plpgsql
as $$
begin
    execute format('create policy across_read on %s for select to grantwright_across using (true)', t);
    if columns is null then
        execute format('grant select on %s to grantwright_across', t);
    else
        execute format('grant select (%s) on %s to grantwright_across', columns, t);
    end if;
end $$;
-- +goose StatementEnd
comment on procedure readable_across is
    'Opens a table to the narrow role that finds, over all tenants, whose turn it is. It reads only; every write happens as a tenant.';

alter table tenant enable row level security;
alter table tenant force row level security;
create policy tenant_itself on tenant using (id = (select current_tenant())) with check (id = (select current_tenant()));
create policy across_read on tenant for select to grantwright_across using (true);
grant select, insert, update on tenant to grantwright_app;
grant select on tenant to grantwright_across;

create table tenant_key (
    tenant_id  uuid        not null references tenant,
    version    int         not null,
    wrapped    bytea       not null,
    created_at timestamptz not null default now(),
    constraint tenant_key_pk primary key (tenant_id, version)
);
comment on table tenant_key is 'A tenant''s data key, wrapped by the deployment''s key. Deleting it makes the tenant''s secrets unreadable for ever.';
call secure_tenant_table('tenant_key');

create table signing_key (
    kid        text        not null,
    audience   text        not null,
    sealed     bytea       not null,
    public_key bytea       not null,
    state      text        not null default 'active',
    created_at timestamptz not null default now(),
    constraint signing_key_pk primary key (kid),
    constraint signing_key_audience_known check (audience in ('api', 'agent', 'refresh', 'enroll', 'callback')),
    constraint signing_key_state_known check (state in ('next', 'active', 'verify_only', 'retired'))
);
comment on table signing_key is 'Ed25519 keys of the deployment, one active for each audience, private halves sealed.';
grant select, insert, update on signing_key to grantwright_app;

create table audit_event (
    tenant_id  uuid        not null references tenant,
    seq        bigint      not null,
    at         timestamptz not null default now(),
    action     text        not null,
    outcome    text        not null default 'success',
    actor      jsonb       not null,
    subject    jsonb       not null default '{}',
    changes    jsonb       not null default '[]',
    context    jsonb       not null default '{}',
    constraint audit_event_pk primary key (tenant_id, seq)
);
comment on table audit_event is 'Who did what, written in the doer''s transaction. The application may add and read, never change or delete.';
call secure_tenant_table('audit_event', 'select, insert');

create table audit_head (
    tenant_id uuid   not null references tenant,
    seq       bigint not null default 0,
    constraint audit_head_pk primary key (tenant_id)
);
comment on table audit_head is 'The last sequence number of a tenant''s audit log; its row lock makes the numbers gapless.';
call secure_tenant_table('audit_head', 'select, insert, update');

create table app_user (
    tenant_id           uuid        not null references tenant,
    id                  uuid        not null,
    email               text        not null,
    email_lc            text        not null generated always as (lower(email)) stored,
    display_name        text        not null default '',
    identity_id         uuid,
    roles               text[]      not null default '{}',
    control_plane_admin boolean     not null default false,
    password_hash       text,
    password_epoch      int         not null default 1,
    status              text        not null default 'active',
    last_login_at       timestamptz,
    created_at          timestamptz not null default now(),
    updated_at          timestamptz not null default now(),
    version             int         not null default 1,
    constraint app_user_pk primary key (tenant_id, id),
    constraint app_user_email_unique unique (tenant_id, email_lc),
    constraint app_user_status_known check (status in ('invited', 'active', 'disabled')),
    constraint app_user_roles_known check (roles <@ array['manager', 'resource_owner', 'admin', 'auditor'])
);
comment on table app_user is 'A person who signs in.';
call secure_tenant_table('app_user');
call readable_across('app_user');
create index app_user_by_email on app_user (email_lc, tenant_id);

create table auth_session (
    tenant_id       uuid        not null references tenant,
    id              uuid        not null,
    user_id         uuid        not null,
    refresh_jti     bytea       not null,
    created_at      timestamptz not null default now(),
    last_used_at    timestamptz not null default now(),
    idle_expires_at timestamptz not null,
    expires_at      timestamptz not null,
    revoked_at      timestamptz,
    revoked_reason  text,
    constraint auth_session_pk primary key (tenant_id, id),
    constraint auth_session_user foreign key (tenant_id, user_id) references app_user (tenant_id, id) on delete cascade
);
comment on table auth_session is 'A sign-in: the family of refresh tokens that grew from it. Only the hash of the newest one''s jti is kept.';
call secure_tenant_table('auth_session');
create index auth_session_by_user on auth_session (tenant_id, user_id);

create table login_failure (
    key       bytea       not null,
    at        timestamptz not null default now()
);
comment on table login_failure is 'Failed sign-ins by hashed canonical account and by network, for throttling over all processes.';
create index login_failure_by_key on login_failure (key, at);
grant select, insert, delete on login_failure to grantwright_app;

create table signin_link (
    tenant_id  uuid        not null references tenant,
    token_hash bytea       not null,
    user_id    uuid        not null,
    expires_at timestamptz not null,
    used_at    timestamptz,
    constraint signin_link_pk primary key (tenant_id, token_hash),
    constraint signin_link_user foreign key (tenant_id, user_id) references app_user (tenant_id, id) on delete cascade
);
comment on table signin_link is 'A one-time link by which the first administrator sets a password.';
call secure_tenant_table('signin_link');
call readable_across('signin_link');
